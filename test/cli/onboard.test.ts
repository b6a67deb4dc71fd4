import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ONBOARD_FLAGS, describeCommand, type OnboardPlan } from '../../cli/commands/tenant/onboard-plan';
import { flagName } from '../../cli/engine/command';
import { SCOPES } from '../../services/api/credentials/credential';
import { currencyDigits } from '../../services/api/pricing/currency';
import { currencyOfCountry, isCountry } from '../../services/api/tenants/country';
import { givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(async () => {
  await givenTour(terminal.db, { slug: 'nile-by-felucca', continent: 'africa' });
  await givenTour(terminal.db, { slug: 'dolomites', continent: 'europe' });
});

const onboard = (flags: string) => terminal.tourctl(`tenant onboard --json ${flags}`);

const keyIn = (text: string) => /svc_live_\w+/.exec(text)![0];

/** Runs the printed commands in a shell whose curl prints the header of its request. @param pasted lines that run first */
function authorizationOf(notes: string, pasted = ''): string {
  const lines = notes.split('\n').filter((line) => /^(\. |curl )/.test(line));
  const script = [`curl() { printf '%s' "$3"; }`, pasted, ...lines].join('\n');
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
}

const rowsWritten = async () => {
  const tables = ['tenants', 'api_keys', 'widget_tokens', 'price_rules', 'webhook_endpoints', 'audit_log'];
  return Promise.all(
    tables.map(async (table) => Number((await terminal.db(table).count('*').first())!.count)),
  );
};

const actionsOf = async (slug: string) =>
  (await terminal.json(`audit list --tenant ${slug}`)).items
    .map((row: { action: string }) => row.action)
    .reverse();

describe('tourctl tenant onboard', () => {
  it('tourctl tenant onboard creates a tenant with all its parts, and answers with the document of each part', async () => {
    const { code, json, stderr } = await onboard(
      '--name Acme --country CH --continent europe --tour nile-by-felucca --percent 12.5 --round-to 5 ' +
        '--deposit-percent 30 --origin acme.example --scope catalog:read --scope booking:create ' +
        '--website acme.example --key-expires-in 90d --widget-expires-in 365d ' +
        '--webhook https://acme.example/hooks --event booking.created --event booking.cancelled --format standard',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({
      tenant: expect.objectContaining({
        slug: 'acme',
        name: 'Acme',
        status: 'trial',
        country: 'CH',
        currency: 'CHF',
        booking_prefix: 'ACME',
        visibility: 'none',
        deposit_percent: 30,
        origins: ['https://acme.example'],
      }),
      visibility: {
        tenant: 'acme',
        visibility: 'none',
        continents: [{ continent: 'europe', visible: true }],
        tours: [expect.objectContaining({ slug: 'nile-by-felucca', visible: true })],
      },
      price_rule: expect.objectContaining({ applies_to: 'all', percent: 12.5, round_to: 5 }),
      key: expect.objectContaining({
        key: expect.stringMatching(/^svc_live_/),
        scopes: ['catalog:read', 'booking:create'],
        expires_at: expect.stringMatching(/Z$/),
      }),
      widget: expect.objectContaining({
        token: expect.stringMatching(/^svc_widget_/),
        origins: ['https://acme.example'],
        snippet: expect.stringContaining('<iframe'),
      }),
      webhook: expect.objectContaining({
        url: 'https://acme.example/hooks',
        format: 'standard',
        status: 'active',
        events: ['booking.created', 'booking.cancelled'],
        secret: expect.stringMatching(/^whsec_/),
      }),
    });
    const [inspected, shown] = await Promise.all([
      terminal.tourctl('key inspect --json', json.key.key),
      terminal.tourctl('visibility show acme --json'),
    ]);
    expect(inspected.json).toMatchObject({ usable: true, tenant: 'acme' });
    expect(shown.json).toEqual(json.visibility);
  });

  it('tourctl tenant onboard leaves an audit row for each part, in order and without a secret', async () => {
    const { json } = await onboard(
      '--name Audited --tour dolomites --amount -20 --origin audited.example --webhook https://audited.example/',
    );
    expect(await actionsOf('audited')).toEqual([
      'tenant.create',
      'visibility.allow',
      'pricing.add',
      'origins.add',
      'key.issue',
      'widget.issue',
      'webhook.add',
    ]);
    const rows = await terminal.db('audit_log').where({ tenant_id: json.tenant.id }).orderBy('id');
    expect(rows.map(({ actor }) => actor as string)).toEqual(Array(7).fill('olga'));
    expect(rows.map(({ before }) => before as unknown)).toEqual([
      null,
      { tours: [], continents: [] },
      null,
      { origins: [] },
      null,
      null,
      null,
    ]);
    const written = JSON.stringify(rows);
    for (const secret of [json.key.key, json.widget.token, json.webhook.secret]) {
      expect(written).not.toContain(secret);
    }
  });

  it('tourctl tenant onboard requires only a name, and issues a key with every scope, so that it can sell', async () => {
    const { json } = await onboard('--name Żółw-Reisen');
    expect(json.tenant).toMatchObject({ slug: 'zolw-reisen', booking_prefix: 'ZOLWREISEN' });
    expect(json.tenant).toMatchObject({ currency: 'EUR', visibility: 'all', status: 'trial' });
    expect(json).toMatchObject({ price_rule: null, webhook: null, key: { scopes: SCOPES } });
    expect(await actionsOf('zolw-reisen')).toEqual(['tenant.create', 'key.issue', 'widget.issue']);
  });

  it('tourctl tenant onboard issues no key and no widget token with --no-key and --no-widget', async () => {
    const { json } = await onboard('--name Bare --no-key --no-widget');
    expect(json).toMatchObject({ key: null, widget: null, webhook: null });
    expect(await actionsOf('bare')).toEqual(['tenant.create']);
  });

  it('tourctl tenant onboard prints the secrets on stdout and everything else on stderr without --json', async () => {
    const { stdout, stderr } = await terminal.tourctl(
      'tenant onboard --name Person --origin person.example --webhook https://person.example/',
    );
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^API_KEY=svc_live_\w+$/),
      expect.stringMatching(/^WIDGET_TOKEN=svc_widget_\w+$/),
      expect.stringMatching(/^WEBHOOK_SECRET=whsec_\S+$/),
    ]);
    const [key, token, secret] = lines.map((line) => line.split(/=(.*)/)[1]!);
    for (const hidden of [key, secret]) expect(stderr).not.toContain(hidden);
    expect(stderr).toContain('person.example is stored as https://person.example');
    expect(stderr).toContain(`data-token="${token}"`);
    expect(stderr).toContain(`/embed/tours?token=${token}"></iframe>`);
  });

  it('tourctl tenant onboard names the commands that try the key, which work when pasted after its line', async () => {
    const shown = await terminal.tourctl('tenant onboard --name Pasted');
    expect(shown.stderr).toContain('paste its line API_KEY=… into your shell, and then:\ncurl ');
    expect(shown.stderr).toMatch(/^Next, its first booking: http:\S+\/docs\/guide\/first-booking$/m);
    expect(authorizationOf(shown.stderr, shown.stdout)).toBe(`Authorization: Bearer ${keyIn(shown.stdout)}`);
    const file = path.join(folder, "a shop's.env");
    const kept = await terminal.tourctl(['tenant', 'onboard', '--name', 'Kept', '--out', file]);
    expect(authorizationOf(kept.stderr)).toBe(`Authorization: Bearer ${keyIn(readFileSync(file, 'utf8'))}`);
  });

  it('tourctl tenant onboard says that a key without booking:create cannot book, and names no first booking', async () => {
    const { stderr } = await terminal.tourctl('tenant onboard --name Reader --scope catalog:read');
    expect(stderr).toContain('catalog:read (it cannot hold or book)');
    expect(stderr).not.toContain('first booking');
  });

  it('tourctl tenant onboard says how to send a request before the address has DNS', async () => {
    const settings = { PUBLIC_BASE_URL: 'https://tours.example.com', API_PORT: '4100' };
    const { stderr } = await withEnv(terminal, settings, () =>
      terminal.tourctl('tenant onboard --name Early'),
    );
    expect(stderr).toMatch(
      /^Until tours\.example\.com has DNS and TLS, on the server of the API:\ncurl \S.+ "http:\/\/127\.0\.0\.1:4100\/api\//m,
    );
  });

  it('tourctl tenant onboard writes the secrets to a file that only its owner can read', async () => {
    const file = path.join(folder, 'secrets.env');
    const { json } = await onboard(`--name Filed --webhook https://filed.example/ --out ${file}`);
    expect([json.key.key, json.widget.token, json.widget.snippet, json.webhook.secret]).toEqual(
      Array(4).fill(null),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(
      /^API_KEY=svc_live_\w+\nWIDGET_TOKEN=svc_widget_\w+\nWEBHOOK_SECRET=whsec_\S+\n$/,
    );
  });
});

