import { START_API, START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTour } from '../support/given';
import { givenResource, givenTrip } from '../support/given-resources';
import { checkOf, followAdvice, notice } from './doctor-check';
import { withEnv, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme --status active');
});

const check = (name: string) => checkOf(terminal, name);

const givenDepartureWithHold = async (seats: number, quantity: number): Promise<string> => {
  const { db } = terminal;
  const date = await givenDeparture(db, await givenTour(db, { slug: 'tour' }), { seats });
  const departure = await departureOf(db, 'tour', date);
  const tenant = await db('tenants').where({ slug: 'acme' }).first('id');
  await insertHold(db, tenant.id, departure.id, quantity);
  return departure.id;
};

describe('tourctl doctor', () => {
  it('tourctl doctor finds no issue in a new installation', async () => {
    const { code, json } = await terminal.tourctl('doctor --json');
    expect([code, json.ok]).toEqual([0, true]);
    expect(json.checks).toContainEqual({
      name: 'migrations',
      status: 'ok',
      detail: 'all are applied',
      commands: [],
    });
    const others = json.checks.filter(({ status }: { status: string }) => status !== 'ok');
    expect(others).toEqual([
      {
        name: 'workers',
        status: 'notice',
        detail: `no webhook queue runs: nothing is sent; ${START_WEBHOOK_QUEUE}`,
        commands: [],
      },
    ]);
  });

  it('tourctl doctor fails where the login of this terminal, which the services use too, may not insert bookings', async () => {
    const { db } = terminal;
    const role = `only_login_${process.pid}`;
    await db.raw(`create role ${role}`);
    for (const objects of ['tables', 'sequences', 'functions'])
      await db.raw(`grant all on all ${objects} in schema public to ${role}`);
    const ofLogin = new URL(terminal.url);
    ofLogin.searchParams.set('options', `-c role=${role}`);
    const database = () => withEnv(terminal, { DATABASE_URL: ofLogin.href }, () => check('database'));
    expect(await database()).toMatchObject({ code: 0, status: 'ok' });
    await db.raw(`revoke insert on booking_leads from ${role}`);
    expect(await database()).toMatchObject({
      code: 1,
      status: 'broken',
      detail: expect.stringMatching(
        /answers, but a sale fails: the login lacks a right .*: permission denied for table booking_leads$/,
      ),
    });
    await db.raw(`drop owned by ${role}`);
    await db.raw(`drop role ${role}`);
  });

  it('tourctl doctor fails where the login of the API lacks a right that the login of this terminal has', async () => {
    const { db } = terminal;
    const login = `api_login_${process.pid}`;
    await db.raw(`create role ${login} login in role tour_platform_api`);
    await db.raw('revoke insert on booking_leads from tour_platform_api');
    const broken = await check('rights');
    await db.raw('select grant_database_roles()');
    const mended = await check('rights');
    await db.raw(`drop role ${login}`);
    expect(broken).toMatchObject({
      code: 1,
      status: 'broken',
      detail: `the services fail: ${login} lacks insert on booking_leads`,
      commands: ['psql "$DATABASE_URL" -c "select grant_database_roles()"'],
    });
    expect(mended).toMatchObject({ code: 0, status: 'ok' });
  });

  it('tourctl doctor fails on the schema of a later release, and gives a notice if its migrations are rolling', async () => {
    const { db } = terminal;
    await db('knex_migrations').insert({ name: '9999_later' });
    try {
      expect(await check('migrations')).toMatchObject({
        code: 1,
        status: 'broken',
        detail: expect.stringMatching(/of a later release, from 9999_later on/),
      });
      expect(await terminal.refusal('tenant list')).toBe('1 schema_later');
      expect(await terminal.refusal('migrate')).toBe('1 schema_later');
      await db('rolling_migrations').insert({ name: '9999_later' });
      expect(await check('migrations')).toMatchObject(notice('complete the update'));
      expect((await terminal.tourctl('tenant list')).code).toBe(0);
    } finally {
      await db('rolling_migrations').delete();
      await db('knex_migrations').where({ name: '9999_later' }).delete();
    }
  });

  it('tourctl doctor reports keys that expire soon, and exits with 0', async () => {
    const { id } = await terminal.json('key issue acme --scope catalog:read --expires-in 3d');
    expect(await check('keys')).toMatchObject({
      code: 0,
      ok: true,
      status: 'notice',
      detail: expect.stringContaining(id),
    });
    expect((await check('keys')).commands).toEqual([`tourctl key rotate ${id}`]);
    await terminal.tourctl(`key rotate ${id} --expires-in 90d`);
    expect((await check('keys')).status).toBe('ok');
  });

  const ISSUE_KEY = 'key issue acme --scope catalog:read';
  const ISSUE_TOKEN = 'widget issue acme --origin a.example';
  it.each([
    ['unused-keys', 'api_keys', { created_at: '2026-01-01T00:00:00Z' }, ISSUE_KEY],
    ['unused-keys', 'widget_tokens', { created_at: '2026-01-01T00:00:00Z' }, ISSUE_TOKEN],
    ['browser-keys', 'api_keys', { browser_seen_at: '2026-05-01T00:00:00Z' }, ISSUE_KEY],
  ])('tourctl doctor reports %s (%s), and names the command to run', async (name, table, row, issue) => {
    const { id } = await terminal.json(issue);
    expect((await check(name)).status).toBe('ok');
    await terminal.db(table).where({ id }).update(row);
    expect(await check(name)).toMatchObject(notice(id));
    const [command] = (await check(name)).commands;
    expect((await terminal.tourctl(`${command.replace('tourctl ', '')} --yes`)).code).toBe(0);
    expect((await check(name)).status).toBe('ok');
  });

  it('tourctl doctor reports a clock that differs from the clock of the database', async () => {
    expect((await check('clock')).status).toBe('ok');
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    const found = await check('clock').finally(() => clock.mockRestore());
    expect(found).toMatchObject({ code: 0, status: 'notice' });
    expect(found.detail).toMatch(/differs by -\d{5} ms from this machine's/);
    expect(found.commands).toContain('timedatectl status');
  });

  it('tourctl doctor reports instances of the API that stopped polling', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    await terminal.db('api_instances').insert({ id, seen_version: 1, poll: 1 });
    expect(await check('instances')).toMatchObject({ status: 'ok', detail: '1 of the API' });
    await terminal
      .db('api_instances')
      .update({ polled_at: terminal.db.raw("now() - interval '11 seconds'") });
    expect(await check('instances')).toMatchObject(notice(id));
    await terminal.tourctl('tenant set acme --name Akme');
    expect((await check('instances')).detail).toBe('0 of the API');
  });

  it('tourctl doctor reports a queue without workers, dead deliveries, disabled endpoints and silent workers', async () => {
    const tenant = await terminal.db('tenants').where({ slug: 'acme' }).first('id');
    await terminal.tourctl('webhook add acme https://acme.example/webhooks');
    const endpoint = await terminal.db('webhook_endpoints').first('id');
    await terminal.tourctl(`webhook ping ${endpoint.id}`);
    expect((await check('queue')).status).toBe('ok');
    expect(await check('workers')).toMatchObject({
      ...notice(`no webhook queue runs: nothing is sent, and 1 delivery is due; ${START_WEBHOOK_QUEUE}`),
      commands: [],
    });
    await terminal.db('webhook_queue').update({ next_at: terminal.db.raw("now() - interval '2 minutes'") });
    expect(await check('queue')).toMatchObject({
      code: 0,
      status: 'notice',
      detail: expect.stringMatching(/^1 due, the oldest for 1\d\d s/),
      commands: [],
    });

    await terminal.db('webhook_workers').insert({ id: 'host-1', slots: 8, in_flight: 0 });
    expect(await check('workers')).toMatchObject({ status: 'ok', detail: '1 of the webhook queue' });
    expect((await check('queue')).commands).toEqual(['tourctl monitor']);
    await terminal
      .db('webhook_workers')
      .update({ beat_at: terminal.db.raw("now() - interval '20 seconds'") });
    expect(await check('workers')).toMatchObject({
      status: 'notice',
      detail: expect.stringContaining('host-1 has not reported since'),
    });

    await terminal.tourctl(`webhook disable ${endpoint.id} --yes`);
    expect(await check('endpoints')).toMatchObject({
      ...notice('acme.example of acme is disabled'),
      commands: [`tourctl webhook enable ${endpoint.id}`],
    });
    await followAdvice(terminal, 'endpoints');
    expect((await check('endpoints')).status).toBe('ok');

    await terminal.db('webhook_deliveries').where({ tenant_id: tenant.id }).update({ status: 'dead' });
    expect(await check('deliveries')).toMatchObject(notice('1 dead'));
    await followAdvice(terminal, 'deliveries');
  });

  it('tourctl doctor describes a failing endpoint in the same words as tourctl status', async () => {
    const { id } = await terminal.db('webhook_endpoints').whereNot({ status: 'removed' }).first('id');
    expect(await check('endpoints')).toMatchObject({ status: 'ok', detail: 'none fails or is disabled' });
    const failures = { endpoint_id: id, failures: 5, failing_since: new Date('2027-06-01T08:00:00Z') };
    await terminal.db('webhook_health').insert(failures);
    const sentence = 'acme.example of acme fails every attempt (5 in a row since 2027-06-01 08:00:00)';
    expect(await check('endpoints')).toMatchObject({
      ...notice(sentence),
      commands: [`tourctl webhook show ${id}`],
    });
    expect((await terminal.tourctl('status')).stdout).toContain(sentence);
    await followAdvice(terminal, 'endpoints');
    await terminal.db('webhook_health').delete();
  });

  it('tourctl doctor prints the commands to run below each finding', async () => {
    const { stdout } = await terminal.tourctl('doctor');
    expect(stdout).toMatch(/^ok {6}database +PostgreSQL/);
    expect(stdout).toMatch(/^notice {2}deliveries +.*1 dead\n +\$ tourctl delivery list --status dead$/m);
  });

  it('tourctl doctor recounts the seats, and exits with 1 if a departure is oversold', async () => {
    const id = await givenDepartureWithHold(10, 4);
    expect(await check('seats')).toMatchObject({
      code: 0,
      status: 'ok',
      detail: '1 departure with holds or bookings recounted, none oversold',
    });
    expect((await check('holds')).detail).toBe('1 active, all in the right state');
    await terminal.db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      await trx('departures').where({ id }).update({ seats_total: 3 });
    });
    const found = await check('seats');
    expect(found).toMatchObject({ code: 1, ok: false, status: 'broken' });
    expect(found.detail).toMatch(/oversold: tour \d{4}-\d\d-\d\d \(4 of 3\)/);
    expect(found.commands).toEqual([expect.stringMatching(/^tourctl departure set-seats tour [\d-]+ 4$/)]);
    await followAdvice(terminal, 'seats');
    expect((await check('seats')).status).toBe('ok');
    await terminal.db('departures').where({ id }).update({ seats_total: 10 });
  });

  it('tourctl doctor finds a boat that rows written by hand sell twice', async () => {
    const { db } = terminal;
    const boat = await givenResource(db);
    const trips = [await givenTrip(db, [{ resource: boat }]), await givenTrip(db, [{ resource: boat }])];
    const tenant = await db('tenants').where({ slug: 'acme' }).first('id');
    await db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      for (const { id } of trips) await insertHold(trx, tenant.id, id, 1);
    });
    const found = await check('seats');
    expect(found).toMatchObject({ code: 1, status: 'broken' });
    expect(found.detail).toContain(`sold twice: ${boat} by`);
    expect(found.commands).toHaveLength(2);
    await db('seat_holds')
      .whereIn(
        'departure_id',
        trips.map(({ id }) => id),
      )
      .delete();
  });

  it('tourctl doctor reports holds that expired but were not ended, and holds that contradict their bookings', async () => {
    const [hold] = await terminal.db('seat_holds').select('*');
    const { id, expiresAt, createdAt } = hold;
    const change = (row: object) => terminal.db('seat_holds').where({ id }).update(row);
    await change({ created_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T00:15:00Z' });
    expect(await check('holds')).toMatchObject({
      ...notice('1 expired over ten minutes ago'),
      detail: expect.stringContaining(START_API),
      commands: [],
    });
    await change({ created_at: createdAt, expires_at: expiresAt, status: 'converted' });
    expect((await check('holds')).detail).toContain(`converted without a booking: ${id}`);
    await change({ status: 'active' });
    const departure = await terminal.db('departures').where({ id: hold.departureId }).first();
    await insertLead(terminal.db, hold.tenantId, departure, 'ACME-1', { hold_id: id });
    expect(await check('holds')).toMatchObject({
      status: 'notice',
      detail: expect.stringContaining('counted twice'),
      commands: [`tourctl hold release ${id} --yes`],
    });
    await terminal.db('booking_leads').delete();
    await change({ status: 'released' });
    expect((await check('holds')).status).toBe('ok');
  });

  it('tourctl doctor exits with 1 if a migration is missing or no database answers', async () => {
    await terminal.db('knex_migrations').where({ name: '0110_audit' }).update({ name: 'later' });
    expect(await check('migrations')).toMatchObject({ code: 1, ok: false, status: 'broken' });
    await terminal.db('knex_migrations').where({ name: 'later' }).update({ name: '0110_audit' });
    const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    const away = await withEnv(terminal, nowhere, () => check('database'));
    expect(away).toMatchObject({ code: 1, ok: false, status: 'broken' });
  });
});

