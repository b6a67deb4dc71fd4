import { mintCredentialToken } from '../../services/api/credentials/token';
import { databaseCredentials } from '../../services/api/credentials/credential-source';
import {
  isOriginOfSomeLiveToken,
  verifyWidgetToken,
  verifyWidgetTokenById,
} from '../../services/api/credentials/verify-credential';
import { withAnotherSecret } from '../support/forged-token';
import { expectPages, useTestTerminal } from './terminal';

const terminal = useTestTerminal({ PUBLIC_BASE_URL: 'https://tours.example/' });
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

let tenants = 0;
const givenTenant = async () => {
  const slug = `tenant-${++tenants}`;
  await terminal.tourctl(`tenant create --slug ${slug} --name T`);
  return slug;
};
const issue = async (slug: string, flags = '') =>
  (await terminal.tourctl(`widget issue ${slug} --json ${flags}`.trim())).json;
const change = (id: string, row: object) => terminal.db('widget_tokens').where({ id }).update(row);
const verify = (token: string) => verifyWidgetToken(databaseCredentials(terminal.db), undefined, token);

describe('tourctl widget issue', () => {
  it('tourctl widget issue prints HTML that contains the token and can be pasted unchanged', async () => {
    const { stdout, stderr } = await terminal.tourctl('widget issue acme');
    expect(stderr).toContain(`data-token="${stdout.trim()}"></script>`);
    expect(stderr).toContain(`/embed/tours?token=${stdout.trim()}"></iframe>`);
    expect(stderr).not.toContain('<the token>');
  });

  it('tourctl widget issue answers with the token and the snippet', async () => {
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

  it("a token without origins uses the tenant's current origins", async () => {
    const slug = await givenTenant();
    const { token } = await issue(slug);
    expect((await verify(token)).origins).toEqual([]);
    await terminal.tourctl(`origins add ${slug} https://a.example`);
    expect((await verify(token)).origins).toEqual(['https://a.example']);
    await terminal.tourctl(`origins set ${slug} https://b.example`);
    expect((await verify(token)).origins).toEqual(['https://b.example']);
  });

  it('tourctl widget issue warns if no site may show the widget', async () => {
    const slug = await givenTenant();
    const { code, stderr } = await terminal.tourctl(`widget issue ${slug}`);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: no site may show the widget yet');
    const json = await terminal.tourctl(`widget issue ${slug} --json`);
    expect(JSON.parse(json.stderr).warning.message).toContain('no site may show the widget yet');
  });

  it('tourctl widget issue reports a usage error for an invalid origin', async () => {
    const { code, error } = await terminal.tourctl(
      'widget issue acme --origin https://*.acme.example --json',
    );
    expect([code, error.message]).toEqual([2, expect.stringContaining('--origin "https://*.acme.example"')]);
  });

  it('tourctl widget issue refuses more than twenty origins', async () => {
    const flags = Array.from({ length: 21 }, (_, i) => `--origin https://s${i}.example`).join(' ');
    expect(await terminal.refusal(`widget issue acme ${flags}`)).toBe('1 too_many_origins');
  });
});

describe('a widget token', () => {
  it('rotation keeps the origins, and the old token stays valid during the grace period', async () => {
    const old = await issue('acme', '--origin https://a.example');
    const json = await terminal.json(`widget rotate ${old.id}`);
    expect(json).toMatchObject({ tenant: 'acme', origins: ['https://a.example'] });
    expect((await verify(json.token)).familyId).toBe(old.id);
    await expect(verify(old.token)).resolves.toMatchObject({ tokenId: old.id });
  });

  it("a rotated token without origins uses the tenant's current origins", async () => {
    const slug = await givenTenant();
    const { id } = await issue(slug);
    const { token } = await terminal.json(`widget rotate ${id}`);
    await terminal.tourctl(`origins add ${slug} https://later.example`);
    expect((await verify(token)).origins).toEqual(['https://later.example']);
  });

  it('the refusal of an ended token has a reason only if the secret is right', async () => {
    const slug = await givenTenant();
    const [revoked, expired, rotated] = [
      await issue(slug),
      await issue(slug, '--expires-in 1d'),
      await issue(slug),
    ];
    await terminal.tourctl(`widget revoke ${revoked.id} --yes`);
    await terminal.tourctl(`widget rotate ${rotated.id} --grace 0 --yes`);
    await change(expired.id, { expires_at: '2020-01-01T00:00:00Z' });
    const closed = await givenTenant();
    const orphan = await issue(closed);
    await terminal.tourctl(`tenant close ${closed} --yes`);
    const code = 'invalid_widget_token';
    for (const [{ id, token }, reason] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
      [rotated, 'revoked'],
      [orphan, 'tenant_inactive'],
    ] as const) {
      const refusal = { code, proven: true, reason };
      await expect(verify(token)).rejects.toMatchObject(refusal);
      await expect(verifyWidgetTokenById(databaseCredentials(terminal.db), id)).rejects.toMatchObject(
        refusal,
      );
      await expect(verify(withAnotherSecret(token))).rejects.toMatchObject({ code, proven: false });
    }
    for (const token of [mintCredentialToken('widget_token').token, 'nonsense', '']) {
      await expect(verify(token)).rejects.toMatchObject({ code, proven: false });
    }
  });

  it('an API key gets the code wrong_credential_type only if its secret is right', async () => {
    const forged = mintCredentialToken('api_key').token;
    await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_widget_token' });
    const { key } = (await terminal.json('key issue acme --scope catalog:read')) as { key: string };
    await expect(verify(key)).rejects.toMatchObject({ code: 'wrong_credential_type' });
  });

  it('verification by id accepts a live token', async () => {
    const { id } = await issue('acme', '--origin https://a.example');
    const principal = await verifyWidgetTokenById(databaseCredentials(terminal.db), id);
    expect(principal).toMatchObject({
      tokenId: id,
      origins: ['https://a.example'],
      tenant: { slug: 'acme' },
    });
  });

  it('tourctl widget list does not print the secret', async () => {
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
  it('tourctl widget list warns of unused tokens and of tokens that expire soon', async () => {
    const slug = await givenTenant();
    const [unused, ending] = [await issue(slug), await issue(slug, '--expires-in 3d')];
    await change(unused.id, { created_at: '2026-01-01T00:00:00Z' });
    const { items } = await terminal.json(`widget list ${slug}`);
    expect(items.map((token: { id: string; warnings: string[] }) => [token.id, token.warnings])).toEqual([
      [ending.id, ['expires_soon']],
      [unused.id, ['never_used']],
    ]);
    const { stderr } = await terminal.tourctl(`widget list ${slug}`);
    expect(stderr).toContain(`tourctl widget revoke ${unused.id}`);
    expect(stderr).toContain(`tourctl widget rotate ${ending.id}`);
  });

  it('tourctl widget list says when it does not show all tokens, and --after <id> lists the next ones', async () => {
    const slug = await givenTenant();
    for (let i = 0; i < 3; i++) await issue(slug);
    await expectPages(terminal, `widget list ${slug}`);
  });

  it('tourctl widget list --after refuses a token that does not exist', async () => {
    const list = `widget list ${await givenTenant()}`;
    expect(await terminal.refusal(`${list} --after AAAAAAAAAAAA`)).toBe('1 widget_token_not_found');
  });

  it('tourctl widget list filters tokens by status', async () => {
    const slug = await givenTenant();
    const [live, gone] = [await issue(slug), await issue(slug)];
    await terminal.tourctl(`widget revoke ${gone.id} --yes`);
    const idsOf = async (status: string) =>
      (await terminal.json(`widget list ${slug} --status ${status}`)).items.map(
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

  it('isOriginOfSomeLiveToken accepts the origin of a token until the token is revoked', async () => {
    const { id } = await issue('acme', '--origin https://own.example');
    expect(await listed('https://own.example')).toBe(true);
    await terminal.tourctl(`widget revoke ${id} --yes`);
    expect(await listed('https://own.example')).toBe(false);
  });

  it("isOriginOfSomeLiveToken accepts the tenant's origins if a live token has none", async () => {
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
  it('tourctl origins adds, lists, removes and replaces origins, sorted and without duplicates', async () => {
    const slug = await givenTenant();
    const answer = async (line: string) => terminal.json(`origins ${line}`);
    expect(await answer(`list ${slug}`)).toEqual({ tenant: slug, origins: [] });
    const added = await answer(`add ${slug} https://www.a.example a.example https://A.example/`);
    expect(added).toEqual({ tenant: slug, origins: ['https://a.example', 'https://www.a.example'] });
    expect((await answer(`add ${slug} https://b.example`)).origins).toHaveLength(3);
    expect((await answer(`remove ${slug} a.example b.example --yes`)).origins).toEqual([
      'https://www.a.example',
    ]);
    expect((await answer(`set ${slug} https://c.example`)).origins).toEqual(['https://c.example']);
  });

  it('tourctl origins takes a list with commas, like the flag --origin', async () => {
    const slug = await givenTenant();
    const list = async (line: string) => (await terminal.json(`origins ${line}`)).origins;
    expect(await list(`set ${slug} a.example,https://b.example`)).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
    expect(await list(`add ${slug} c.example,d.example`)).toHaveLength(4);
    expect(await list(`remove ${slug} c.example,d.example --yes`)).toHaveLength(2);
    const { code, error } = await terminal.tourctl(`origins set ${slug} a.example, --json`);
    expect([code, error.message]).toEqual([2, '<origin> has an empty value between commas']);
  });

  it('tourctl origins requires a confirmation before it removes an origin', async () => {
    const slug = await givenTenant();
    await terminal.tourctl(`origins add ${slug} a.example`);
    expect((await terminal.tourctl(`origins remove ${slug} a.example`)).code).toBe(2);
    expect((await terminal.tourctl(`origins list ${slug}`)).stdout).toBe('https://a.example\n');
  });

  it('tourctl origins removes the listed origins and names each one that was not listed', async () => {
    const slug = await givenTenant();
    await terminal.tourctl(`origins add ${slug} a.example`);
    const { stdout, stderr } = await terminal.tourctl(`origins remove ${slug} a.example b.example --yes`);
    expect(stdout.trim()).toBe('');
    expect(stderr).toBe(
      `warning: b.example was not listed, so it was not removed: tourctl origins list ${slug}\n`,
    );
  });

  it('tourctl origins removes an origin that an earlier release allowed and this release refuses', async () => {
    const slug = await givenTenant();
    const origins = ['https://shop.internal'];
    await terminal.db('tenants').where({ slug }).update({ origins });
    expect(await terminal.json(`origins remove ${slug} https://shop.internal --yes`)).toMatchObject({
      origins: [],
    });
  });

  it('tourctl origins shows in which form an origin is stored', async () => {
    const slug = await givenTenant();
    const { stdout, stderr } = await terminal.tourctl(`origins add ${slug} münchen.de`);
    expect(stdout).toBe('https://xn--mnchen-3ya.de\n');
    expect(stderr).toContain('münchen.de is stored as https://xn--mnchen-3ya.de');
  });

  it('tourctl origins refuses an invalid origin with the reason, and adds nothing', async () => {
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
    expect((await terminal.json(`origins list ${slug}`)).origins).toEqual([]);
  });

  it('tourctl origins names the origins to write instead of a wildcard', async () => {
    const slug = await givenTenant();
    const { error } = await terminal.tourctl(`origins add ${slug} https://*.acme.example --json`);
    expect(error.message).toContain(
      'write each site, such as https://acme.example and https://www.acme.example',
    );
  });

  it('the database refuses a wildcard origin', async () => {
    const slug = await givenTenant();
    const write = terminal
      .db('tenants')
      .where({ slug })
      .update({ origins: ['https://*.acme.example'] });
    await expect(write).rejects.toThrow('tenants_origins_no_wildcard');
  });

  it.each(['origins add SLUG', 'origins set SLUG', 'widget issue SLUG --origin'])(
    'tourctl %s refuses http://localhost without --dev, and names --dev as the cure',
    async (line) => {
      const command = `${line.replace('SLUG', await givenTenant())} http://localhost:8080`;
      const { code, stderr } = await terminal.tourctl(command);
      expect([code, stderr]).toEqual([2, expect.stringContaining('for development: add --dev, ')]);
      expect((await terminal.tourctl(`${command} --dev`)).code).toBe(0);
    },
  );

  it('tourctl origins allows http://localhost with --dev only for a tenant on trial', async () => {
    const slug = await givenTenant();
    expect((await terminal.tourctl(`origins add ${slug} http://localhost:3000 --dev`)).code).toBe(0);
    await terminal.tourctl(`tenant activate ${slug}`);
    expect(await terminal.refusal(`origins set ${slug} http://localhost:3001 --dev`)).toBe(
      '1 origin_refused',
    );
    expect(
      (await terminal.tourctl(`widget issue ${slug} --origin http://localhost:3000 --dev --json`)).code,
    ).toBe(1);
  });

  it('tourctl origins allows twenty origins at most', async () => {
    const slug = await givenTenant();
    const twenty = Array.from({ length: 20 }, (_, i) => `s${i}.example`).join(' ');
    expect((await terminal.tourctl(`origins set ${slug} ${twenty}`)).code).toBe(0);
    expect(await terminal.refusal(`origins add ${slug} one-more.example`)).toBe('1 too_many_origins');
  });

  it('tourctl origins loses no origin when three commands add one at once', async () => {
    const slug = await givenTenant();
    await Promise.all(['a', 'b', 'c'].map((name) => terminal.tourctl(`origins add ${slug} ${name}.example`)));
    expect((await terminal.json(`origins list ${slug}`)).origins).toHaveLength(3);
  });
});
