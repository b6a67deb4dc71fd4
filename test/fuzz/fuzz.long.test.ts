import { randomBytes } from 'node:crypto';
import { type Response } from 'supertest';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { useTestDatabase } from '../support/database';
import { checkAnswer } from '../support/documented-answers';
import { OPERATIONS } from '../support/documented-operations';
import { freePorts } from '../support/free-ports';
import { daysFromToday, givenDeparture, givenKey, givenTenant, givenTour, unique } from '../support/given';
import { givenWidgetToken } from '../widget/given-widget';
import { type FuzzRequest, generateRequest } from './generate-request';
import { KnownValues } from './known-values';
import { malformedRequest } from './malformed-requests';
import { mutateRequest } from './mutate-request';
import { inspectProcess, type ProcessInspector } from './process-inspector';
import { createRandom } from './random';
import { addressOf, sendBytes, Sender } from './send-request';

/** The long form is `npm run lab -- fuzz`. */
const REQUESTS = Number(process.env.REQUESTS ?? 3000);
const SEED = process.env.FUZZ_SEED ?? randomBytes(4).toString('hex');
/** Requests that are sent at the same time. */
const BATCH = 16;
const MUTATED_SHARE = 0.6;
const MALFORMED_SHARE = 0.03;
/** Start times of the departures of the first date. */
const TIMES = ['09:30', '14:30'];
/** The operations with a body. They are chosen more often, because most fields are in bodies. */
const OPERATIONS_WITH_BODY = OPERATIONS.filter(({ body }) => body);
const WITH_BODY_SHARE = 0.4;
const CPU_MAX_MS = 100;
/** The maximum size of the headers, and of each body except OCTO's. */
const HTTP_BYTES_MAX = 16 * 1024;
/** The number of operations that may have no success in a short run, because each needs an object in a rare state. */
const MISSED_MAX = REQUESTS < 10_000 ? 5 : 0;
/** Growth of the heap in the second half of the requests, which caches may cause. */
const HEAP_GROWTH_MAX_MB = 16;

const database = useTestDatabase();
const known = new KnownValues();
let api: ApiProcess;
let inspector: ProcessInspector;
let sender: Sender;
let credentials: { key: string; token: string };

