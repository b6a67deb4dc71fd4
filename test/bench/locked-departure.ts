import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Instance } from '../stack/service';
import { inTurns, type Row, rounded } from './row';
import type { BenchStack, Target } from './stack';
import { median } from './table';

const WAITING = 200;
/** Time for the requests to arrive; a request waits two seconds for a lock. */
const ARRIVE_MS = 300;
const MEASURE_MS = 800;
const ROUNDS = 5;

/** Measures a hold on a free departure while another one is locked and has 200 requests waiting. */
export async function measureLockedDeparture(stack: BenchStack, api: Instance): Promise<Row[]> {
  const pool = new Pool(api.baseUrl, { connections: WAITING + 1, pipelining: 1 });
  const [locked, ...free] = stack.targets;
  const hold = ({ slug, date }: Target) => placeHold(pool, stack.apiKey, slug, date);
  const measure = async () => {
    await stack.clearSales();
    const alone = await timeHolds(free, hold);
    const other = await stack.db.transaction();
    await other('departures as d')
      .whereIn('d.tour_id', stack.db('tours').where({ slug: locked!.slug }).select('id'))
      .forUpdate();
    const waiting = Promise.allSettled(Array.from({ length: WAITING }, () => hold(locked!)));
    await sleep(ARRIVE_MS);
    const beside = await timeHolds(
      free.filter(({ slug }) => slug !== locked!.slug),
      hold,
    );
    await other.rollback();
    const refused = (await waiting).filter(({ status }) => status === 'rejected').length;
    return { alone, beside, refused };
  };
  await timeHolds(free, hold);
  try {
    const rounds = (await inTurns([['locked departure', measure]], ROUNDS)).get('locked departure')!;
    return [
      {
        what: `a hold while ${WAITING} requests wait for another departure`,
        beside: 'p50 without them',
        ratios: rounds.map(({ alone, beside }) => beside / alone),
        aim: { atMost: 1.5 },
        figures:
          `p50 ${rounded(median(rounds.map(({ beside }) => beside)))} ms; alone ${rounded(median(rounds.map(({ alone }) => alone)))} ms; ` +
          `${median(rounds.map(({ refused }) => refused))} of the waiting refused`,
      },
    ];
  } finally {
    await pool.close();
  }
}

/** Places one hold after another. @returns their median in milliseconds */
async function timeHolds(targets: Target[], hold: (target: Target) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (const until = performance.now() + MEASURE_MS; performance.now() < until;) {
    const begun = performance.now();
    await hold(targets[times.length % targets.length]!);
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** @throws Error if the hold is refused */
async function placeHold(pool: Pool, apiKey: string, slug: string, date: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: `/api/gateway/tours/${slug}/hold`,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ departure_date: date, quantity: 1, hold_minutes: 10 }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`a hold answered ${statusCode}: ${text}`);
}
