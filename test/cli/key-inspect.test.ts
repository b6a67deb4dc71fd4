import { mintCredentialToken } from '../../services/api/credentials/token';
import { PEPPER } from '../support/given';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal({ KEY_PEPPER: PEPPER });

beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

const issue = async (flags = '--scope catalog:read') => terminal.json(`key issue acme ${flags}`);

describe('tourctl key inspect', () => {
  const inspect = async (token: string) => (await terminal.tourctl('key inspect --json', token)).json;

  it('tourctl key inspect checks a key from standard input', async () => {
    const { id, key } = await issue();
    expect(await inspect(`${key}\n`)).toEqual({
      usable: true,
      status: 'usable',
      reason: null,
      kind: 'api_key',
      id,
      tenant: 'acme',
      scopes: ['catalog:read'],
      origins: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      browser_seen_at: null,
    });
  });

  it('tourctl key inspect shows when a key was last used, and when in a browser', async () => {
    const { id, key } = await issue();
    const times = { last_used_at: '2026-05-01T08:00:00.000Z', browser_seen_at: '2026-04-30T08:00:00.000Z' };
    await terminal.db('api_keys').where({ id }).update(times);
    expect(await inspect(key)).toMatchObject(times);
  });

  it('tourctl key inspect checks form and checksum without a database', async () => {
    const { id, key } = await issue();
    await withEnv(terminal, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }, async () => {
      const offline = async (text: string, flags = '--offline') => {
        const { json } = await terminal.tourctl(`key inspect --json ${flags}`, text);
        return json;
      };
      expect(await offline(key)).toMatchObject({ usable: null, status: 'well_formed', kind: 'api_key', id });
      expect((await terminal.tourctl('key inspect --json', key)).error.code).toBe('database_unreachable');
      const malformed = async (text: string) => {
        const { usable, status, reason } = await offline(text, '');
        expect([usable, status]).toEqual([false, 'malformed']);
        return reason;
      };
      expect(await malformed(key.replace(/.$/, (last: string) => (last === 'x' ? 'y' : 'x')))).toBe(
        'checksum',
      );
      expect(await malformed(key.slice(0, -1))).toBe('length');
      expect(await malformed(`${key}x`)).toBe('length');
      expect(await malformed(key.replace(/.$/, '\u00e9'))).toBe('characters');
      expect(await malformed('svc_test_0123456789ab')).toBe('unknown_kind');
      expect(await malformed('sk_live_4eC39HqLyjWDarjtT1zdp7dc')).toBe('foreign');
    });
  });

  it.each([
    ['a header', (key: string) => `Authorization: Bearer ${key}`],
    ['a settings file', (key: string) => `TOURS_API_KEY="${key}"\n`],
    ['an address', (key: string) => `https://api.example/api/tenant/catalog?api_key=${key}&limit=5`],
  ])('tourctl key inspect finds the key in pasted text: %s', async (_, around) => {
    const { id, key } = await issue();
    expect(await inspect(around(key))).toMatchObject({ usable: true, id });
  });

  it('tourctl key inspect refuses input with two keys', async () => {
    const { code, error } = await terminal.tourctl(
      'key inspect --json',
      `${(await issue()).key} ${(await issue()).key}`,
    );
    expect([code, error.message]).toEqual([2, expect.stringContaining('there are 2')]);
  });

  it('tourctl key inspect names the command that revokes a leaked credential', async () => {
    const { id, key } = await issue();
    expect((await terminal.tourctl('key inspect --offline', key)).stdout).toContain(
      `tourctl key revoke ${id}`,
    );
    const { token } = await terminal.json('widget issue acme');
    expect((await terminal.tourctl('key inspect', token)).stdout).toContain('tourctl widget revoke');
  });

  it('tourctl key inspect checks a widget token like a key', async () => {
    const { token } = await terminal.json('widget issue acme --origin acme.example');
    expect(await inspect(token)).toMatchObject({
      usable: true,
      kind: 'widget_token',
      origins: ['https://acme.example'],
    });
  });

  it('tourctl key inspect says why the API refuses a key', async () => {
    const { id, key } = await issue();
    await terminal.tourctl(`key revoke ${id} --yes`);
    expect(await inspect(key)).toMatchObject({ usable: false, status: 'revoked', id });
    expect(await inspect('svc_live_nonsense')).toMatchObject({
      usable: false,
      status: 'malformed',
      id: null,
    });
    expect(await inspect(mintCredentialToken('api_key').token)).toMatchObject({
      usable: false,
      status: 'unknown',
    });
  });

  it('tourctl key inspect does not repeat the secret', async () => {
    const { key } = await issue();
    const { stdout, stderr } = await terminal.tourctl('key inspect', key);
    expect(stdout + stderr).not.toContain(key.slice(22));
  });

  it('tourctl key inspect reports a usage error without input', async () => {
    expect((await terminal.tourctl('key inspect --json')).code).toBe(2);
  });
});
