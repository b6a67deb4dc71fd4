import { loadConfig } from '../../services/platform/config';
import type { Variable } from '../../services/platform/read-variable';
import { VARIABLES } from '../../services/platform/config/variables';
import { runOnce } from './run-once';
import { useTestTerminal } from './terminal';

const SECRET = 'hunter2-hunter2-hunter2-hunter2-';

const terminal = useTestTerminal();

/** Runs a command line with only these settings. */
const under = (env: Record<string, string>, line: string) => runOnce(line, { env });

const variables = Object.entries(VARIABLES) as [string, Variable][];
/** An invalid value for every variable that can be invalid. */
const WRONG = '\u0001 wrong';

describe('the table of configuration variables', () => {
  it('has exactly the variables that are read', () => {
    const read = new Set<string>();
    const recorder = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name));
          return undefined;
        },
      },
    );
    loadConfig(recorder);
    expect([...read].sort()).toEqual(variables.map(([name]) => name).sort());
  });

  it.each(variables.filter(([name]) => !['DATA_DIR'].includes(name)))(
    'describes %s with the words of the error',
    (name, { mustBe }) => {
      const half = { CACHE_REST_URL: 'CACHE_REST_TOKEN', CACHE_REST_TOKEN: 'CACHE_REST_URL' }[name];
      const env = {
        [name]: /KEY|PEPPER/.test(name) ? 'short' : WRONG,
        ...(half && { [half]: half.endsWith('URL') ? 'https://store.example' : 'token' }),
      };
      expect(() => loadConfig(env)).toThrow(`${name} must be ${mustBe}`);
    },
  );
});

describe('tourctl config list', () => {
  const settings = async (env: Record<string, string>) => {
    const { items } = (await under(env, 'config list --json')).json;
    return Object.fromEntries(items.map((item: { variable: string }) => [item.variable, item]));
  };

  it('shows the effective value, and whether the environment, a default or a generated file gives it', async () => {
    const { API_PORT, HOST, PUBLIC_BASE_URL, REDIS_URL, SECRETS_KEY, KEY_PEPPER } = await settings({
      API_PORT: '4100',
      KEY_PEPPER: SECRET,
    });
    expect(API_PORT).toEqual({
      variable: 'API_PORT',
      value: '4100',
      source: 'environment',
      secret: false,
      about: 'port of the API',
      must_be: 'a whole number from 1 to 65535',
      fault: null,
    });
    expect(HOST).toMatchObject({ value: '127.0.0.1', source: 'default' });
    expect(PUBLIC_BASE_URL).toMatchObject({ value: 'http://127.0.0.1:4100', source: 'default' });
    expect(REDIS_URL).toMatchObject({ value: null, source: 'unset' });
    expect(SECRETS_KEY).toMatchObject({ value: null, source: 'generated', secret: true });
    expect(KEY_PEPPER).toMatchObject({ value: null, source: 'environment', secret: true });
  });

  it('needs no database and no valid settings, and names the invalid ones', async () => {
    const { code, stdout, stderr } = await under(
      { API_PORT: 'x', DATABASE_URL: 'postgres://db/x' },
      'config list',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^API_PORT +\(wrong\) +environment/m);
    expect(stderr).toContain('3 settings are wrong, and no service starts');
  });

  it.each([
    'config list',
    'config list --json',
    'config check',
    'config show DATABASE_URL',
    'config get DATABASE_URL',
    'config --help',
    'up --help',
  ])('shows no secret, like the other verbs: %s (T48)', async (line) => {
    const env = {
      SECRETS_KEY: SECRET,
      CURSOR_KEY: SECRET,
      KEY_PEPPER: SECRET,
      DATABASE_URL: `postgres://app:${SECRET}@db.internal/tours?password=${SECRET}`,
      DATABASE_DIRECT_URL: `postgres://app:${SECRET}@direct.internal/tours`,
    };
    const stores: Record<string, string>[] = [
      { REDIS_URL: `redis://app:${SECRET}@cache.internal` },
      { CACHE_REST_URL: 'https://cache.internal', CACHE_REST_TOKEN: SECRET },
    ];
    for (const store of stores) {
      const { code, stdout, stderr } = await under({ ...env, ...store }, line);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('shows only what the environment sets with --set', async () => {
    const { json } = await under({ HOST: '::1', UNRELATED: 'x' }, 'config list --set --json');
    expect(json.items).toEqual([expect.objectContaining({ variable: 'HOST', value: '::1' })]);
  });
});

describe('tourctl config get', () => {
  it('prints the value alone', async () => {
    expect((await under({ API_PORT: '4100' }, 'config get PUBLIC_BASE_URL')).stdout).toBe(
      'http://127.0.0.1:4100\n',
    );
    expect((await under({}, 'config get api-port')).stdout).toBe('3000\n');
  });

  it.each([
    ['SECRETS_KEY', { SECRETS_KEY: SECRET }, 'SECRETS_KEY is a secret and never shown'],
    ['REDIS_URL', {}, 'REDIS_URL is not set'],
    ['API_PORT', { API_PORT: 'x' }, 'API_PORT must be a whole number'],
  ])('refuses %s under %j', async (name, env, message) => {
    const { code, stdout, stderr } = await under(env, `config get ${name}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('reports a usage error for an unknown variable', async () => {
    const { code, stderr } = await under({}, 'config get API_PROT');
    expect([code, stderr]).toEqual([2, expect.stringContaining('(Did you mean API_PORT?)')]);
  });
});

describe('tourctl config check', () => {
  it('lists all issues at once, while a service stops at the first', async () => {
    const env = {
      API_PORT: '99999',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgres://db/x',
      CACHE_REST_TOKEN: 'a',
    };
    const { code, json, error } = await under(env, 'config check --json');
    expect([code, error.code]).toEqual([1, 'invalid_configuration']);
    expect(json.ok).toBe(false);
    expect(json.faults.map((fault: { variable: string }) => fault.variable).sort()).toEqual([
      'API_PORT',
      'CACHE_REST_URL',
      'CURSOR_KEY',
      'LOG_LEVEL',
      'SECRETS_KEY',
    ]);
  });

  it('fails where required variables are invalid', async () => {
    const env = { DATABASE_URL: 'postgres://db/x', CURSOR_KEY: 'short', SECRETS_KEY: 'short' };
    const { code, json } = await under(env, 'config check --json');
    expect([code, json.faults.length]).toEqual([1, 2]);
  });

  it('notices a misspelt name', async () => {
    const { code, json } = await under({ WEBHOOK_RETENTION_DAY: '7', HOME: '/root' }, 'config check --json');
    expect(code).toBe(0);
    expect(json.notices).toContainEqual({
      variable: 'WEBHOOK_RETENTION_DAY',
      message: expect.stringContaining('did you mean WEBHOOK_RETENTION_DAYS?'),
    });
  });

  it('succeeds with valid settings', async () => {
    const { code, stdout, stderr } = await under(terminal.env, 'config check');
    expect([code, stdout, stderr]).toEqual([0, 'The services would start on these settings\n', '']);
  });
});
