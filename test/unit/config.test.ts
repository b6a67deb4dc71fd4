import { loadConfig, missingSecrets } from '../../services/platform/config/config';

const KEY = 'k3y'.repeat(12);
const OWN_DATABASE = { DATABASE_URL: 'postgres://u:hunter2@db/x', SECRETS_KEY: KEY, CURSOR_KEY: KEY };

describe('the configuration', () => {
  it('the configuration needs no variable', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      apiPort: 3000,
      webhookQueuePort: 3001,
      metricsPort: 9464,
      dataDir: '.data',
      databaseStandbys: 0,
      replicas: 1,
      publicBaseUrl: 'http://127.0.0.1:3000',
      trustProxy: false,
      logLevel: 'info',
      cdnCache: false,
      quotas: { availability: 240, hold: 60, booking: 60, catalog: 600, widget: 600 },
      webhooks: { allowPrivateTargets: false, retentionDays: 90 },
    });
    expect(loadConfig({}).databaseUrl).toBeUndefined();
  });

  it('the configuration treats an empty variable as unset', () => {
    const names = [
      'API_PORT',
      'DATABASE_URL',
      'TRUST_PROXY',
      'LOG_LEVEL',
      'CDN_CACHE',
      'KEY_PEPPER',
      'CATALOG_RPM',
    ];
    expect(loadConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(loadConfig({}));
  });

  it.each([
    ...['1', 'true', 'on', 'yes', 'TRUE', 'Yes'].map((text) => [text, true] as const),
    ...['0', 'false', 'off', 'no', 'OFF', 'No'].map((text) => [text, false] as const),
  ])('the configuration reads the boolean %s as %s', (text, expected) => {
    const config = loadConfig({ CDN_CACHE: text, WEBHOOK_ALLOW_PRIVATE_TARGETS: text });
    expect([config.cdnCache, config.webhooks.allowPrivateTargets]).toEqual([expected, expected]);
  });

  it('the configuration builds the public address from the port', () => {
    expect(loadConfig({ API_PORT: '4000' }).publicBaseUrl).toBe('http://127.0.0.1:4000');
  });

  it('the configuration drops a trailing slash from the public address', () => {
    expect(loadConfig({ PUBLIC_BASE_URL: 'https://api.example.com/' }).publicBaseUrl).toBe(
      'https://api.example.com',
    );
  });

  it.each<[string, unknown]>([
    ['', false],
    ['off', false],
    ['0', false],
    ['1', 1],
    ['12', 12],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['127.0.0.1', ['127.0.0.1']],
  ])('the configuration reads TRUST_PROXY %j as %j', (value, expected) => {
    expect(loadConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
  });

  it.each([
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'on'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '1.5'],
    ['TRUST_PROXY', '100'],
    ['TRUST_PROXY', '10.1/8'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '10.0.0.0/8,everyone'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['CDN_CACHE', 'maybe'],
    ['CDN_CACHE', '2'],
    ['WEBHOOK_ALLOW_PRIVATE_TARGETS', 'y'],
    ['API_PORT', '0'],
    ['API_PORT', '65536'],
    ['API_PORT', '3e3'],
    ['METRICS_PORT', '-1'],
    ['WEBHOOK_QUEUE_PORT', 'http'],
    ['GATEWAY_AVAILABILITY_RPM', '0'],
    ['GATEWAY_HOLD_RPM', 'many'],
    ['GATEWAY_BOOKING_RPM', '1.5'],
    ['CATALOG_RPM', '-5'],
    ['WIDGET_RPM', '1e9'],
    ['REPLICAS', '0'],
    ['LOG_LEVEL', 'verbose'],
    ['PUBLIC_BASE_URL', 'api.example.com'],
    ['PUBLIC_BASE_URL', 'ftp://api.example.com'],
    ['DATABASE_URL', 'mysql://u:hunter2@db/x'],
    ['DATABASE_URL', 'hunter2'],
    ['DATABASE_DIRECT_URL', 'https://u:hunter2@db'],
    ['SECRETS_KEY', 'hunter2'],
    ['CURSOR_KEY', 'hunter2'],
    ['KEY_PEPPER', 'hunter2'],
    ['REDIS_URL', 'http://u:hunter2@cache'],
    ['REDIS_URL', 'redis://u:hunter2@a,b'],
    ['REDIS_URL', 'redis://u:hunter2@a:70000'],
    ['REDIS_URL', 'redis://u:hunter2@a/first'],
    ['REDIS_URL', 'redis://hunter2@a'],
    ['REDIS_URL', 'redis://u:hunter2%zz@a'],
    ['REDIS_URL', 'redis://u:hunter2@a?family=6'],
    ['REDIS_URL', 'redis://u:hunter2@'],
    ['REDIS_URL', 'redis+sentinel://u:hunter2@a'],
    ['REDIS_URL', 'redis+sentinel://u:hunter2@a,,b/group'],
    ['REDIS_URL', 'redis+cluster://u:hunter2@a/1'],
    ['REDIS_URL', 'redis+mirror://u:hunter2@a'],
    ['CACHE_REST_URL', 'redis://u:hunter2@cache'],
    ['WEBHOOK_RETRY_SCHEDULE', 'often'],
    ['WEBHOOK_RETENTION_DAYS', '0'],
  ])('the configuration refuses %s=%s in one line that names the variable and no secret', (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} must be [^\\n]+$`));
    expect(message).not.toContain('hunter2');
  });

  it('the configuration requires SECRETS_KEY and CURSOR_KEY where DATABASE_URL is set', () => {
    const config = loadConfig({ ...OWN_DATABASE, SECRETS_KEY: '', CURSOR_KEY: '' });
    expect(missingSecrets(config).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^SECRETS_KEY must be set/),
      expect.stringMatching(/^CURSOR_KEY must be set/),
    ]);
    expect([missingSecrets(loadConfig(OWN_DATABASE)), missingSecrets(loadConfig({}))]).toEqual([[], []]);
    expect(loadConfig(OWN_DATABASE).secrets).toEqual({
      secretsKey: KEY,
      cursorKey: KEY,
      keyPepper: undefined,
    });
  });

  it.each([
    [{ CACHE_REST_TOKEN: 'hunter2' }, /^CACHE_REST_URL must be set where CACHE_REST_TOKEN is set$/],
    [{ CACHE_REST_URL: 'https://b' }, /^CACHE_REST_TOKEN must be set where CACHE_REST_URL is set$/],
    [{ CACHE_REST_URL: 'https://u:hunter2@b', CACHE_REST_TOKEN: 't' }, /^CACHE_REST_URL must be an address/],
    [{ CACHE_REST_URL: 'https://b', CACHE_REST_TOKEN: 'hunter2 x' }, /^CACHE_REST_TOKEN must be visible/],
    [{ CACHE_REST_URL: 'https://b', CACHE_REST_TOKEN: 'hunter2\r\nx' }, /^CACHE_REST_TOKEN must be visible/],
    [{ REDIS_URL: 'redis://a', CACHE_REST_TOKEN: 'hunter2' }, /^REDIS_URL must be left out/],
    [
      { REDIS_URL: 'redis://u:hunter2@a', CACHE_REST_URL: 'https://b', CACHE_REST_TOKEN: 'hunter2' },
      /^REDIS_URL must be left out/,
    ],
  ])(
    'the configuration refuses variables of the shared store that are incomplete, malformed or in conflict (%#)',
    (env: Record<string, string>, expected) => {
      expect(refusal(env)).toMatch(expected);
      expect(refusal(env)).not.toContain('hunter2');
    },
  );

  it.each<[string, object]>([
    ['redis://cache', { form: 'single', hosts: [{ host: 'cache', port: 6379 }], tls: false, database: 0 }],
    [
      'rediss://u:p%40ss%3A@cache.example:6380/2',
      {
        form: 'single',
        hosts: [{ host: 'cache.example', port: 6380 }],
        tls: true,
        database: 2,
        username: 'u',
        password: 'p@ss:',
      },
    ],
    [
      'redis://:secret@[::1]:1/',
      { hosts: [{ host: '::1', port: 1 }], username: undefined, password: 'secret' },
    ],
    [
      'redis+sentinel://:secret@a:1,b/group/3?sentinel_password=s%26',
      {
        form: 'sentinel',
        master: 'group',
        database: 3,
        password: 'secret',
        sentinelPassword: 's&',
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26_379 },
        ],
      },
    ],
    [
      'rediss+cluster://a,b:7001',
      {
        form: 'cluster',
        tls: true,
        hosts: [
          { host: 'a', port: 6379 },
          { host: 'b', port: 7001 },
        ],
      },
    ],
  ])('the configuration reads REDIS_URL %s', (url, expected) => {
    expect(loadConfig({ REDIS_URL: url }).sharedStore).toMatchObject({ kind: 'redis', ...expected });
  });

  it('the configuration reads the address and the token of a REST store', () => {
    expect(loadConfig({ CACHE_REST_URL: 'https://b.example/', CACHE_REST_TOKEN: 't' }).sharedStore).toEqual({
      kind: 'rest',
      url: 'https://b.example',
      token: 't',
    });
    expect(loadConfig({}).sharedStore).toBeUndefined();
  });
});

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
}
