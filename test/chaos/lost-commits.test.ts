import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { type CommitCutter, startCommitCutter } from '../support/commit-cutter';
import { givenSeats, seatsTaken } from '../support/website';
import { type Clients, startClients } from './failover/clients';

/** Number of connections to cut. The long form is `npm run chaos:lost-commits`. */
const CUTS = Number(process.env.CUTS ?? 30);

let database: TestDatabase;
let cutter: CommitCutter;
let api: ApiProcess;
let clients: Clients;
beforeAll(async () => {
  database = await createTestDatabase();
  cutter = await startCommitCutter(Number(new URL(database.url).port));
  const url = new URL(database.url);
  url.host = `127.0.0.1:${cutter.port}`;
  api = await startApiProcess(url.href);
}, 30_000);
afterAll(async () => {
  clients.giveUp();
  await api.stop();
  await cutter.stop();
  await database.drop();
}, 30_000);

describe('connections that are lost between COMMIT and its answer', () => {
  it(
    'need a retry of the client, and repeat no write, whether it was committed or not',
    async () => {
      const { db } = database;
      const tenant = await givenTenant(db, { status: 'active', maxUnpaid: 1_000_000 });
      const authorization = `Bearer ${await givenKey(db, tenant)}`;
      const seats = await givenSeats(db, { seats: 100_000 });
      clients = startClients({ apis: [api.baseUrl], authorization, departures: [seats] });
      cutter.cut(0.25);
      while (cutter.lostAnswers() < CUTS || cutter.lostCommits() < CUTS)
        await new Promise((resolve) => setTimeout(resolve, 20));
      cutter.cut(0);
      await clients.finish();

      const { acknowledged } = clients;
      expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([201]));
      const wanted = (kind: string) =>
        acknowledged.flatMap(({ intent }) => (intent.kind === kind ? [intent.reference] : [])).sort();
      const made = (table: string) => db(table).pluck('external_ref').orderBy('external_ref');
      expect((await made('seat_holds')).sort()).toEqual(wanted('hold'));
      expect((await made('booking_leads')).sort()).toEqual(wanted('booking'));
      expect(await db('webhook_events').where({ type: 'booking.created' })).toHaveLength(
        wanted('booking').length,
      );
      // Each answer that was lost after its COMMIT is replayed from the key's row.
      const replayed = acknowledged.filter((answer) => answer.replayed).length;
      expect(replayed).toBeGreaterThan(CUTS / 2);
      const holding = await db('seat_holds').where({ status: 'active' }).sum('quantity as seats').first();
      const booked = await db('booking_leads').sum('adults as seats').first();
      expect(await seatsTaken(db, seats)).toBe(holding!.seats + booked!.seats);
    },
    30_000 + CUTS * 500,
  );
});
