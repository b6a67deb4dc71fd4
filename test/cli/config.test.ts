import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config/config';
import type { Variable } from '../../services/platform/read-variable';
import { VARIABLES } from '../../services/platform/config/variables';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runOnce } from './run-once';
import { useTestTerminal } from './terminal';

const SECRET = 'hunter2-hunter2-hunter2-hunter2-';

const terminal = useTestTerminal();
const emptyDir = useTemporaryFolder();

/** Runs a command line with only these settings. */
const under = (env: Record<string, string>, line: string) => runOnce(line, { env });

const namesOf = (list: { variable: string }[]) => list.map(({ variable }) => variable);
const variables = Object.entries(VARIABLES) as [string, Variable][];
/** An invalid value for every variable that can be invalid. */
const WRONG = '\u0001 wrong';

describe('the table of configuration variables', () => {
  it('the table lists exactly the variables that loadConfig reads', () => {
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
    'the table describes %s in the same words as the error for a wrong value',
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

  it('tourctl config list shows the effective value and the source of each variable', async () => {
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

  it('tourctl config list marks and counts invalid settings, and needs no database', async () => {
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
  ])('no command about settings shows a secret: %s', async (line) => {
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

  it('tourctl config list shows with --set only the variables that the environment sets', async () => {
    const { json } = await under({ HOST: '::1', UNRELATED: 'x' }, 'config list --set --json');
    expect(json.items).toEqual([expect.objectContaining({ variable: 'HOST', value: '::1' })]);
  });
});

describe('tourctl config get', () => {
  it('tourctl config get prints only the value', async () => {
    expect((await under({ API_PORT: '4100' }, 'config get PUBLIC_BASE_URL')).stdout).toBe(
      'http://127.0.0.1:4100\n',
    );
    expect((await under({}, 'config get api-port')).stdout).toBe('3000\n');
  });

  it.each([
    ['SECRETS_KEY', { SECRETS_KEY: SECRET }, 'SECRETS_KEY is a secret and never shown'],
    ['REDIS_URL', {}, 'REDIS_URL is not set'],
    ['API_PORT', { API_PORT: 'x' }, 'API_PORT must be a whole number'],
  ])('tourctl config get %s fails when the settings are %j', async (name, env, message) => {
    const { code, stdout, stderr } = await under(env, `config get ${name}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('tourctl config get reports a usage error for an unknown variable', async () => {
    const { code, stderr } = await under({}, 'config get API_PROT');
    expect([code, stderr]).toEqual([2, expect.stringContaining('(Did you mean API_PORT?)')]);
  });
});

describe('tourctl config check', () => {
  it('tourctl config check lists all invalid settings at once', async () => {
    const env = {
      API_PORT: '99999',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgres://db/x',
      CACHE_REST_TOKEN: 'a',
    };
    const { code, json, error } = await under(env, 'config check --json');
    expect([code, error.code]).toEqual([1, 'invalid_configuration']);
    expect(json.ok).toBe(false);
    expect(namesOf(json.faults).sort()).toEqual([
      'API_PORT',
      'CACHE_REST_URL',
      'CURSOR_KEY',
      'LOG_LEVEL',
      'SECRETS_KEY',
    ]);
  });

  it('tourctl config check fails if required variables are invalid', async () => {
    const env = { DATABASE_URL: 'postgres://db/x', CURSOR_KEY: 'short', SECRETS_KEY: 'short' };
    const { code, json } = await under(env, 'config check --json');
    expect([code, json.faults.length]).toEqual([1, 2]);
  });

  it('tourctl config check notices a misspelt variable', async () => {
    const { code, json } = await under({ WEBHOOK_RETENTION_DAY: '7', HOME: '/root' }, 'config check --json');
    expect(code).toBe(0);
    expect(json.notices).toContainEqual({
      variable: 'WEBHOOK_RETENTION_DAY',
      message: expect.stringContaining('did you mean WEBHOOK_RETENTION_DAYS?'),
    });
  });

  it('tourctl config check notices a data directory without a database, and names what creates one', async () => {
    const { code, json } = await under({ DATA_DIR: emptyDir }, 'config check --json');
    expect([code, json.notices]).toEqual([
      0,
      [
        {
          variable: 'DATA_DIR',
          message: `${emptyDir} has no database: tourctl up or tourctl migrate creates one`,
        },
      ],
    ]);
  });

  it('tourctl config check succeeds with valid settings', async () => {
    const { code, stdout, stderr } = await under(terminal.env, 'config check');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^(set {5}[A-Z_]+ \(environment\)\n)+The services would start on these settings\n$/,
    );
  });
});

describe('the .env file of the working directory', () => {
  const envFile = path.join(useTemporaryFolder(), '.env');
  /** Writes an .env file with this text, and runs a command line that reads the file. */
  const beside = (text: string, line: string, env: Record<string, string> = {}) => {
    writeFileSync(envFile, text);
    return runOnce(line, { env, envFile });
  };

  it('the .env file sets variables that the environment leaves unset, and config shows the source', async () => {
    const text = 'API_PORT=4100\nHOST=::1\nLOG_LEVEL=warn\nPATH=/nowhere\n';
    const env = { HOST: '127.0.0.2', LOG_LEVEL: '' };
    const { json } = await beside(text, 'config list --json', env);
    const found = json.items.map((item: Record<string, string>) => [item.variable, item.value, item.source]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['API_PORT', '4100', '.env'],
        ['HOST', '127.0.0.2', 'environment'],
        ['PUBLIC_BASE_URL', 'http://127.0.0.1:4100', 'default'],
        // An empty value of the environment also takes precedence, and means the default.
        ['LOG_LEVEL', 'info', 'default'],
      ]),
    );
    const set = (await beside(text, 'config list --set --json', env)).json.items;
    expect(namesOf(set)).toEqual(['HOST', 'API_PORT']);
    const check = await beside(text, 'config check', env);
    expect([check.code, check.stdout]).toEqual([
      0,
      expect.stringMatching(/^set {5}HOST \(environment\)\nset {5}API_PORT \(\.env\)\n/),
    ]);
    expect((await beside(text, 'config check --json', env)).json.sources).toMatchObject({
      API_PORT: '.env',
      HOST: 'environment',
      REPLICAS: 'default',
      REDIS_URL: 'unset',
    });
  });

  it('the .env file sets the database of a command', async () => {
    const { DATABASE_URL, ...rest } = terminal.env;
    const { code, json } = await beside(`DATABASE_URL='${DATABASE_URL}'\n`, 'tenant list --json', rest);
    expect([code, json]).toEqual([0, { items: [] }]);
  });

  it('tourctl config check finds invalid values, misspelt names and missing secrets in the .env file', async () => {
    const text = 'API_PORT=x\nDATABASE_URL=postgres://db/x\nWEBHOOK_RETENTION_DAY=7\n';
    const { code, json } = await beside(text, 'config check --json');
    expect([code, namesOf(json.faults)]).toEqual([1, ['API_PORT', 'SECRETS_KEY', 'CURSOR_KEY']]);
    expect(json.notices[0].variable).toBe('WEBHOOK_RETENTION_DAY');
  });

  it.each(['config check', 'config get API_PORT', 'tenant list', 'doctor', 'logs', 'migrate'])(
    'an invalid .env file ends %s with one line',
    async (line) => {
      const { code, stdout, error } = await beside('API_PORT=1\nhunter2\n', `${line} --json`);
      expect([code, stdout, error]).toEqual([
        1,
        '',
        {
          code: 'invalid_configuration',
          message: `${envFile}, line 2, is not NAME=value. Correct the file, or move it away`,
        },
      ]);
    },
  );

  it('an invalid .env file keeps completion silent', async () => {
    const { code, stdout, stderr } = await beside('hunter2', 'completion names -- tenant show a');
    expect([code, stdout.trim(), stderr]).toEqual([0, '', '']);
  });
});
