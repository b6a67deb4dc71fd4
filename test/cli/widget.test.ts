import { mintCredentialToken } from '../../services/api/credentials/token-format';
import { databaseCredentials } from '../../services/api/credentials/credential-source';
import {
  findLiveWidgetToken,
  isOriginOfSomeLiveToken,
  verifyWidgetToken,
} from '../../services/api/credentials/verify-credential';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await openTestTerminal({ PUBLIC_BASE_URL: 'https://tours.example/' });
  await terminal.tourctl('tenant create --slug acme --name Acme');
});
afterAll(async () => terminal.drop());

let tenants = 0;
const givenTenant = async () => {
  const slug = `tenant-${++tenants}`;
  await terminal.tourctl(`tenant create --slug ${slug} --name T`);
  return slug;
};
const issue = async (slug: string, flags = '') =>
  (await terminal.tourctl(`widget issue ${slug} --json ${flags}`.trim())).json;
const verify = (token: string) => verifyWidgetToken(databaseCredentials(terminal.db), undefined, token);

describe('tourctl widget issue', () => {
  it('answers with the token and what to paste', async () => {
    const answer = await issue(
      'acme',
      '--origin https://www.acme.example --origin acme.example --expires-in 30d',
    );
    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      token: expect.stringMatching(/^svc_widget_[0-9A-Za-z]{12}_[0-9A-Za-z]{28}$/),
      tenant: 'acme',
      origins: ['https://acme.example', 'https://www.acme.example'],
      expires_at: expect.stringMatching(/Z$/),
      embed_url: `https://tours.example/embed/tours?token=${answer.token}`,
      snippet: expect.stringContaining(`src="https://tours.example/embed/tours?token=${answer.token}"`),
    });
    expect((await verify(answer.token)).origins).toEqual(answer.origins);
  });

  it('follows the origins of the tenant as they change, without any of its own', async () => {
    const slug = await givenTenant();
    const { token } = await issue(slug);
    expect((await verify(token)).origins).toEqual([]);
    await terminal.tourctl(`origins add ${slug} https://a.example`);
    expect((await verify(token)).origins).toEqual(['https://a.example']);
    await terminal.tourctl(`origins set ${slug} https://b.example`);
    expect((await verify(token)).origins).toEqual(['https://b.example']);
  });

  it('warns where no site may show it', async () => {
    const slug = await givenTenant();
    const { code, stderr } = await terminal.tourctl(`widget issue ${slug}`);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: no site may show it yet');
    const json = await terminal.tourctl(`widget issue ${slug} --json`);
    expect(JSON.parse(json.stderr).warning.message).toContain('no site may show it yet');
  });

  it('refuses an origin that is none, with a usage error', async () => {
    const { code, error } = await terminal.tourctl(
      'widget issue acme --origin https://*.acme.example --json',
    );
    expect([code, error.message]).toEqual([2, expect.stringContaining('--origin "https://*.acme.example"')]);
  });

  it('refuses more than twenty origins', async () => {
    const flags = Array.from({ length: 21 }, (_, i) => `--origin https://s${i}.example`).join(' ');
    const { code, error } = await terminal.tourctl(`widget issue acme ${flags} --json`);
    expect([code, error.code]).toEqual([1, 'too_many_origins']);
  });
});