beforeAll(async () => {
  const [, port] = await freePorts();
  api = await startApiProcess(database.url, { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  inspector = await inspectProcess(port);
  sender = new Sender(api.baseUrl);
  await givenCatalog();
}, 60_000);
afterAll(async () => {
  sender?.close();
  inspector?.close();
  await api?.kill();
});

/** Creates a tenant that may sell without reaching a limit, and tours with seats for all requests. */
async function givenCatalog(): Promise<void> {
  const { db } = database;
  const tenant = await givenTenant(db, { maxHolds: 10_000, maxUnpaid: 10_000 });
  credentials = { key: await givenKey(db, tenant), token: (await givenWidgetToken(db, tenant)).token };
  const dates = [30, 37, 44].map(daysFromToday);
  for (let n = 0; n < 4; n++) {
    const tour = await givenTour(db, { tags: ['boat'] });
    // Every second tour has two departures on the first date.
    const times = n % 2 ? TIMES : [undefined];
    for (const date of dates)
      for (const startTime of date === dates[0] ? times : times.slice(0, 1))
        await givenDeparture(db, tour, {
          date,
          startTime,
          seats: 100_000,
          prices: { adult: 50_000, child: 25_000 },
        });
    known.add('id_or_slug', tour.slug, tour.id);
    known.add('tour_id', tour.slug, tour.id);
    if (n > 0) continue;
    // Adds only one product, so that the known availabilities belong to it.
    known.add('productId', tour.id);
    known.add('octoReadProduct.id', tour.id);
    const ids = await db('departures').where({ tour_id: tour.id }).pluck('id');
    known.add('availabilityId', ...ids);
    known.add('availabilityIds', ...ids.map((id) => [id]));
  }
  for (const name of [
    'departure_date',
    'from',
    'to',
    'departs_from',
    'departs_to',
    'departure_from',
    'departure_to',
  ])
    known.add(name, ...dates);
  known.add('departure_time', ...TIMES);
  for (const name of ['localDate', 'localDateStart', 'localDateEnd']) known.add(name, ...dates);
  known.add('external_ref', unique('order'), unique('order'));
  known.add('optionId', 'DEFAULT');
  known.add('unitId', 'adult', 'adult', 'child');
  known.add('updated_since', new Date(Date.now() - 60_000).toISOString());
}

/** Counts the answers of the run. */
const figures = {
  statuses: new Map<string, number>(),
  reached: new Set<string>(),
  cut: 0,
  slowest: { ms: 0, request: '' },
};
const failures: string[] = [];

it('the API answers each random request as the OpenAPI document says, and none with 500', async () => {
  let heapAtHalf = Infinity;
  for (let first = 0; first < REQUESTS && failures.length < 10; first += BATCH) {
    if (heapAtHalf === Infinity && first >= REQUESTS / 2) heapAtHalf = await inspector.heapMb();
    const requests = Array.from({ length: BATCH }, (_, n) => requestOf(first + n));
    const before = await inspector.cpuMs();
    await Promise.all(requests.map(sendAndCheck));
    if ((await inspector.cpuMs()) - before > CPU_MAX_MS)
      for (const request of requests) await checkCpu(request);
  }
  const heapAtEnd = await inspector.heapMb();
  printFigures(heapAtHalf, heapAtEnd);
  expect(failures).toEqual([]);
  const missed = OPERATIONS.map(({ id }) => id).filter((id) => !figures.reached.has(id));
  expect(missed.slice(MISSED_MAX)).toEqual([]);
  expect(heapAtEnd - heapAtHalf).toBeLessThan(HEAP_GROWTH_MAX_MB);
}, 3_600_000);

type Sent = { index: number } & ({ request: FuzzRequest } | { bytes: Buffer });

/** Makes the request with this number. The same seed and number make the same choices. */
function requestOf(index: number): Sent {
  const random = createRandom(`${SEED}:${index}`);
  if (random.chance(MALFORMED_SHARE)) return { index, bytes: malformedRequest(random) };
  const operation = random.pick(random.chance(WITH_BODY_SHARE) ? OPERATIONS_WITH_BODY : OPERATIONS);
  const request = generateRequest(random, known, operation);
  if (operation.credential === 'token') request.query.push(['token', credentials.token]);
  else request.headers.authorization = `Bearer ${random.chance(0.97) ? credentials.key : credentials.token}`;
  if (random.chance(MUTATED_SHARE)) mutateRequest(request, random);
  return { index, request };
}

async function sendAndCheck(sent: Sent): Promise<void> {
  try {
    if ('bytes' in sent) return checkRefusal(sent, await sendBytes(api.baseUrl, sent.bytes));
    const answer = await sender.send(sent.request);
    count(sent.request, answer);
    // Node refuses too many headers before the API sees the path, so no operation documents this answer.
    if (answer.status === 400 && answer.text.includes('more than 16 KiB of headers')) return;
    if (answer.status === 500 || answer.status > 503) fail(sent, `status ${answer.status}: ${answer.text}`);
    checkAnswer(answer);
  } catch (error) {
    explain(sent, error as Error);
  }
}

/**
 * Reports an error of a connection. Ignores three errors: headers that Node cannot send, a connection cut after a body that is too
 * long, and a HEAD request with too many headers.
 */
function explain(sent: Sent, error: NodeJS.ErrnoException): void {
  const code = error.code ?? '';
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') return;
  if ('bytes' in sent) return fail(sent, error.message);
  const { method, bytes, headers } = sent.request;
  if ((bytes?.length ?? 0) > HTTP_BYTES_MAX && ['ECONNRESET', 'EPIPE'].includes(code))
    return void figures.cut++;
  const headerBytes = addressOf(sent.request).length + JSON.stringify(headers).length;
  if (method === 'HEAD' && headerBytes > HTTP_BYTES_MAX && code === 'HPE_CLOSED_CONNECTION') return;
  fail(sent, error.message);
}

function count({ operation, method }: FuzzRequest, { status, body }: Response): void {
  const key = `${status}`;
  figures.statuses.set(key, (figures.statuses.get(key) ?? 0) + 1);
  if (status >= 300) return;
  const { method: documented } = OPERATIONS.find(({ id }) => id === operation)!;
  if (method !== documented) return;
  figures.reached.add(operation);
  known.learn(operation, body);
}

/** Bytes that are not HTTP get a refusal or no answer. Changed bytes may be a correct request. */
function checkRefusal(sent: Sent, statusLine: string): void {
  const status = Number(statusLine.split(' ')[1] ?? 0);
  figures.statuses.set('malformed', (figures.statuses.get('malformed') ?? 0) + 1);
  if (status >= 500 && status !== 501 && status !== 505) fail(sent, statusLine);
}

/** Repeats a request of an expensive batch alone, three times. The shortest time counts, because other load only adds time. */
async function checkCpu(sent: Sent): Promise<void> {
  let least = Infinity;
  for (let times = 0; times < 3 && least > CPU_MAX_MS / 2; times++) {
    const before = await inspector.cpuMs();
    await sendAndCheck(sent);
    least = Math.min(least, (await inspector.cpuMs()) - before);
  }
  if (least > figures.slowest.ms) figures.slowest = { ms: least, request: describeSent(sent).slice(0, 200) };
  if (least > CPU_MAX_MS) fail(sent, `${Math.round(least)} ms of CPU`);
}

function fail(sent: Sent, issue: string): void {
  failures.push(`FUZZ_SEED=${SEED}, request ${sent.index}: ${issue.slice(0, 800)}\n${describeSent(sent)}`);
}

function describeSent(sent: Sent): string {
  if ('bytes' in sent) return JSON.stringify(sent.bytes.toString('latin1').slice(0, 500));
  const { request } = sent;
  const bytes = request.bytes?.toString('latin1').slice(0, 300);
  return `${request.method} ${addressOf(request).slice(0, 500)} ${JSON.stringify({ ...request, bytes }).slice(0, 1500)}`;
}

function printFigures(heapAtHalf: number, heapAtEnd: number): void {
  const statuses = [...figures.statuses].sort().map(([status, times]) => `${status}: ${times}`);
  process.stdout.write(
    `Seed ${SEED}: ${REQUESTS} requests, ${statuses.join(', ')}; ${figures.cut} cut; ${figures.reached.size} of ${OPERATIONS.length} operations succeeded; ` +
      `most CPU of a request ${figures.slowest.ms.toFixed(0)} ms (${figures.slowest.request}); heap ${heapAtHalf.toFixed(1)} MB after half, ${heapAtEnd.toFixed(1)} MB at the end\n`,
  );
}
