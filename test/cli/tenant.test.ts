import { givenTour } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();

const lineOf = (slug: string, flags: string) => `tenant create --slug ${slug} --name Acme ${flags}`;
const create = (slug: string, flags = '') => terminal.tourctl(`${lineOf(slug, flags)} --json`);
const listed = async (flags = '') =>
  (await terminal.json(`tenant list ${flags}`)).items.map((tenant: { slug: string }) => tenant.slug);
const refusal = (slug: string, flags: string) => terminal.refusal(lineOf(slug, flags));

describe('tourctl tenant create', () => {
  it('tourctl tenant create answers with the tenant and all its settings', async () => {
    const { code, json, stderr } = await create('acme');
    expect(code).toBe(0);
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      slug: 'acme',
      name: 'Acme',
      sandbox: false,
      status: 'trial',
      booking_prefix: 'ACME',
      currency: 'EUR',
      sell_in: 'none',
      country: 'DE',
      visibility: 'all',
      deposit_percent: 20,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      payment_method: 'bank',
      payment_window: '72h',
      payment_reminder: '24h',
      payment_note: null,
      hold_default: 15,
      hold_max: 60,
      max_holds: 1000,
      max_unpaid: 1000,
      max_hold_trips: 20,
      max_hold_share: 100,
      desk_discount: 100,
      availability_rpm: null,
      hold_rpm: null,
      booking_rpm: null,
      catalog_rpm: null,
      link_template: null,
      brand_color: null,
      brand_logo: null,
      brand_radius: null,
      brand_font: null,
      origins: [],
    });
    expect(stderr).toBe('');
  });

  it('tourctl tenant create accepts every setting', async () => {
    const { json } = await create(
      'tokyo-tours',
      '--status active --currency jpy --country jp --booking-prefix TYO --visibility none --deposit-percent 12.5 ' +
        '--payment-method card --payment-window none --payment-reminder 90m --hold-default 10 --hold-max 20m --max-holds 5 --max-unpaid 6 --max-hold-share 50 --availability-rpm 1000 --hold-rpm 1 --booking-rpm 1000000 --catalog-rpm none ' +
        '--link-template https://t.example/{slug} --brand-color #ABCDEF --brand-logo https://t.example/l.png ' +
        '--brand-radius 4 --brand-font Inter,Georgia,serif',
    );
    expect(json).toMatchObject({
      status: 'active',
      currency: 'JPY',
      country: 'JP',
      booking_prefix: 'TYO',
      visibility: 'none',
      deposit_percent: 12.5,
      payment_method: 'card',
      payment_window: 'none',
      payment_reminder: '90m',
      hold_default: 10,
      hold_max: 20,
      max_holds: 5,
      max_unpaid: 6,
      max_hold_share: 50,
      availability_rpm: 1000,
      hold_rpm: 1,
      booking_rpm: 1_000_000,
      catalog_rpm: null,
      link_template: 'https://t.example/{slug}',
      brand_color: '#abcdef',
      brand_logo: 'https://t.example/l.png',
      brand_radius: 4,
      brand_font: 'Inter, Georgia, serif',
    });
    const { currencyDigits } = await terminal.db('tenants').where({ slug: 'tokyo-tours' }).first();
    expect(currencyDigits).toBe(0);
  });

  it('tourctl tenant create finds another booking prefix if the obvious one is taken', async () => {
    const prefixes = [];
    for (const slug of ['sunny-side', 'sunnyside', 'sunnys-ide', 'long-named-travel', 'long-namedtravel']) {
      prefixes.push((await create(slug)).json.booking_prefix);
    }
    expect(prefixes).toEqual(['SUNNYSIDE', 'SUNNYSIDE2', 'SUNNYSIDE3', 'LONGNAMEDT', 'LONGNAMED2']);
  });

  it('tourctl tenant create refuses a given booking prefix that is taken', async () => {
    await create('first', '--booking-prefix TAKEN');
    expect(await refusal('second', '--booking-prefix TAKEN')).toBe('1 booking_prefix_taken');
    expect((await terminal.tourctl('tenant show second --json')).code).toBe(1);
  });

  it('tourctl tenant create refuses a slug that is taken', async () => {
    await create('twice');
    expect(await refusal('twice', '--booking-prefix OTHER')).toBe('1 tenant_slug_taken');
  });

  it('tourctl tenant create shortens the default duration of a hold to the longest allowed duration', async () => {
    expect((await create('short', '--hold-max 5')).json).toMatchObject({ hold_default: 5, hold_max: 5 });
    expect(await refusal('shorter', '--hold-max 5 --hold-default 6')).toBe('1 invalid_hold_lengths');
  });

  it.each([
    ['--slug', '--name Acme', '--slug is missing'],
    ['--name', '--slug acme-2', '--name is missing'],
    ['--slug', '--slug Acme --name Acme', '--slug must be 2 to 63'],
    [
      '--deposit-percent',
      '--slug a1 --name A --deposit-percent 101',
      '--deposit-percent must be a number from 0 to 100',
    ],
    ['--status', '--slug a1 --name A --status closed', '--status must be one of trial, active'],
    ['--currency', '--slug a1 --name A --currency XXX', '--currency must be an ISO 4217'],
    ['--hold-max', '--slug a1 --name A --hold-max 61', '--hold-max must be from 1 to 60 minutes'],
  ])('tourctl tenant create reports a usage error that names %s: %s', async (_, flags, message) => {
    const { code, error, stdout } = await terminal.tourctl(`tenant create --json ${flags}`);
    expect([code, error.code, stdout]).toEqual([2, 'usage_error', '']);
    expect(error.message).toContain(message);
  });
});

