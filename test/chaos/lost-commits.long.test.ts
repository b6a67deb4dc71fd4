import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { type CommitCutter, startCommitCutter } from '../support/commit-cutter';
import { sendTo } from '../support/race';
import { givenSeats, seatsTaken } from '../support/website';
import { type Clients, startClients } from './failover/clients';

/** Number of connections to cut. The long form is `npm run lab -- lost-commits`. */
const CUTS = Number(process.env.CUTS ?? 30);

let database: TestDatabase;
let cutter: CommitCutter;
let api: ApiProcess;
let clients: Clients;
describe.each(['on', 'off'])('with group commit %s, connections that are lost at COMMIT', (setting) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    cutter = await startCommitCutter(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.host = `127.0.0.1:${cutter.port}`;
    api = await startApiProcess(url.href, { GROUP_COMMIT: setting, PREPARED_STATEMENTS: setting });
  }, 30_000);
  afterAll(async () => {
    clients.giveUp();
    await api.stop();
    await cutter.stop();
    await database.drop();
  }, 30_000);

  it(
    'no hold or booking is lost or made twice, and the API hides most lost connections from its clients',
    async () => {
      const { db } = database;
      const tenant = await givenTenant(db, {
        status: 'active',
        maxHolds: 1_000_000,
        maxUnpaid: 1_000_000,
      });
      const authorization = `Bearer ${await givenKey(db, tenant)}`;
      const seats = await givenSeats(db, { seats: 100_000 });
      clients = startClients({ apis: [api.baseUrl], authorization, departures: [seats] });
      cutter.cut(0.25);
      while (cutter.lostAnswers() < CUTS || cutter.lostCommits() < CUTS) await sleep(20);
      cutter.cut(0);
      await clients.finish();

      const { acknowledged, tries } = clients;
      expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([201]));
      const wanted = (kind: string) =>
        acknowledged.flatMap(({ intent }) => (intent.kind === kind ? [intent.reference] : [])).sort();
      const made = (table: string) => db(table).pluck('external_ref').orderBy('external_ref');
      expect((await made('seat_holds')).sort()).toEqual(wanted('hold'));
      expect((await made('booking_leads')).sort()).toEqual(wanted('booking'));
      expect(await db('webhook_events').where({ type: 'booking.created' })).toHaveLength(
        wanted('booking').length,
      );
      // The API finds out the outcome of a lost COMMIT, and repeats a rolled-back sale once. Only a second lost COMMIT reaches the client.
      const failed = tries.filter(({ status }) => status >= 500).length;
      expect(failed).toBeLessThan((cutter.lostAnswers() + cutter.lostCommits()) / 2);
      const holding = await db('seat_holds').where({ status: 'active' }).sum('seats as seats').first();
      const booked = await db('booking_leads').sum('seats as seats').first();
      expect(await seatsTaken(db, seats)).toBe(holding!.seats + booked!.seats);
    },
    30_000 + CUTS * 500,
  );

  it('a hold without a key is placed once, or is refused and no hold is placed', async () => {
    const { db } = database;
    const authorization = `Bearer ${await givenKey(db, await givenTenant(db, { status: 'active' }))}`;
    const { tour, date } = await givenSeats(db, { seats: 1000 });
    const place = async (n: number) => {
      const path = `/api/gateway/tours/${tour.slug}/hold`;
      const body = { departure_date: date, quantity: 1, external_ref: `keyless-${n}` };
      const { status } = await sendTo([api], 0, { method: 'POST', path, body, authorization });
      return { n, status };
    };
    cutter.cut(0.25);
    const answers = [];
    for (let round = 0; round < 20; round++)
      answers.push(...(await Promise.all(Array.from({ length: 8 }, (_, n) => place(8 * round + n)))));
    cutter.cut(0);
    const placed = answers.filter(({ status }) => status === 201).map(({ n }) => `keyless-${n}`);
    const rows = await db('seat_holds').where('external_ref', 'like', 'keyless-%').pluck('external_ref');
    expect(rows.sort()).toEqual(placed.sort());
    // The server keeps the lock of a lost connection until it notices: departure_busy (409).
    expect(answers.filter(({ status }) => ![201, 409, 500].includes(status))).toEqual([]);
    expect(placed.length).toBeGreaterThan(answers.length / 2);
  });
});
