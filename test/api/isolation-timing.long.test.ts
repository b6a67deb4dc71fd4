import http from 'node:http';
import { useTestApi } from '../support/api';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { daysFromToday, givenDeparture, givenVisibilityRule } from '../support/given';
import { useWebsite } from '../support/website';
import { useConformance } from '../octo/conformance-api';
import {
  CALLS_WITH_IDS,
  givenSales,
  type Ids,
  type IsolationCall,
  requestOfCall,
  withUnknownIds,
} from './isolation-calls';

/**
 * Sends each call in pairs with the key of another tenant: once with the owner's ids, once with unknown ids. A difference in time
 * would tell which ids exist. Counts the pairs in which the owner's ids took longer. Without a difference, this is half of the
 * pairs: other work on the machine delays both calls of a pair alike. The standard deviation is half the square root of the number
 * of pairs. The measurement ends when the count is at most two deviations from the half. The test fails at five deviations after 600
 * pairs. Noise causes such a failure once in 10,000 runs of all calls.
 */
const PAIRS_MAX = 600;
const PAIRS_A_ROUND = 100;
/** With many departures, a request for a visible tour takes long. A difference between known and unknown ids would then show. */
const DEPARTURES = 1000;

const api = useTestApi();
const { reseller: owner, tours } = useConformance(api);
const stranger = useWebsite(api);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let running: ApiProcess;
let theirs: Ids;
let unknownIds: Ids;

beforeAll(async () => {
  await givenVisibilityRule(api.db, stranger, tours.startTime, false);
  for (let n = 0; n < DEPARTURES; n++)
    await givenDeparture(api.db, tours.startTime, { date: daysFromToday(20 + n) });
  theirs = await givenSales(owner, tours);
  unknownIds = withUnknownIds(theirs);
  running = await startApiProcess(api.database.url);
});
afterAll(async () => {
  agent.destroy();
  await running?.kill();
});

/** Sends the call over the kept connection. @returns the status and the milliseconds until the end of the answer */
async function measure(call: IsolationCall, ids: Ids): Promise<{ status: number; ms: number }> {
  const { method, path, query, body } = requestOfCall(call, ids);
  const url = `${running.baseUrl}${path}?${new URLSearchParams(query).toString()}`;
  const bytes = Buffer.from(body ? JSON.stringify(body) : '');
  const headers = {
    authorization: stranger.authorization,
    ...(body && { 'content-type': 'application/json', 'content-length': bytes.length }),
  };
  const before = performance.now();
  const response = await new Promise<http.IncomingMessage>((answered, failed) => {
    http
      .request(url, { agent, method: method.toUpperCase(), headers })
      .on('response', answered)
      .on('error', failed)
      .end(bytes);
  });
  await response.resume().toArray();
  return { status: response.statusCode!, ms: performance.now() - before };
}

/** Measures a round of pairs. @returns the number of pairs in which the owner's ids took longer than unknown ids */
async function countSlower(call: IsolationCall): Promise<number> {
  const statuses = new Set<number>();
  let slower = 0;
  for (let pair = 0; pair < PAIRS_A_ROUND; pair++) {
    const isFirst = pair % 2 === 0;
    const first = await measure(call, isFirst ? theirs : unknownIds);
    const second = await measure(call, isFirst ? unknownIds : theirs);
    if (first.ms > second.ms === isFirst) slower += 1;
    statuses.add(first.status).add(second.status);
  }
  expect([[400], [404]]).toContainEqual([...statuses]);
  return slower;
}

it.each(CALLS_WITH_IDS)(
  '%s takes the same time for ids of another tenant and for unknown ids',
  async (_title, call) => {
    let [slower, pairs, deviations] = [0, 0, Infinity];
    while (Math.abs(deviations) > 2 && pairs < PAIRS_MAX) {
      slower += await countSlower(call);
      pairs += PAIRS_A_ROUND;
      deviations = (slower - pairs / 2) / (Math.sqrt(pairs) / 2);
    }
    expect(Math.abs(deviations)).toBeLessThan(5);
  },
  600_000,
);