describe('a refused tourctl tenant onboard', () => {
  beforeAll(() => onboard('--name Taken'));

  it.each([
    ['a slug that is taken', '--name Other --slug taken', 'tenant_slug_taken'],
    ['a booking prefix that is taken', '--name Other --booking-prefix TAKEN', 'booking_prefix_taken'],
    ['a tour that does not exist', '--name Other --tour atlantis', 'tour_not_found'],
    ['a continent that no tour is in', '--name Other --continent atlantis', 'continent_not_found'],
    [
      'an amount with more decimals than the currency',
      '--name Other --country JP --amount 0.5',
      'invalid_amount',
    ],
    [
      'a development site for a tenant past its trial',
      '--name Other --status active --origin http://localhost:3000 --dev',
      'origin_refused',
    ],
    [
      'a webhook address inside the network',
      '--name Other --webhook https://10.0.0.1/hooks',
      'invalid_webhook_url',
      2,
    ],
  ])('a refused tourctl tenant onboard writes nothing for %s', async (_, flags, expected, exitCode = 1) => {
    const before = await rowsWritten();
    expect(await terminal.refusal(`tenant onboard ${flags}`)).toBe(`${exitCode} ${expected}`);
    expect(await rowsWritten()).toEqual(before);
  });

  it('a refused tourctl tenant onboard writes nothing if the file for the secrets exists, and keeps that file', async () => {
    const file = path.join(folder, 'kept');
    writeFileSync(file, 'mine');
    const before = await rowsWritten();
    const { code, error } = await onboard(`--name Other --out ${file}`);
    expect([code, error.code, readFileSync(file, 'utf8')]).toEqual([1, 'file_not_written', 'mine']);
    expect(await rowsWritten()).toEqual(before);
  });

  it('a refused tourctl tenant onboard leaves no file for the secrets', async () => {
    const file = path.join(folder, 'never');
    await onboard(`--name Other --slug taken --out ${file}`);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it.each([
    ['', '--name is missing'],
    ['--slug nameless', '--name is missing'],
    [
      '--name 東京ツアー',
      '--slug is missing: the name "東京ツアー" has fewer than two Latin letters or digits',
    ],
    ['--name A', '--slug is missing: the name "A" has fewer than two Latin letters or digits'],
    ['--name A1 --slug A1', '--slug must be 2 to 63 of a-z'],
    ['--name A1 --country XX', '--country must be an ISO 3166 country code'],
    ['--name A1 --visibility all --tour dolomites', '--visibility all and --tour or --continent cannot be'],
    ['--name A1 --percent 1 --amount 1', '--percent and --amount cannot be given together'],
    ['--name A1 --round-to 5', '--round-to must not be given without --percent or --amount'],
    ['--name A1 --origin http://a1.example', '--origin "http://a1.example" must be an origin such as'],
    ['--name A1 --no-key --scope catalog:read', '--no-key and --scope, --website or --key-expires-in cannot'],
    ['--name A1 --no-widget --widget-expires-in 9d', '--no-widget and --widget-expires-in cannot be given'],
    ['--name A1 --event booking.created', '--event or --format must not be given without --webhook'],
    ['--name A1 --webhook hooks', '--webhook must be an address such as'],
    ['--name A1 --no-key --no-widget --out f', '--out must not be given without a key'],
  ])('a refused tourctl tenant onboard writes nothing for the flags "%s"', async (flags, message) => {
    const before = await rowsWritten();
    const { code, error, stdout } = await onboard(flags);
    expect([code, error.code, stdout]).toEqual([2, 'usage_error', '']);
    expect(error.message).toContain(message);
    expect(await rowsWritten()).toEqual(before);
  });
});

it('every country has a default currency that the terminal accepts', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const countries = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry);
  expect(countries.length).toBeGreaterThan(240);
  for (const country of countries) {
    expect([country, currencyDigits(currencyOfCountry(country))]).toEqual([country, expect.any(Number)]);
  }
  expect(['CH', 'VN', 'GB', 'HR', 'US', 'JP'].map(currencyOfCountry)).toEqual(
    'CHF VND GBP EUR USD JPY'.split(' '),
  );
});