describe('other tourctl tenant commands', () => {
  it('tourctl tenant show prints one tenant, and tenant list sorts tenants by slug', async () => {
    await create('zebra');
    await create('aardvark');
    const json = await terminal.json('tenant show zebra');
    expect(json.slug).toBe('zebra');
    const slugs = await listed();
    expect(slugs).toEqual([...slugs].sort());
    expect(slugs).toEqual(expect.arrayContaining(['aardvark', 'zebra']));
  });

  it('tourctl tenant set says that a payment window is too short for a reminder', async () => {
    await create('patient');
    const set = async (flags: string) => (await terminal.tourctl(`tenant set patient ${flags}`)).stderr;
    expect(await set('--payment-window 47h')).toContain('booking.payment_due is not sent');
    expect(await set('--payment-reminder 23h')).toBe('');
    expect(await set('--payment-reminder none')).toBe('');
    expect(await set('--payment-window none --payment-reminder 24h')).toBe('');
    expect(await terminal.refusal('tenant set patient --payment-reminder 0')).toBe('2 usage_error');
  });

  it('tourctl tenant set takes whole minutes up to 365 days as a payment window and a reminder', async () => {
    await create('punctual');
    for (const name of ['--payment-window', '--payment-reminder']) {
      const set = (value: string) => terminal.tourctl(`tenant set punctual ${name} ${value} --json`);
      for (const value of ['90s', '366d', '0', '72']) {
        const { code, error } = await set(value);
        expect([value, code]).toEqual([value, 2]);
        expect(error.message).toBe(
          `${name} must be whole minutes from 1m to 365d, such as 90m, 72h or 7d, or none`,
        );
      }
      const field = name.slice(2).replace('-', '_');
      expect((await set('120s')).json[field]).toBe('2m');
      expect((await set('365d')).json[field]).toBe('8760h');
    }
  });

  it('tourctl tenant set gives a tenant quotas of its own, audits them, and takes them back with none', async () => {
    await create('busy');
    const set = (flags: string) => terminal.tourctl(`tenant set busy ${flags} --json`);
    const { json } = await set('--availability-rpm 500 --hold-rpm 90 --booking-rpm 80 --catalog-rpm 2000');
    const quotas = { availability_rpm: 500, hold_rpm: 90, booking_rpm: 80, catalog_rpm: 2000 };
    expect(json).toMatchObject(quotas);
    expect(await terminal.json('tenant show busy')).toMatchObject(quotas);
    const [audited] = (await terminal.json('audit list --subject busy')).items;
    expect(audited).toMatchObject({ action: 'tenant.set', after: quotas });
    expect((await set('--hold-rpm none')).json).toMatchObject({ ...quotas, hold_rpm: null });
  });

  it.each(['0', '-1', '1.5', '1000001', 'many'])(
    'tourctl tenant set refuses the quota %s, and says which numbers it takes',
    async (value) => {
      const { code, error } = await terminal.tourctl([
        'tenant',
        'set',
        'any',
        '--json',
        `--hold-rpm=${value}`,
      ]);
      expect([code, error.message]).toEqual([
        2,
        '--hold-rpm must be a whole number from 1 to 1000000, or none',
      ]);
    },
  );

  it('tourctl tenant list filters by status and obeys --limit', async () => {
    await create('gone-soon');
    await terminal.tourctl('tenant close gone-soon --yes');
    expect(await listed('--status closed')).toEqual(['gone-soon']);
    expect(await listed('--limit 1')).toHaveLength(1);
  });

  it('tourctl tenant list shows how many tours each tenant sees', async () => {
    const { db } = terminal;
    for (const [slug, continent] of Object.entries({ alps: 'europe', fjords: 'europe', kyoto: 'asia' }))
      await givenTour(db, { slug, continent });
    await givenTour(db, { slug: 'unfinished', continent: 'africa', status: 'draft' });
    await create('sees-all');
    await create('sees-none', '--visibility none');
    await create('sees-europe', '--visibility none');
    await create('sees-most');
    for (const line of [
      'visibility allow sees-europe --continent europe',
      'visibility deny sees-europe --tour alps',
      'visibility allow sees-europe --tour fjords',
      'visibility allow sees-europe --tour unfinished',
      'visibility deny sees-most --tour kyoto',
      'visibility deny sees-most --continent africa',
    ])
      expect((await terminal.tourctl(line)).code).toBe(0);
    const seen = async () =>
      (await terminal.json('tenant list')).items
        .filter(({ slug }: { slug: string }) => slug.startsWith('sees-'))
        .map((t: Record<string, unknown>) => [t.slug, t.sees, t.visible_tours, t.published_tours]);
    expect(await seen()).toEqual([
      ['sees-all', 'all', 3, 3],
      ['sees-europe', 'by rule', 1, 3],
      ['sees-most', 'by rule', 2, 3],
      ['sees-none', 'none', 0, 3],
    ]);
    const { stdout } = await terminal.tourctl('tenant list');
    expect(stdout).toMatch(/^sees-europe .* by rule: 1\/3 /m);
    expect(stdout).toMatch(/^sees-none .* none /m);
  });

  it('a command about an unknown tenant exits with 1', async () => {
    for (const line of [
      'tenant show nope',
      'tenant activate nope',
      'key issue nope --scope catalog:read',
      'origins list nope',
    ]) {
      const { code, error } = await terminal.tourctl(`${line} --json`);
      expect([code, error]).toEqual([1, { code: 'tenant_not_found', message: 'There is no tenant "nope"' }]);
    }
  });

  it('tourctl tenant suspend, close and activate change the status of a tenant', async () => {
    await create('on-off');
    for (const [verb, status] of [
      ['suspend', 'suspended'],
      ['close', 'closed'],
      ['activate', 'active'],
    ]) {
      expect((await terminal.json(`tenant ${verb} on-off --yes`)).status).toBe(status);
    }
  });

  it('tourctl tenant suspend requires a confirmation', async () => {
    await create('busy');
    const { code, error } = await terminal.tourctl('tenant suspend busy --json');
    expect([code, error.message]).toEqual([2, 'No terminal to ask on: add --yes']);
    expect((await terminal.json('tenant show busy')).status).toBe('trial');
  });

  it('tourctl tenant set keeps the settings that are not given', async () => {
    const before = (await create('settled', '--max-holds 7 --brand-color #111111')).json;
    const json = await terminal.json('tenant set settled --hold-max 30 --brand-color none --currency USD');
    expect(json).toEqual({ ...before, hold_max: 30, brand_color: null, currency: 'USD' });
  });

  it('tourctl tenant set stores the name as NFC without invisible characters', async () => {
    await create('cafe');
    const name = '\ufeffCafe\u0301 Đà\u061c Nẵng\u200e';
    const { json } = await terminal.tourctl(['tenant', 'set', 'cafe', '--name', name, '--json']);
    expect(json.name).toBe('Café Đà Nẵng');
  });

  it('tourctl tenant set refuses a default hold longer than the longest hold', async () => {
    await create('bounded');
    expect(await terminal.refusal('tenant set bounded --hold-max 10')).toBe('1 invalid_hold_lengths');
  });

  it('tourctl tenant set refuses the booking prefix of another tenant', async () => {
    await create('owner', '--booking-prefix OWNED');
    await create('taker');
    expect(await terminal.refusal('tenant set taker --booking-prefix OWNED')).toBe('1 booking_prefix_taken');
    expect((await terminal.tourctl('tenant set owner --booking-prefix OWNED --json')).code).toBe(0);
  });

  it('tourctl tenant set requires at least one setting', async () => {
    expect((await terminal.tourctl('tenant set acme')).code).toBe(2);
  });
});
