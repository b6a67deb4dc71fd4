import { cookieOf, OPERATOR, setCookies, startTestMonitor, useTestMonitor } from './monitor-fixture';

const monitor = useTestMonitor();

const sessions = () => monitor.db('webhook_monitor_sessions');
const secondsUntil = async (column: string) => {
  const left = monitor.db.raw(`extract(epoch from ${column} - clock_timestamp())::float8 as seconds`);
  const [row] = await sessions().orderBy('created_at', 'desc').limit(1).select<{ seconds: number }[]>(left);
  return row!.seconds;
};

describe('a sign-in link of tourctl monitor', () => {
  it('a sign-in link opens one session only', async () => {
    const link = await monitor.newLink();
    const first = await monitor.http.post(`/sign-in/${link}`);
    expect([first.status, first.headers.location]).toEqual([303, '/']);
    await monitor.http.get('/').set('Cookie', cookieOf(first)).expect(200);
    const second = await monitor.http.post(`/sign-in/${link}`);
    expect([second.status, setCookies(second)]).toEqual([410, []]);
    expect(second.text).toContain('tourctl monitor');
  });

  it('a sign-in link stays valid after GET and HEAD requests', async () => {
    const link = await monitor.newLink();
    const page = await monitor.http.get(`/sign-in/${link}`).expect(200);
    await monitor.http.head(`/sign-in/${link}`).expect(200);
    expect(page.text).toContain(`action="/sign-in/${link}"`);
    expect(page.text).toMatch(/method="post"/i);
    expect(setCookies(page)).toEqual([]);
    await monitor.http.post(`/sign-in/${link}`).expect(303);
  });

  it('a sign-in link that three requests use at once opens one session', async () => {
    for (let round = 0; round < 5; round++) {
      const link = await monitor.newLink();
      const answers = await Promise.all([1, 2, 3].map(() => monitor.http.post(`/sign-in/${link}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    }
  });

  it('a sign-in link is valid for five minutes by the clock of the database', async () => {
    const link = await monitor.newLink();
    expect(await secondsUntil('link_expires_at')).toBeGreaterThan(295);
    expect(await secondsUntil('link_expires_at')).toBeLessThanOrEqual(300);
    await sessions().update({ link_expires_at: monitor.db.raw('clock_timestamp()') });
    await monitor.http.post(`/sign-in/${link}`).expect(410);
  });

  it.each(['x', 'A'.repeat(43), 'A'.repeat(5000), '%00', '..%2f..%2f', "'--"])(
    'an invented sign-in link opens no session: %s',
    async (token) => {
      const { status } = await monitor.http.post(`/sign-in/${token}`);
      expect(status).toBe(410);
    },
  );

  it('the database stores only digests of a sign-in link and its session', async () => {
    const link = await monitor.newLink();
    const cookie = cookieOf(await monitor.http.post(`/sign-in/${link}`));
    const kept = JSON.stringify(
      await sessions().select(
        monitor.db.raw("encode(link_digest, 'escape') || encode(session_digest, 'escape')"),
      ),
    );
    const token = cookie.split('=')[1]!;
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const secret of [link, token]) expect(kept).not.toContain(secret);
  });

  it('a new sign-in link deletes expired links and sessions', async () => {
    await sessions().delete();
    const [unused, used] = [await monitor.newLink(), await monitor.newLink()];
    await monitor.http.post(`/sign-in/${used}`).expect(303);
    const open = await monitor.signIn();
    const past = monitor.db.raw(`clock_timestamp() - interval '1 second'`);
    // Lets the link of the open session expire too.
    await sessions().update({ link_expires_at: past });
    const oldest = sessions().whereNotNull('session_digest').orderBy('created_at').limit(1);
    await sessions().where('id', oldest.select('id')).update({ expires_at: past });
    await monitor.newLink();
    expect(await sessions().pluck('session_digest')).toEqual([expect.any(Buffer), null]);
    await open.get('/').expect(200);
    await monitor.http.post(`/sign-in/${unused}`).expect(410);
  });

  it('the monitor refuses a sign-in link that another site sends', async () => {
    const link = await monitor.newLink();
    await monitor.http.post(`/sign-in/${link}`).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await monitor.http.post(`/sign-in/${link}`).set('Origin', 'https://elsewhere.example').expect(403);
    await monitor.http.post(`/sign-in/${link}`).expect(303);
  });
});

describe('a session', () => {
  it('the cookie of a session is hidden from scripts and from other sites', async () => {
    const answer = await monitor.http.post(`/sign-in/${await monitor.newLink()}`);
    const [cookie] = setCookies(answer);
    const [, ...attributes] = cookie!.split('; ');
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).toEqual([
      'Max-Age=28800',
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
    ]);
  });

  it('a session ends after eight hours by the clock of the database', async () => {
    const browser = await monitor.signIn();
    expect(await secondsUntil('expires_at')).toBeGreaterThan(8 * 3600 - 5);
    expect(await secondsUntil('expires_at')).toBeLessThanOrEqual(8 * 3600);
    await sessions().update({ expires_at: monitor.db.raw('clock_timestamp()') });
    const { status, headers } = await browser.get('/');
    expect([status, headers.location]).toEqual([303, '/sign-in']);
  });

  it('the page of a visitor without a session has the command for a link, with a button that copies it', async () => {
    const { text } = await monitor.http.get('/sign-in').expect(200);
    const [, source] = /data-copy="([^"]+)"/.exec(text)!;
    expect(text).toMatch(new RegExp(`<pre id="${source}"[^>]*><code>tourctl monitor</code>`));
  });

  it('a sign-out ends its own session only', async () => {
    const [browser, other] = [await monitor.signIn(), await monitor.signIn()];
    const out = await browser.post('/sign-out');
    expect([out.status, out.headers.location]).toEqual([303, '/sign-in']);
    expect(setCookies(out)).toContainEqual(
      expect.stringMatching(/^monitor_session=;.*Expires=Thu, 01 Jan 1970/),
    );
    const after = await browser.get('/');
    expect([after.status, after.headers.location]).toEqual([303, '/sign-in']);
    await other.get('/').expect(200);
  });

  it('a sign-in and a sign-out leave one audit row each', async () => {
    const rows = () => monitor.db('audit_log').where('action', 'like', 'monitor.%').orderBy('id');
    const before = (await rows()).length;
    const browser = await monitor.signIn();
    await browser.post('/sign-out').expect(303);
    await browser.post('/sign-out').expect(303);
    const [, , ...written] = (await rows()).slice(before - 2);
    expect(written).toMatchObject([
      { action: 'monitor.sign-in', actor: OPERATOR.operator, host: OPERATOR.host },
      { action: 'monitor.sign-out', actor: OPERATOR.operator, host: OPERATOR.host },
    ]);
    expect(written[0].subject).toBe(written[1].subject);
  });

  it.each([
    '',
    'monitor_session=',
    'monitor_session',
    `monitor_session=${'A'.repeat(43)}`,
    'monitor_session=%ff; a=b',
  ])('an invented cookie opens no session: "%s"', async (cookie) => {
    const { status, headers } = await monitor.http.get('/').set('Cookie', cookie);
    expect([status, headers.location]).toEqual([303, '/sign-in']);
  });
});

describe('behind a proxy that ends TLS', () => {
  it.each([
    [1, 'https', true],
    [1, 'http', false],
    [false, 'https', false],
  ] as const)('the cookie with TRUST_PROXY %s and %s is Secure: %s', async (trustProxy, scheme, secure) => {
    const proxied = await startTestMonitor({ trustProxy });
    const link = await proxied.newLink();
    const answer = await proxied.http
      .post(`/sign-in/${link}`)
      .set({ 'X-Forwarded-Proto': scheme, Host: 'monitor.example', Origin: 'https://monitor.example' });
    await proxied.stop();
    expect(answer.status).toBe(303);
    expect(setCookies(answer)[0]!.includes('; Secure')).toBe(secure);
  });
});
