import { createHash } from 'node:crypto';
import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import type { Tenant } from '../../services/api/tenants/tenant';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTenant, givenTour, unique } from '../support/given';
import { withAnotherSecret } from '../support/forged-token';
import { givenUnusableTokens, givenWidgetToken, SHOP } from './given-widget';

const api = useTestApi();
let tenant: Tenant;
let token: string;
let tokenId: string;

beforeAll(async () => {
  const { db } = api;
  tenant = await givenTenant(db, { linkTemplate: `${SHOP}/tours/{slug}`, brandColor: '#c2410c' });
  ({ token, id: tokenId } = await givenWidgetToken(db, tenant, { origins: [SHOP, 'https://two.example'] }));
  const tour = await givenTour(db, { slug: 'ha-long', name: 'Hà Long Bay Cruise' });
  await givenDeparture(db, tour, { date: '2031-03-09' });
  await givenTour(db, { slug: 'yen', name: 'Kyoto Gardens', currency: 'JPY', basePriceMinor: 98_000 });
  await givenTour(db, { slug: 'alps', name: 'Alpine Huts', continent: 'europe', basePriceMinor: 49_950 });
});

type Strings = Record<string, string>;
const page = (query: Strings, headers: Strings = {}) =>
  api.http.get('/embed/tours').query(query).set(headers);
const policyOf = (headers: Strings) =>
  Object.fromEntries(
    headers['content-security-policy']!.split('; ').map((part) => [
      part.split(' ')[0],
      part.replace(/^\S+ /, ''),
    ]),
  ) as Strings;
const linksOf = (text: string) =>
  [...text.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'));
/** Matches a script element with data, which a browser does not run. */
const DATA = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s;
/** Returns a pass that the token got `secondsAgo` seconds ago. */
const passFrom = (secondsAgo = 0) =>
  mintEmbedPass(api.context.secrets.cursorKey, tokenId, Date.now() - secondsAgo * 1000);
const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Creates a tour with a departure in so many minutes. @param tiers pairs of `until` and percent; null: the tour states no policy */
async function givenRefunded(tiers: [string, number][] | null, minutes: number) {
  const policy = tiers?.map(([until, refund_percent]) => ({ until, refund_percent }));
  const name = unique('Refunded');
  const tour = await givenTour(api.db, { name, cancellation: policy && { tiers: policy } });
  const start = new Date(Date.now() + minutes * 60_000).toISOString();
  await givenDeparture(api.db, tour, { date: start.slice(0, 10), startTime: start.slice(11, 16) });
  return { ...tour, name };
}

const hide = ({ id }: { id: string }) => api.db('tours').where({ id }).update({ status: 'archived' });
/** Returns the lines of the cards that say until when a cancellation is free. */
const freeIn = (text: string) => [...text.matchAll(/<p class="free">([^<]+)<\/p>/g)].map(([, line]) => line);

describe('the headers of /embed/tours', () => {
  it('exactly the token’s origins may frame the page', async () => {
    const { status, headers } = await page({ token });
    expect(status).toBe(200);
    const { 'script-src': script, 'style-src': style, ...rest } = policyOf(headers);
    expect(rest).toEqual({
      'default-src': "'none'",
      'frame-ancestors': `${SHOP} https://two.example`,
      'img-src': "'self' data: https:",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
    });
    expect(`${script} ${style}`).toMatch(/^('sha256-[A-Za-z0-9+/=]{44}' ?){3}$/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'ratelimit-policy': expect.stringMatching(/^"widget"/),
    });
    for (const name of ['x-frame-options', 'cross-origin-opener-policy', 'set-cookie', 'link']) {
      expect(headers[name]).toBeUndefined();
    }
  });

  it('the policy names the hash of every inline style and script, and no other', async () => {
    const { text, headers } = await page({ token });
    const policy = policyOf(headers);
    const inline = (element: string) =>
      [...text.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, code]) => sha256(code!));
    expect(inline('style').join(' ')).toBe(policy['style-src']);
    expect(inline('script').join(' ')).toBe(policy['script-src']);
    expect(text.replace(DATA, '')).not.toMatch(/ (style|on\w+)=|<link|<script /);
  });

  it('no site may frame the page of a token without origins, or of an unknown token', async () => {
    const { db } = api;
    const bare = await givenWidgetToken(db, tenant, { origins: [] });
    expect(policyOf((await page({ token: bare.token })).headers)['frame-ancestors']).toBe("'none'");
    expect(policyOf((await page({ token: 'x' })).headers)['frame-ancestors']).toBe("'none'");
  });
});

