import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { describeWith } from '../support/describe-with';
import { givenKey, givenTenant } from '../support/given';
import { givenSeats } from '../support/website';
import { killChildren } from './child';
import type { Instance } from './service';
import { type Stack, startStack } from './stack';
import { type Load, startLoad } from './website-load';

/** Restarts of each instance. The long form is `npm run lab -- rolling-restart`. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const CLIENTS = Number(process.env.CLIENTS ?? 8);
const BREATH_MS = 10;
const WIDE = '1000000';
const ROUND_MS = 60_000;
/** nginx tries a failed instance again after 2 to 3 s. */
const FOUND_AGAIN_MS = 20_000;

describeWith('nginx', 'two APIs behind nginx, restarted in turn under load', () => {
  describeWith('pgbouncer', 'with PgBouncer', () => {
    describeWith('redis-server', 'and Redis', suite);
  });
});

function suite(): void {
  let database: TestDatabase;
  let stack: Stack;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = {
      GATEWAY_AVAILABILITY_RPM: WIDE,
      GATEWAY_HOLD_RPM: WIDE,
      GATEWAY_BOOKING_RPM: WIDE,
      CATALOG_RPM: WIDE,
      LOG_LEVEL: 'info',
    };
    stack = await startStack({ directUrl: database.url, env });
  }, ROUND_MS);
  afterAll(async () => {
    await stack?.stop();
    await killChildren();
    await database.drop();
  }, ROUND_MS);

  it(
    'restarts lose no request, and every acknowledged booking and hold is stored once',
    async () => {
      const { db } = database;
      const tenant = await givenTenant(db, { maxHolds: 1_000_000, maxUnpaid: 1_000_000 });
      const authorization = `Bearer ${await givenKey(db, tenant)}`;
      const seats = await Promise.all([1, 2, 3].map(() => givenSeats(db, { seats: 100_000 })));
      const load = startLoad({ url: stack.url, authorization, seats }, CLIENTS, BREATH_MS);
      await sleep(500);

      const restarts: Restart[] = [];
      try {
        for (let round = 0; round < ROUNDS; round++) {
          for (const api of stack.apis) restarts.push(await restart(api));
        }
      } finally {
        await load.stop();
      }

      if (process.env.ROUNDS) process.stdout.write(figures(load, restarts, retried(stack)));
      expect(load.lost).toEqual([]);
      expect(restarts.map(({ code }) => code)).toEqual(restarts.map(() => 0));
      const leads = await db('booking_leads').select('external_ref', 'booking_ref');
      expect(asMap(leads, 'bookingRef')).toEqual(load.bookings);
      expect(leads).toHaveLength(load.bookings.size);
      const holds = await db('seat_holds').select('external_ref', 'id');
      expect(asMap(holds, 'id')).toEqual(load.holds);
      expect(holds).toHaveLength(load.holds.size);
      const events = await db('webhook_events').where({ type: 'booking.created' }).pluck('booking_ref');
      expect(events.sort()).toEqual([...load.bookings.values()].sort());
      expect(load.bookings.size).toBeGreaterThan(20);
      for (const api of stack.apis) expect(api.child().log()).not.toMatch(/"level":"(error|fatal)"/);
    },
    ROUNDS * ROUND_MS,
  );
}

interface Restart {
  code: number | null;
  stopMs: number;
  startMs: number;
}

/** Restarts as an operator does: SIGTERM, a new process, and the next one only after the proxy uses this one again. */
async function restart(api: Instance): Promise<Restart> {
  const begun = performance.now();
  const code = await api.stop();
  const stopped = performance.now();
  const before = requestsSeen(api);
  await api.start();
  const started = performance.now();
  while (requestsSeen(api) - before < 20) {
    if (performance.now() - started > FOUND_AGAIN_MS) throw new Error('the proxy does not find it again');
    await sleep(50);
  }
  return { code, stopMs: stopped - begun, startMs: started - stopped };
}

function requestsSeen(api: Instance): number {
  return api.child().log().split('"msg":"request"').length - 1;
}

/** Counts requests that nginx sent to a second instance. */
function retried({ nginx }: Stack): number {
  return nginx.log().split(/"upstream":"[^"]*,/).length - 1;
}

function asMap(rows: { externalRef: string }[], column: string): Map<string, string> {
  return new Map(rows.map((row) => [row.externalRef, (row as unknown as Record<string, string>)[column]!]));
}

function figures(load: Load, restarts: Restart[], sentElsewhere: number): string {
  const sorted = [...load.took].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]!);
  const worst = (of: (restart: Restart) => number) => Math.round(Math.max(...restarts.map(of)));
  const counts = Object.entries(load.counts).map(([kind, count]) => `${count} ${kind}`);
  return [
    '',
    `restarts        ${restarts.length} by SIGTERM, exit codes ${[...new Set(restarts.map(({ code }) => code))].join(', ')}`,
    `requests        ${load.took.length + load.lost.length}: ${counts.join(', ')}`,
    `lost            ${load.lost.length}`,
    `acknowledged    ${load.bookings.size} bookings, ${load.holds.size} holds`,
    `sent elsewhere  ${sentElsewhere} by nginx`,
    `answer          p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
    `to stop         ${worst(({ stopMs }) => stopMs)} ms at most; to start ${worst(({ startMs }) => startMs)} ms at most`,
    '',
  ].join('\n');
}