describe('the secrets that tourctl doctor checks', () => {
  it('tourctl doctor reports endpoint secrets that SECRETS_KEY does not open', async () => {
    expect(await check('secrets')).toMatchObject({ status: 'ok', code: 0 });
    const added = await terminal.tourctl('webhook add acme https://example.com/secrets --json');
    expect(await check('secrets')).toMatchObject({ status: 'ok' });
    await withEnv(terminal, { SECRETS_KEY: 'o'.repeat(32) }, async () => {
      expect(await check('secrets')).toMatchObject({ status: 'broken', code: 1, ok: false });
    });
    const [secret] = await terminal
      .db('webhook_secrets')
      .where({ endpoint_id: added.json.id })
      .select('id', 'key_id');
    await terminal.db('webhook_secrets').where({ id: secret.id }).update({ key_id: 'of another key' });
    const found = await check('secrets');
    expect(found).toMatchObject({
      status: 'broken',
      detail: expect.stringContaining(`${added.json.id} of acme`),
    });
    await followAdvice(terminal, 'secrets');
    expect(await check('secrets')).toMatchObject({ status: 'ok' });
  });

  it('tourctl doctor reports headers of a subscription that SECRETS_KEY does not open, and who sends them again', async () => {
    const { json } = await terminal.tourctl('webhook add acme https://example.com/headers --json');
    await terminal.db('webhook_endpoint_headers').insert({
      endpoint_id: json.id,
      names: ['Api-Key'],
      id: json.id,
      key_id: 'of another key',
      nonce: Buffer.alloc(12),
      ciphertext: Buffer.alloc(32),
    });
    expect(await check('secrets')).toMatchObject({
      status: 'broken',
      detail: expect.stringMatching(
        `headers of the subscriptions ${json.id} of acme.*send their headers again`,
      ),
    });
    await terminal.db('webhook_endpoint_headers').delete();
    expect(await check('secrets')).toMatchObject({ status: 'ok' });
  });
});