describe('a request for /embed/tours', () => {
  it.each([
    {},
    { referer: `${SHOP}/tours?page=2` },
    { referer: 'https://api.example.test/embed/tours' },
    { 'sec-fetch-dest': 'iframe', referer: `${SHOP}/` },
    { 'sec-fetch-dest': 'frame' },
    { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' },
  ])('the embed page accepts a request with %j', async (headers) => {
    expect((await page({ token }, headers as Strings)).status).toBe(200);
  });

  it('the embed page answers If-None-Match: * with the page', async () => {
    const { status, text, headers } = await page({ token }, { 'if-none-match': '*' });
    expect([status, Number(headers['content-length'])]).toEqual([200, Buffer.byteLength(text)]);
    expect(text).toContain('</html>');
  });

  it.each([
    { referer: 'https://evil.example/' },
    { referer: 'http://shop.example.com/' },
    { referer: 'nonsense' },
    { 'sec-fetch-dest': 'script' },
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'empty', referer: `${SHOP}/` },
  ])('the embed page refuses a request with %j', async (headers) => {
    const { body, headers: answered } = await page({ token }, headers as Strings);
    expect(body).toMatchObject({ status: 403, code: 'origin_not_allowed' });
    expect(policyOf(answered)['frame-ancestors']).toBe(`${SHOP} https://two.example`);
  });
});