describe('a widget token', () => {
  it('is rotated with its origins, and the old one serves for the grace', async () => {
    const old = await issue('acme', '--origin https://a.example');
    const { json } = await terminal.tourctl(`widget rotate ${old.id} --json`);
    expect(json).toMatchObject({ tenant: 'acme', origins: ['https://a.example'] });
    expect((await verify(json.token)).familyId).toBe(old.id);
    await expect(verify(old.token)).resolves.toMatchObject({ tokenId: old.id });
  });

  it('goes on following the tenant after a rotation', async () => {
    const slug = await givenTenant();
    const { id } = await issue(slug);
    const { token } = (await terminal.tourctl(`widget rotate ${id} --json`)).json;
    await terminal.tourctl(`origins add ${slug} https://later.example`);
    expect((await verify(token)).origins).toEqual(['https://later.example']);
  });

  it('is refused in one way, whatever is wrong', async () => {
    const slug = await givenTenant();
    const [revoked, expired, rotated] = [
      await issue(slug),
      await issue(slug, '--expires-in 1d'),
      await issue(slug),
    ];
    await terminal.tourctl(`widget revoke ${revoked.id} --yes`);
    await terminal.tourctl(`widget rotate ${rotated.id} --grace 0 --yes`);
    await terminal
      .db('widget_tokens')
      .where({ id: expired.id })
      .update({ expires_at: '2020-01-01T00:00:00Z' });
    const closed = await givenTenant();
    const orphan = await issue(closed);
    await terminal.tourctl(`tenant close ${closed} --yes`);
    const tokens = [revoked, expired, rotated, orphan].map((answer) => answer.token);
    for (const token of [...tokens, mintCredentialToken('widget_token').token, 'nonsense', '']) {
      await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_widget_token', proven: false });
    }
    for (const { id } of [revoked, expired, rotated, orphan]) {
      expect(await findLiveWidgetToken(databaseCredentials(terminal.db), id)).toBeUndefined();
    }
  });

  it('is told from an API key only to who proves the key', async () => {
    const forged = mintCredentialToken('api_key').token;
    await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_widget_token' });
    const { key } = (await terminal.tourctl('key issue acme --scope catalog:read --json')).json as {
      key: string;
    };
    await expect(verify(key)).rejects.toMatchObject({ code: 'wrong_credential_type' });
  });

  it('is found by its id while it lives', async () => {
    const { id } = await issue('acme', '--origin https://a.example');
    const principal = await findLiveWidgetToken(databaseCredentials(terminal.db), id);
    expect(principal).toMatchObject({
      tokenId: id,
      origins: ['https://a.example'],
      tenant: { slug: 'acme' },
    });
  });

  it('is listed without its secret', async () => {
    const { id, token } = await issue('acme', '--origin https://a.example');
    const { stdout, json } = await terminal.tourctl('widget list acme --json');
    expect(json.items[0]).toMatchObject({
      id,
      status: 'live',
      origins: ['https://a.example'],
      follows_tenant: false,
    });
    expect(stdout).not.toContain(token.slice(24));
  });
});

describe('tourctl widget list', () => {
  it('warns of unused tokens and of those that expire soon', async () => {
    const slug = await givenTenant();
    const [unused, ending] = [await issue(slug), await issue(slug, '--expires-in 3d')];
    await terminal
      .db('widget_tokens')
      .where({ id: unused.id })
      .update({ created_at: '2026-01-01T00:00:00Z' });
    const { items } = (await terminal.tourctl(`widget list ${slug} --json`)).json;
    expect(items.map((token: { id: string; warnings: string[] }) => [token.id, token.warnings])).toEqual([
      [ending.id, ['expires_soon']],
      [unused.id, ['never_used']],
    ]);
    const { stderr } = await terminal.tourctl(`widget list ${slug}`);
    expect(stderr).toContain(`tourctl widget revoke ${unused.id}`);
    expect(stderr).toContain(`tourctl widget rotate ${ending.id}`);
  });

  it('says when there is more, and goes on behind a token', async () => {
    const slug = await givenTenant();
    for (let i = 0; i < 3; i++) await issue(slug);
    const { items } = (await terminal.tourctl(`widget list ${slug} --json`)).json;
    const few = await terminal.tourctl(`widget list ${slug} --limit 2`);
    expect(few.stderr).toContain(`2 shown, and there are more: --after ${items[1].id} goes on`);
    const rest = await terminal.tourctl(`widget list ${slug} --after ${items[1].id} --json`);
    expect(rest.json).toEqual({ items: items.slice(2) });
    const machine = await terminal.tourctl(`widget list ${slug} --limit 2 --json`);
    expect([machine.json, machine.stderr]).toEqual([{ items: items.slice(0, 2) }, '']);
    const unknown = await terminal.tourctl(`widget list ${slug} --after AAAAAAAAAAAA --json`);
    expect([unknown.code, unknown.error.code]).toEqual([1, 'widget_token_not_found']);
  });

  it('has those of a status alone', async () => {
    const slug = await givenTenant();
    const [live, gone] = [await issue(slug), await issue(slug)];
    await terminal.tourctl(`widget revoke ${gone.id} --yes`);
    const idsOf = async (status: string) =>
      (await terminal.tourctl(`widget list ${slug} --status ${status} --json`)).json.items.map(
        (token: { id: string }) => token.id,
      );
    expect([await idsOf('live'), await idsOf('revoked'), await idsOf('expired')]).toEqual([
      [live.id],
      [gone.id],
      [],
    ]);
  });
});

