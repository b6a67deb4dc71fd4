import { loadConfig } from '../../services/platform/config';

const KEY = 'k3y'.repeat(12);
const OWN_DATABASE = { DATABASE_URL: 'postgres://u:hunter2@db/x', SECRETS_KEY: KEY, CURSOR_KEY: KEY };

describe('the configuration', () => {
  it('needs nothing', () => {
    expect(loadConfig({})).toMatchObject({
      ...{
        host: '127.0.0.1',
        apiPort: 3000,
        webhookQueuePort: 3001,
        metricsPort: 9464,
        dataDir: '.data',
        replicas: 1,
      },
      ...{ publicBaseUrl: 'http://127.0.0.1:3000', trustProxy: false, logLevel: 'info', cdnCache: false },
      quotas: { availability: 240, hold: 60, booking: 60, catalog: 600, widget: 600 },
      webhooks: { allowPrivateTargets: false, retentionDays: 90 },
    });
    expect(loadConfig({}).databaseUrl).toBeUndefined();
  });

  it('takes an empty variable for one that is not set', () => {
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
  ])('reads the boolean %s as %s', (text, expected) => {
    const config = loadConfig({ CDN_CACHE: text, WEBHOOK_ALLOW_PRIVATE_TARGETS: text });
    expect([config.cdnCache, config.webhooks.allowPrivateTargets]).toEqual([expected, expected]);
  });

  it('makes the public address of the port, and drops a trailing slash of a given one', () => {
    expect(loadConfig({ API_PORT: '4000' }).publicBaseUrl).toBe('http://127.0.0.1:4000');
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
  ])('reads TRUST_PROXY %j as %j', (value, expected) => {
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
    ['REDIS_URL', 'redis://u:hunter2@cache'],
    ['CACHE_REST_TOKEN', 'hunter2'],
    ['WEBHOOK_RETRY_SCHEDULE', 'often'],
    ['WEBHOOK_RETENTION_DAYS', '0'],
  ])('refuses %s=%s in one line that names the variable and no secret', (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} must be [^\\n]+$`));
    expect(message).not.toContain('hunter2');
  });

  it.each(['SECRETS_KEY', 'CURSOR_KEY'])('needs %s with a database of its own', (name) => {
    const message = refusal({ ...OWN_DATABASE, [name]: '' });
    expect(message).toMatch(new RegExp(`^${name} must be set`));
    expect(loadConfig(OWN_DATABASE).secrets).toEqual({
      secretsKey: KEY,
      cursorKey: KEY,
      keyPepper: undefined,
    });
  });

  it('refuses two kinds of shared store', () => {
    const message = refusal({
      REDIS_URL: 'redis://u:hunter2@a',
      CACHE_REST_URL: 'https://b',
      CACHE_REST_TOKEN: 'hunter2',
    });
    expect(message).toMatch(/^REDIS_URL must be unset/);
    expect(message).not.toContain('hunter2');
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