describe('the embed page', () => {
  it('the embed page shows each tour with its picture, place, days, next departure and price', async () => {
    await api.db('tours').where({ slug: 'ha-long' }).update({ image_url: '/covers/ha-long.svg' });
    const { text } = await page({ token, q: 'ha long' });
    expect(text).toContain('<html lang="en" dir="ltr"');
    expect(text).toContain('src="../covers/ha-long.svg"');
    expect(text).toMatch(/<bdi>Vietnam<\/bdi> · 3\u00a0days/);
    expect(text).toContain('<time datetime="2031-03-09">Mar 9, 2031</time>');
    expect(text).toContain('<strong><bdi>€500</bdi></strong>');
    expect(text).toContain(`<a href="${SHOP}/tours/ha-long" target="_top" rel="noopener">`);
  });

  it('the embed page shows no price of a tour whose lowest price is 0', async () => {
    const free = await givenTour(api.db, { slug: 'free-walk', name: 'Open Day' });
    await givenDeparture(api.db, free, { prices: { adult: 0 } });
    const { text } = await page({ token, q: 'open day' });
    expect(text).toContain('Open Day');
    expect(text).not.toContain('class="price"');
    expect(text).not.toContain('"offers"');
    await api.db('tours').where({ id: free.id }).update({ status: 'archived' });
  });

  it('the embed page shows the times of the next date if it has several departures, in the visitor’s format', async () => {
    const { db } = api;
    const walk = await givenTour(db, { slug: 'walk', name: 'City Walk' });
    for (const startTime of ['14:30', '09:30'])
      await givenDeparture(db, walk, { date: '2031-03-09', startTime });
    await givenDeparture(db, walk, { date: '2031-03-10', startTime: '11:00' });
    const timesIn = (text: string) =>
      [...text.matchAll(/<bdi>(\d+:[^<]+)<\/bdi>/g)].map(([, time]) => time!.replace('\u202f', ' '));
    expect(timesIn((await page({ token, q: 'city walk' })).text)).toEqual(['9:30 AM', '2:30 PM']);
    expect(timesIn((await page({ token, q: 'city walk', lang: 'de' })).text)).toEqual(['09:30', '14:30']);
    await db('departures').where({ tour_id: walk.id, start_time: '14:30' }).update({ status: 'cancelled' });
    await db('tours').where({ id: walk.id }).increment('revision', 1);
    expect((await page({ token, q: 'city walk', lang: 'fr' })).text).not.toContain('class="times"');
    await db('tours').where({ id: walk.id }).update({ status: 'draft' });
  });

  it.each([
    ['en', 'Free cancellation until 3\u00a0days before'],
    ['de', 'Kostenlos stornierbar bis 3\u00a0Tage vorher'],
    ['fr', 'Annulation gratuite jusqu’à 3\u00a0jours avant'],
    ['es', 'Cancelación gratuita hasta 3\u00a0días antes'],
    ['pt', 'Cancelamento gratuito até 3\u00a0dias antes'],
    ['pt-BR', 'Cancelamento grátis até 3\u00a0dias antes'],
    ['ar', 'الإلغاء مجاني إذا بقي على الانطلاق 3\u00a0أيام أو أكثر'],
    ['vi', 'Hủy miễn phí đến 3\u00a0ngày trước khi khởi hành'],
    ['ja', '3\u00a0日前までキャンセル無料'],
  ])('the embed page shows in %s until when a cancellation is free', async (lang, line) => {
    const walk = await givenRefunded([['3d', 100]], 30 * 24 * 60);
    const { text } = await page({ token, q: walk.name, lang });
    expect(freeIn(text)).toEqual([line]);
    await hide(walk);
  });

  it.each<[string, [string, number][] | null, number, string[]]>([
    ['a tier of hours', [['36h', 100]], 3000, ['Free cancellation until 36\u00a0hours before']],
    ['one hour', [['1h', 100]], 3000, ['Free cancellation until 1\u00a0hour before']],
    [
      'a minute before the end of the tier',
      [['60m', 100]],
      62,
      ['Free cancellation until 60\u00a0minutes before'],
    ],
    ['a minute after the end of the tier', [['60m', 100]], 58, []],
    ['a full refund until the start', [['0m', 100]], 58, ['Free cancellation until the start']],
    ['a policy without tiers', [], 3000, []],
    ['a policy that refunds a part', [['1h', 90]], 3000, []],
    ['no policy', null, 3000, []],
  ])(
    'the embed page decides whether a cancellation is free with %s',
    async (_case, tiers, minutes, lines) => {
      const walk = await givenRefunded(tiers, minutes);
      expect(freeIn((await page({ token, q: walk.name })).text)).toEqual(lines);
      await hide(walk);
    },
  );

  it('the next open departure decides whether a cancellation is free', async () => {
    const { db } = api;
    const walk = await givenRefunded([['3d', 100]], 2 * 24 * 60);
    await givenDeparture(db, walk, { date: '2031-03-09' });
    expect(freeIn((await page({ token, q: walk.name })).text)).toEqual([]);
    await db('departures').where({ tour_id: walk.id }).whereNot({ departure_date: '2031-03-09' }).del();
    await db('tours').where({ id: walk.id }).increment('revision', 1);
    expect(freeIn((await page({ token, q: walk.name, limit: '9' })).text)).toHaveLength(1);
    await db('departures').where({ tour_id: walk.id }).del();
    await db('tours').where({ id: walk.id }).increment('revision', 1);
    expect(freeIn((await page({ token, q: walk.name, limit: '8' })).text)).toEqual([]);
    await hide(walk);
  });

  it('the embed page uses the requested language, else the visitor’s, else English', async () => {
    const german = (await page({ token, lang: 'de-AT', q: 'alpine' })).text;
    expect(german).toContain('<html lang="de-AT"');
    expect(german).toContain('Reisen suchen');
    expect(german).toMatch(/€\s499,50/);
    expect((await page({ token }, { 'accept-language': 'xx, fr;q=0.8' })).text).toContain('<html lang="fr"');
    expect((await page({ token, lang: 'tlh' })).text).toContain('<html lang="en"');
    expect((await page({ token, lang: 'en-a' })).text).toContain('<html lang="en"');
    expect((await page({ token, q: 'kyoto' })).text).toContain('¥98,000');
  });

  it('the embed page uses the tenant’s colour with readable text on it', async () => {
    expect((await page({ token })).text).toContain('--brand: #c2410c; --on-brand: #fff;');
    const { db } = api;
    const yellow = await givenWidgetToken(db, await givenTenant(db, { brandColor: '#facc15' }));
    expect((await page({ token: yellow.token })).text).toContain('--brand: #facc15; --on-brand: #000;');
  });

  it('the embed page offers exactly the continents where the tenant sees a tour', async () => {
    const { db } = api;
    await givenTour(db, { continent: 'africa', status: 'draft' });
    const picky = await givenTenant(db);
    await db('visibility_continent_rules').insert({ tenant_id: picky.id, continent: 'asia', visible: false });
    const pills = async (offered: string) => {
      const { text } = await page({ token: offered });
      return [...text.matchAll(/<li><a href="[^"]*"[^>]*>([^<]+)<\/a>/g)].map(([, name]) => name);
    };
    expect(await pills(token)).toEqual(['All', 'Asia', 'Europe']);
    expect(await pills((await givenWidgetToken(db, picky)).token)).toEqual(['All', 'Europe']);
  });

  it('the embed page accepts a continent in any case, and marks it', async () => {
    const { text } = await page({ token, continent: 'EUROPE' });
    expect(text).toContain('Alpine Huts');
    expect(text).not.toContain('Kyoto Gardens');
    expect(text).toMatch(/aria-current="[a-z]+"[^>]*>Europe</);
  });

  it('the embed page offers help when nothing is found', async () => {
    const { status, text } = await page({ token, q: 'atlantis' });
    expect(status).toBe(200);
    expect(text).toContain('No tours found');
  });

  it('the embed page escapes the texts of tours and of the query', async () => {
    const { db } = api;
    const name = `"><svg onload=alert(1)></script><script>alert(2)</script>\u2028'\`&\u202e`;
    const hostile = await givenTour(db, { name: `Xss ${name}`, continent: 'x-y' });
    await db('tours').where({ id: hostile.id }).update({ summary: name });
    const { text } = await page({ token, q: 'xss', lang: 'en' });
    expect(text).not.toMatch(/<svg on|<script>alert|<img/);
    expect(text).toContain('&quot;&gt;&lt;svg onload=alert(1)&gt;&lt;/script&gt;');
    const mirrored = await page({ token, q: `"><svg onload=x>`, continent: `'><b>` });
    expect(mirrored.text).toContain('value="&quot;&gt;&lt;svg onload=x&gt;"');
    expect(mirrored.text).not.toMatch(/<svg on|<b>/);
    await db('tours').where({ id: hostile.id }).delete();
  });
});

describe('the pass', () => {
  it('every link and form contains the pass; the token is nowhere in the page', async () => {
    const { text, headers } = await page({
      token,
      limit: '1',
      lang: 'de',
      utm_source: 'mail',
      continent: 'asia',
    });
    const secret = token.slice(token.indexOf(tokenId) + tokenId.length + 1);
    expect(text + JSON.stringify(headers)).not.toContain(secret);
    expect(text).not.toMatch(/svc_widget|utm_source/);

    const own = linksOf(text).filter((link) => !link.startsWith(SHOP));
    expect(own.length).toBeGreaterThanOrEqual(4);
    for (const link of own) expect(link).toMatch(/^tours(\?pass=[\w.-]+&limit=1&lang=de(&|$)|$)/);
    expect(text).toMatch(/<input type="hidden" name="pass" value="[\w.-]+" \/>/);
  });

  it('a pass opens the next pages of the list', async () => {
    const seen: string[] = [];
    let query = { token, limit: '1' } as Strings;
    for (let turn = 0; turn < 3; turn++) {
      const { text, status } = await page(query, {
        'sec-fetch-dest': 'iframe',
        'sec-fetch-site': 'same-origin',
      });
      expect(status).toBe(200);
      seen.push(/<h2[^>]*>\s*<a [^>]*>([^<]+)</.exec(text)![1]!);
      const next = /<a class="button first" rel="next" href="tours\?([^"]+)"/
        .exec(text)?.[1]!
        .replaceAll('&amp;', '&');
      query = Object.fromEntries(new URLSearchParams(next ?? ''));
    }
    expect(seen).toEqual(['Alpine Huts', 'Hà Long Bay Cruise', 'Kyoto Gardens']);
    expect(query).toEqual({});
  });

  const isRefused = { status: 401, code: 'invalid_widget_token' };

  it('the embed page answers 401 to a forged pass, and to a pass of an unknown token', async () => {
    const { cursorKey } = api.context.secrets;
    const pass = passFrom();
    expect((await page({ pass })).status).toBe(200);

    const [id, start, expiry, mac] = pass.split('.') as [string, string, string, string];
    const later = (time: string) => (parseInt(time, 36) + 60).toString(36);
    const forged = [
      'x',
      `${id}.${start}.${later(expiry)}.${mac}`,
      `${id}.${later(start)}.${expiry}.${mac}`,
      `AAAAAAAAAAAA.${start}.${expiry}.${mac}`,
      mintEmbedPass('k'.repeat(32), tokenId),
      mintEmbedPass(cursorKey, 'AAAAAAAAAAAA'),
    ];
    for (const bad of forged) expect((await page({ pass: bad })).body).toMatchObject(isRefused);
  });

  it('the embed page answers 401 to a pass after an hour, and not ten seconds before', async () => {
    expect((await page({ pass: passFrom(3_601) })).body).toMatchObject(isRefused);
    expect((await page({ pass: passFrom(3_590) })).status).toBe(200);
  });

  it('the allowed sites of a token may still frame the page after its pass has expired', async () => {
    const { headers } = await page({ pass: passFrom(3_601) });
    expect(policyOf(headers)['frame-ancestors']).toBe(`${SHOP} https://two.example`);
  });

  it('the embed page refuses a pass whose last character has other unused bits', async () => {
    const pass = passFrom();
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = digits.indexOf(pass.at(-1)!);
    for (const spare of [1, 2, 3]) {
      const altered = pass.slice(0, -1) + digits[last ^ spare];
      expect(Buffer.from(altered.split('.')[3]!, 'base64url')).toEqual(
        Buffer.from(pass.split('.')[3]!, 'base64url'),
      );
      expect((await page({ pass: altered })).body).toMatchObject({ code: 'invalid_widget_token' });
    }
  });

  it('each page renews the pass until 24 hours after the first page', async () => {
    const { cursorKey } = api.context.secrets;
    const hour = 3_600_000;
    const now = Date.now();
    const after = (milliseconds: number) => Math.floor((now - milliseconds) / 1000);
    const passIn = (text: string) => /name="pass" value="([^"]+)"/.exec(text)![1]!;
    const lifeOf = (pass: string) => {
      const [start, expiry] = pass.split('.').slice(1, 3);
      return { start: parseInt(start!, 36), seconds: parseInt(expiry!, 36) - Math.floor(now / 1000) };
    };

    const first = lifeOf(passIn((await page({ token })).text));
    expect(first.seconds).toBeGreaterThanOrEqual(3_600);
    const renewed = passIn(
      (await page({ pass: mintEmbedPass(cursorKey, tokenId, now, after(2 * hour)) })).text,
    );
    expect(lifeOf(renewed).start).toBe(after(2 * hour));
    expect(lifeOf(renewed).seconds).toBeGreaterThanOrEqual(3_600);

    const late = after(23.75 * hour);
    const last = passIn((await page({ pass: mintEmbedPass(cursorKey, tokenId, now, late) })).text);
    expect(lifeOf(last)).toEqual({ start: late, seconds: late + 24 * 3_600 - Math.floor(now / 1000) });
    const over = await page({ pass: mintEmbedPass(cursorKey, tokenId, now, after(24 * hour)) });
    expect(over.body).toMatchObject(isRefused);
    expect(policyOf(over.headers)['frame-ancestors']).toBe(`${SHOP} https://two.example`);
  });

  it('the embed page answers 401 to the pass of a revoked token', async () => {
    const { db } = api;
    const brief = await givenWidgetToken(db, tenant);
    const pass = mintEmbedPass(api.context.secrets.cursorKey, brief.id);
    expect((await page({ pass })).status).toBe(200);
    await db('widget_tokens').where({ id: brief.id }).update({ revoked_at: db.fn.now() });
    expect((await page({ pass })).status).toBe(401);
  });

  it('a route for servers answers 401 to a pass', async () => {
    const pass = passFrom();
    expect((await api.http.get('/api/tenant/catalog').query({ pass })).status).toBe(401);
  });
});