describe('an origin of some live token', () => {
  const listed = (origin: string) => isOriginOfSomeLiveToken(terminal.db, origin);

  it('is one of its own', async () => {
    const { id } = await issue('acme', '--origin https://own.example');
    expect(await listed('https://own.example')).toBe(true);
    await terminal.tourctl(`widget revoke ${id} --yes`);
    expect(await listed('https://own.example')).toBe(false);
  });

  it("is one of its tenant's, if it follows those", async () => {
    const slug = await givenTenant();
    await terminal.tourctl(`origins add ${slug} https://theirs.example`);
    expect(await listed('https://theirs.example')).toBe(false);
    await issue(slug, '--origin https://elsewhere.example');
    expect(await listed('https://theirs.example')).toBe(false);
    await issue(slug);
    expect(await listed('https://theirs.example')).toBe(true);
    await terminal.tourctl(`tenant suspend ${slug} --yes`);
    expect(await listed('https://theirs.example')).toBe(false);
  });
});

describe('tourctl origins', () => {
  it('adds, lists, removes and replaces, sorted and each once', async () => {
    const slug = await givenTenant();
    const answer = async (line: string) => (await terminal.tourctl(`origins ${line} --json`)).json;
    expect(await answer(`list ${slug}`)).toEqual({ tenant: slug, origins: [] });
    const added = await answer(`add ${slug} https://www.a.example a.example https://A.example/`);
    expect(added).toEqual({ tenant: slug, origins: ['https://a.example', 'https://www.a.example'] });
    expect((await answer(`add ${slug} https://b.example`)).origins).toHaveLength(3);
    expect((await answer(`remove ${slug} a.example b.example --yes`)).origins).toEqual([
      'https://www.a.example',
    ]);
    expect((await answer(`set ${slug} https://c.example`)).origins).toEqual(['https://c.example']);
  });

  it('asks before it removes', async () => {
    const slug = await givenTenant();
    await terminal.tourctl(`origins add ${slug} a.example`);
    expect((await terminal.tourctl(`origins remove ${slug} a.example`)).code).toBe(2);
    expect((await terminal.tourctl(`origins list ${slug}`)).stdout).toBe('https://a.example\n');
  });

  it('shows in which form an origin is stored', async () => {
    const slug = await givenTenant();
    const { stdout, stderr } = await terminal.tourctl(`origins add ${slug} münchen.de`);
    expect(stdout).toBe('https://xn--mnchen-3ya.de\n');
    expect(stderr).toContain('münchen.de is kept as https://xn--mnchen-3ya.de');
  });

  it('refuses what is no origin, says why, and adds nothing', async () => {
    const slug = await givenTenant();
    for (const origin of [
      '*',
      'https://github.io',
      'http://a.example',
      'https://a.example/path',
      'http://localhost:3000',
    ]) {
      const { code, error } = await terminal.tourctl(
        `origins add ${slug} https://good.example ${origin} --json`,
      );
      expect([code, error.message]).toEqual([2, expect.stringContaining(origin)]);
    }
    expect((await terminal.tourctl(`origins list ${slug} --json`)).json.origins).toEqual([]);
  });

  it('says what to write instead', async () => {
    const slug = await givenTenant();
    const { error } = await terminal.tourctl(`origins add ${slug} https://*.acme.example --json`);
    expect(error.message).toContain(
      'write each site, such as https://acme.example and https://www.acme.example',
    );
  });

  it('could not be a wildcard even if a writer forgot to look', async () => {
    const slug = await givenTenant();
    const write = terminal
      .db('tenants')
      .where({ slug })
      .update({ origins: ['https://*.acme.example'] });
    await expect(write).rejects.toThrow('tenants_origins_no_wildcard');
  });

  it('allows http://localhost with --dev, on trial alone', async () => {
    const slug = await givenTenant();
    expect((await terminal.tourctl(`origins add ${slug} http://localhost:3000 --dev`)).code).toBe(0);
    await terminal.tourctl(`tenant activate ${slug}`);
    const { code, error } = await terminal.tourctl(`origins set ${slug} http://localhost:3001 --dev --json`);
    expect([code, error.code]).toEqual([1, 'origin_refused']);
    expect(
      (await terminal.tourctl(`widget issue ${slug} --origin http://localhost:3000 --dev --json`)).code,
    ).toBe(1);
  });

  it('holds twenty at most', async () => {
    const slug = await givenTenant();
    const twenty = Array.from({ length: 20 }, (_, i) => `s${i}.example`).join(' ');
    expect((await terminal.tourctl(`origins set ${slug} ${twenty}`)).code).toBe(0);
    const { code, error } = await terminal.tourctl(`origins add ${slug} one-more.example --json`);
    expect([code, error.code]).toEqual([1, 'too_many_origins']);
  });

  it('loses nothing when two add at once', async () => {
    const slug = await givenTenant();
    await Promise.all(['a', 'b', 'c'].map((name) => terminal.tourctl(`origins add ${slug} ${name}.example`)));
    expect((await terminal.tourctl(`origins list ${slug} --json`)).json.origins).toHaveLength(3);
  });
});
