/*
 * Measures the cost of resources: `npm run bench -- resources`. Compares a sale of a departure that uses two of them with a sale of one that uses
 * none, a rush on ten departures of one boat with a rush on one departure, and the lists of their years.
 */
import { Agent } from 'node:http';
import type { Instance } from '../stack/service';
import { daysFromToday, givenTour, type GivenTour } from '../support/given';
import { givenResource, givenUses } from '../support/given-resources';
import { sell, type SaleKind } from './load';
import { sendSale } from './lone';
import { cellsOf, COLUMNS, inTurns, type Row, rounded } from './row';
import { type BenchStack, type Target, withStack } from './stack';
import { median, printTable } from './table';

/** Days with one departure of each tour. */
const DAYS = 365;
const SEATS = 100_000;
const SALES = 250;
/** Sales of each departure before the measurement, in which Node compiles and PostgreSQL plans. */
const WARM_UP = 50;
const RUSH = { kind: 'hold', connections: 64, seconds: 3 } as const;
const RUSH_TIMES = ['08:00', '09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:00', '17:00'];

export async function measureResources(): Promise<void> {
  await withStack(async (stack, api) => {
    const tours = await givenFleet(stack);
    const rows = [
      ...(await measureSale(stack, api, tours)),
      await measureYear(stack, api, tours),
      await measureRush(stack, api, tours.plain),
    ];
    printTable('Resources', COLUMNS, rows.map(cellsOf));
  });
}

interface Fleet {
  /** Uses no resource. */
  plain: GivenTour;
  /** Shares a boat and a guide with a second tour, and the boat has another trip on each day. */
  reef: GivenTour;
}

async function givenFleet({ db }: BenchStack): Promise<Fleet> {
  const boat = await givenResource(db, { places: SEATS, turnaround: 30 });
  const guide = await givenResource(db, { kind: 'guide', places: SEATS, turnaround: 30 });
  const shared = { shared: true, minutes: 180 };
  const morning = [
    { resource: boat, ...shared },
    { resource: guide, ...shared },
  ];
  const givenYear = async (time: string, uses?: Parameters<typeof givenUses>[2]) => {
    const tour = await givenTour(db, { durationDays: 1 });
    if (uses) await givenUses(db, tour, uses);
    const days = Array.from({ length: DAYS }, (_, day) => ({
      tour_id: tour.id,
      departure_date: daysFromToday(day + 2),
      start_time: time,
      seats_total: SEATS,
      prices_minor: JSON.stringify({ adult: 50_000 }),
    }));
    await db.batchInsert('departures', days);
    return tour;
  };
  const [plain, reef] = [await givenYear('09:00'), await givenYear('09:00', morning)];
  await givenYear('09:00', morning);
  await givenYear('14:00', [{ resource: boat, minutes: 180 }]);
  await db.raw('vacuum analyze');
  return { plain, reef };
}

/** Measures one client that sells on both tours in turns, one sale after the other. */
async function measureSale(stack: BenchStack, api: Instance, { plain, reef }: Fleet): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const kinds: SaleKind[] = ['hold', 'booking'];
  const timed = async (kind: SaleKind, { slug }: GivenTour, n: number) => {
    const begun = performance.now();
    await sendSale(agent, stack, api, kind, { slug, date: daysFromToday(2 + (n % 20)) });
    return performance.now() - begun;
  };
  const rounds = await inTurns(
    kinds.map((kind) => [
      `a ${kind}`,
      async () => {
        await stack.clearSales();
        const times: { ours: number; plain: number }[] = [];
        for (let n = 0; n < SALES; n++)
          times.push({ plain: await timed(kind, plain, n), ours: await timed(kind, reef, n) });
        const of = (which: 'ours' | 'plain') => median(times.slice(WARM_UP).map((time) => time[which]));
        return { ours: of('ours'), plain: of('plain') };
      },
    ]),
  );
  agent.destroy();
  return kinds.map((kind) =>
    compare(`a single ${kind} with two resources, p50`, 'without', rounds.get(`a ${kind}`)!, {
      aim: { atMost: 1.3 },
      unit: ' ms',
    }),
  );
}

/** Measures the list of a year, whose free seats are read from the database each time. */
async function measureYear(stack: BenchStack, api: Instance, { plain, reef }: Fleet): Promise<Row> {
  const timed = async ({ slug }: GivenTour, n: number) => {
    const until = daysFromToday(DAYS + 2 + n);
    const begun = performance.now();
    const url = `${api.baseUrl}/api/tenant/tours/${slug}/departures?limit=366&to=${until}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${stack.apiKey}` } });
    const { items } = (await answer.json()) as { items?: unknown[] };
    if (items?.length !== DAYS) throw new Error(`the list was answered with ${answer.status}`);
    return performance.now() - begun;
  };
  const rounds: { ours: number; plain: number }[] = [];
  for (let n = 0; n < 15; n++) rounds.push({ plain: await timed(plain, n), ours: await timed(reef, n) });
  return compare('a list of 365 departures with two resources', 'without', rounds.slice(3), {
    aim: { atMost: 1.5 },
    unit: ' ms',
  });
}

/** Measures the holds that 64 connections place. */
async function measureRush(stack: BenchStack, api: Instance, plain: GivenTour): Promise<Row> {
  const { db } = stack;
  const boat = await givenResource(db, { places: SEATS, units: 10 });
  const date = daysFromToday(30);
  const boats = await Promise.all(
    RUSH_TIMES.map(async (time): Promise<Target> => {
      const tour = await givenTour(db, { durationDays: 1 });
      await givenUses(db, tour, [{ resource: boat, minutes: 600 }]);
      await db('departures').insert({
        tour_id: tour.id,
        departure_date: date,
        start_time: time,
        seats_total: SEATS,
        prices_minor: JSON.stringify({ adult: 50_000 }),
      });
      return { slug: tour.slug, date };
    }),
  );
  const rate = (name: string, targets: Target[]) => async () => {
    await stack.clearSales();
    const lines = { ...stack, targetsFile: () => stack.fileOf(name, targets) };
    return (await sell(lines, api.baseUrl, { ...RUSH, departures: targets.length })).perSecond;
  };
  const ofBoat = rate('boat', boats);
  const ofOne = rate('one', [{ slug: plain.slug, date }]);
  await ofOne();
  await ofBoat();
  const rounds = await inTurns([
    ['one departure', ofOne],
    ['ten departures of a boat', ofBoat],
  ]);
  const ones = rounds.get('one departure')!;
  const pairs = rounds.get('ten departures of a boat')!.map((ours, n) => ({ ours, plain: ones[n]! }));
  return compare('holds: ten departures of one boat, 64 connections', 'one departure without', pairs, {
    aim: { atLeast: 0.5 },
    unit: '/s',
  });
}

function compare(
  what: string,
  beside: string,
  rounds: { ours: number; plain: number }[],
  { aim, unit }: { aim: Row['aim']; unit: string },
): Row {
  const of = (which: 'ours' | 'plain') => rounded(median(rounds.map((round) => round[which])));
  return {
    what,
    beside,
    ratios: rounds.map(({ ours, plain }) => ours / plain),
    aim,
    figures: `${of('ours')}${unit}; without ${of('plain')}${unit}`,
  };
}
