import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await openTestTerminal();
  await terminal.tourctl('tenant create --slug acme --name Acme --status active');
});
afterAll(async () => terminal.drop());

const check = async (name: string) => {
  const { code, json } = await terminal.tourctl('doctor --json');
  return { code, ok: json.ok, ...json.checks.find((found: { name: string }) => found.name === name) };
};

const givenDepartureWithHold = async (seats: number, quantity: number): Promise<string> => {
  const { rows } = await terminal.db.raw(
    `with tour as (
       insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor)
       values ('tour', 'Tour', 'tour', 'europe', 'DE', 1, 'EUR', 2, 100) returning id
     ) insert into departures (tour_id, departure_date, seats_total, prices_minor)
       select id, current_date + 30, :seats, '{"adult": 100}' from tour returning id`,
    { seats },
  );
  await terminal.db.raw(
    `insert into seat_holds (tenant_id, departure_id, quantity, hold_minutes, expires_at, unit_price_minor, currency,
       currency_digits, price_breakdown)
     select id, :departure, :quantity, 15, now() + interval '15 minutes', 100, 'EUR', 2, '{}' from tenants where slug = 'acme'`,
    { departure: rows[0].id, quantity },
  );
  return rows[0].id;
};

describe('tourctl doctor', () => {
  it('finds a new installation well', async () => {
    const { code, json } = await terminal.tourctl('doctor --json');
    expect([code, json.ok]).toEqual([0, true]);
    expect(json.checks).toContainEqual({ name: 'migrations', status: 'ok', detail: 'all are in' });
    expect(json.checks.every((found: { status: string }) => found.status === 'ok')).toBe(true);
  });

  it('notes keys about to expire, and exits with 0', async () => {
    const { id } = (await terminal.tourctl('key issue acme --scope catalog:read --expires-in 3d --json'))
      .json;
    expect(await check('keys')).toMatchObject({
      code: 0,
      ok: true,
      status: 'notice',
      detail: expect.stringContaining(id),
    });
    await terminal.tourctl(`key rotate ${id} --expires-in 90d`);
    expect((await check('keys')).status).toBe('ok');
  });

  it('notes a widget token that no site may show', async () => {
    await terminal.tourctl('widget issue acme');
    expect(await check('origins')).toMatchObject({
      code: 0,
      status: 'notice',
      detail: expect.stringContaining('acme'),
    });
    await terminal.tourctl('origins add acme acme.example');
    expect((await check('origins')).status).toBe('ok');
  });

  it('notes http://localhost past the trial', async () => {
    await terminal.tourctl('tenant create --slug young --name Young');
    await terminal.tourctl('origins add young http://localhost:3000 --dev');
    expect((await check('development-origins')).status).toBe('ok');
    await terminal.tourctl('tenant activate young');
    expect(await check('development-origins')).toMatchObject({ code: 0, status: 'notice' });
  });

  it('recounts the seats, and exits with 1 where a departure is oversold', async () => {
    const id = await givenDepartureWithHold(10, 4);
    expect(await check('seats')).toMatchObject({
      code: 0,
      status: 'ok',
      detail: expect.stringContaining('recounted 1'),
    });
    expect((await check('holds')).detail).toBe('1 live');
    await terminal.db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      await trx('departures').where({ id }).update({ seats_total: 3 });
    });
    const found = await check('seats');
    expect(found).toMatchObject({ code: 1, ok: false, status: 'broken' });
    expect(found.detail).toMatch(/oversold: tour \d{4}-\d\d-\d\d \(4 of 3\)/);
    await terminal.db('departures').where({ id }).update({ seats_total: 10 });
  });

  it('exits with 1 where a migration is missing, or no database answers', async () => {
    await terminal.db('knex_migrations').where({ name: '0008_audit' }).update({ name: 'later' });
    expect(await check('migrations')).toMatchObject({ code: 1, ok: false, status: 'broken' });
    await terminal.db('knex_migrations').where({ name: 'later' }).update({ name: '0008_audit' });
    const url = terminal.env.DATABASE_URL!;
    terminal.env.DATABASE_URL = 'postgres://nobody@127.0.0.1:1/nothing';
    expect(await check('database')).toMatchObject({ code: 1, ok: false, status: 'broken' });
    terminal.env.DATABASE_URL = url;
  });

  it('exits with 1 where the configured store does not answer, or not with this password', async () => {
    expect(await check('store')).toMatchObject({ code: 0, detail: expect.stringContaining('in memory') });
    terminal.env.REDIS_URL = 'redis://:hunter2@localhost:1';
    const refused = await check('store');
    expect(refused).toMatchObject({ code: 1, ok: false, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: connect ECONNREFUSED/);
    delete terminal.env.REDIS_URL;
    Object.assign(terminal.env, { CACHE_REST_URL: 'http://127.0.0.1:1', CACHE_REST_TOKEN: 'hunter2' });
    const rest = await check('store');
    expect(rest).toMatchObject({ code: 1, status: 'broken' });
    expect(rest.detail).toMatch(/^CACHE_REST_URL: connect ECONNREFUSED/);
    delete terminal.env.CACHE_REST_URL;
    delete terminal.env.CACHE_REST_TOKEN;
  });
});

describeWithRedis('tourctl doctor with a Redis', () => {
  afterAll(async () => {
    delete terminal.env.REDIS_URL;
    await stopRedisServers();
  });

  it('tells how quick it is, and finds a wrong password and a hanging server', async () => {
    const redis = await startRedis(['--requirepass', 'right']);
    terminal.env.REDIS_URL = `redis://:right@127.0.0.1:${redis.port}`;
    expect(await check('store')).toMatchObject({
      code: 0,
      status: 'ok',
      detail: expect.stringMatching(/^REDIS_URL answers in \d+ ms$/),
    });
    terminal.env.REDIS_URL = `redis://:hunter2@127.0.0.1:${redis.port}`;
    const refused = await check('store');
    expect(refused).toMatchObject({ code: 1, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: WRONGPASS/);
    redis.hang();
    expect(await check('store')).toMatchObject({ code: 1, status: 'broken' });
  });
});