describe('a refusal of /embed/tours', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it('a browser gets a page, and a program gets a problem document', async () => {
    const shown = await page({ token: 'x', lang: 'es' }, browser);
    expect(shown.status).toBe(401);
    expect(shown.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
      'www-authenticate': expect.stringMatching(/^Bearer/),
    });
    expect(shown.text).toContain('falta su token o no es válido');
    expect(shown.text).toContain(`<small>ID de la solicitud: ${shown.headers['x-request-id']}</small>`);

    const told = await page({ token: 'x' });
    expect(told.headers['content-type']).toMatch('application/problem+json');
    expect(told.body).toMatchObject({ ok: false, status: 401, code: 'invalid_widget_token' });
  });

  it('only a genuine token gets the reason of a refusal, and only its sites may frame the refusal', async () => {
    const { expired, revoked, paused } = await givenUnusableTokens(api.db);
    for (const [query, advice, framedBy] of [
      [{ token: 'bad' }, 'its token is missing or not valid', "'none'"],
      [{ token: withAnotherSecret(revoked) }, 'its token is missing or not valid', "'none'"],
      [{ token: expired }, 'The token of this list has expired. The site needs a new one.', SHOP],
      [{ token: revoked }, 'The token of this list was revoked. The site needs a new one.', SHOP],
      [{ token: paused }, 'This list is switched off at the moment.', SHOP],
      [{ pass: passFrom(3_601) }, 'This list has expired. Reload the page', `${SHOP} https://two.example`],
    ] as const) {
      const { status, text, headers } = await page(query, browser);
      expect(status).toBe(401);
      expect(text).toContain(advice);
      expect(policyOf(headers)['frame-ancestors']).toBe(framedBy);
    }
  });

  it('the page and the problem document have the same status', async () => {
    const cases: [Strings, Strings, number][] = [
      [{ token, limit: '0' }, {}, 400],
      [{ token, pass: 'x' }, {}, 400],
      [{ token }, { referer: 'https://evil.example/' }, 403],
    ];
    for (const [query, headers, status] of cases) {
      expect((await page(query, headers)).status).toBe(status);
      const shown = await page(query, { ...browser, ...headers });
      expect(shown.status).toBe(status);
      expect(shown.text).toContain('The tours cannot be shown');
    }
  });

  it('the embed page answers 405 with Allow to another method', async () => {
    const { status, headers } = await api.http.post('/embed/tours');
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });
});