const BARE: OnboardPlan = {
  name: 'Acme',
  slug: 'acme',
  sandbox: false,
  status: 'trial',
  country: 'DE',
  currency: { code: 'EUR', digits: 2 },
  visibility: 'all',
  scope: ['catalog:read'],
  key: false,
  widget: false,
};
/** All options; the type ensures that none is missing. */
const WHOLE: Required<OnboardPlan> = {
  ...BARE,
  sandbox: true,
  status: 'active',
  bookingPrefix: 'ACME',
  visibility: 'none',
  depositPercent: '30',
  maxHoldShare: 40,
  linkTemplate: 'https://acme.example/tours/{slug}',
  continent: ['europe'],
  tour: ['dolomites'],
  percent: '12.5',
  amount: '5',
  roundTo: '5',
  origin: ['https://acme.example'],
  dev: true,
  key: true,
  website: 'https://acme.example',
  keyExpiresIn: 86_400,
  widget: true,
  widgetExpiresIn: 86_400,
  webhook: 'https://acme.example/hooks',
  event: ['booking.created'],
  format: 'spec',
  out: 'acme.env',
  yes: true,
};

const flagsOf = (plan: OnboardPlan) => describeCommand(plan).match(/(?<=\s)--[a-z-]+/g) ?? [];

it('tourctl tenant onboard can print each flag of the command in its command line, and no other flag', () => {
  const said = new Set([...flagsOf(WHOLE), ...flagsOf(BARE)]);
  expect([...said].sort()).toEqual([...ONBOARD_FLAGS.map(flagName), '--yes'].sort());
});
