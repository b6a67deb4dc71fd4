import type { Instance } from '../stack/service';
import { cpuMs } from './cpu-time';
import { type LoadResult, type SaleKind, sell } from './load';
import { measurePlain, type PlainRate } from './pgbench';
import { inTurns, type Row, rounded } from './row';
import { addReceiver, type BenchStack } from './stack';
import { median } from './table';

const SECONDS = 3;
const CONNECTIONS = [64, 256] as const;
const MOST_P99_TO_P50 = 10;

/** The aims for 64 and 256 connections. */
const AIMS: Record<SaleKind, Record<number, [number, number]>> = {
  hold: { 1: [5, 5], 500: [1, 1.5] },
  booking: { 1: [3, 3], 500: [1, 1] },
};

/** CPU milliseconds of the API and of PostgreSQL for a sale. */
interface Cost {
  nodeMs: number;
  serverMs: number;
}

interface Round {
  plain: PlainRate;
  ours: (LoadResult & Cost)[];
}

/**
 * Compares holds and bookings over HTTP with the bare transactions of pgbench, on one departure and on 500. The API and pgbench
 * begin with no live rows, sell the same seats and run for the same time. Each booking of the API has an Idempotency-Key and a
 * pending delivery.
 */
export async function measureSales(stack: BenchStack, api: Instance, kind: SaleKind): Promise<Row[]> {
  const places = [1, stack.targets.length];
  const { pid } = api.child();
  const measure = (departures: number) => async (): Promise<Round> => {
    const plain = await measurePlain(stack, kind, departures, SECONDS);
    const ours: Round['ours'] = [];
    for (const connections of CONNECTIONS) {
      await stack.clearSales();
      const [node, server] = [cpuMs(pid), stack.serverCpuMs()];
      const sales = await sell(stack, api.baseUrl, { kind, departures, connections, seconds: SECONDS });
      const nodeMs = (cpuMs(pid) - node) / sales.requests;
      ours.push({ ...sales, nodeMs, serverMs: (stack.serverCpuMs() - server) / sales.requests });
      await checkRows(stack, kind, sales.requests, connections);
    }
    return { plain, ours };
  };
  // No queue runs, so the deliveries stay pending.
  if (kind === 'booking') await addReceiver(stack, 'http://127.0.0.1:9999/');
  // Compiles the hot functions.
  await sell(stack, api.baseUrl, { kind, departures: stack.targets.length, connections: 64, seconds: 2 });
  const rounds = await inTurns(places.map((departures) => [`${kind} ${departures}`, measure(departures)]));
  return places.flatMap((departures) =>
    CONNECTIONS.flatMap((connections, n) => {
      const list = rounds.get(`${kind} ${departures}`)!;
      const what = `${kind}s: ${departures === 1 ? 'one departure' : `${departures} departures`}, ${connections} connections`;
      return rowsOf(
        what,
        list.map(({ plain, ours }) => ({ plain, ours: ours[n]! })),
        AIMS[kind][departures]![n]!,
      );
    }),
  );
}

function rowsOf(what: string, rounds: { plain: PlainRate; ours: LoadResult & Cost }[], aim: number): Row[] {
  const of = (figure: (round: (typeof rounds)[0]) => number) => rounded(median(rounds.map(figure)));
  return [
    {
      what,
      beside: 'pgbench, per second',
      ratios: rounds.map(({ plain, ours }) => ours.perSecond / plain.perSecond),
      aim: { atLeast: aim },
      figures: `${of(({ ours }) => ours.perSecond)}/s; pgbench ${of(({ plain }) => plain.perSecond)}/s (${rounds[0]!.plain.clients} clients); CPU ${of(({ ours }) => ours.nodeMs)} ms in Node, ${of(({ ours }) => ours.serverMs)} in PostgreSQL`,
    },
    {
      what: `p99 of ${what}`,
      beside: 'its p50',
      ratios: rounds.map(({ ours }) => ours.p99 / ours.p50),
      aim: { atMost: MOST_P99_TO_P50 },
      figures: `p50 ${of(({ ours }) => ours.p50)} ms, p99 ${of(({ ours }) => ours.p99)} ms`,
    },
  ];
}

/**
 * Compares the number of rows with the number of answers. Requests in flight at the end of a load may have rows without a counted
 * answer.
 */
async function checkRows(
  { db }: BenchStack,
  kind: SaleKind,
  answers: number,
  inFlight: number,
): Promise<void> {
  // In one statement, because requests in flight still commit.
  const counted = await db.raw<{ rows: [Record<'holds' | 'leads' | 'deliveries', string>] }>(
    `select (select count(*) from seat_holds) as holds, (select count(*) from booking_leads) as leads,
       (select count(*) from webhook_queue) as deliveries`,
  );
  const { holds, leads, deliveries } = counted.rows[0];
  const rows = Number(kind === 'hold' ? holds : leads);
  const more = rows - answers;
  if (more < 0 || more > inFlight) throw new Error(`${answers} answers, but ${rows} rows of a ${kind}`);
  if (kind === 'booking' && Number(deliveries) !== rows) throw new Error('a booking has no pending delivery');
}
