import { Agent, request } from 'node:http';
import type { Instance } from '../stack/service';
import type { SaleKind } from './load';
import { measurePlainLatency } from './pgbench';
import { inTurns, type Row, rounded } from './row';
import { addReceiver, type BenchStack, type Target } from './stack';
import { median } from './table';

const SECONDS = 3;
const REQUESTS = 600;
/** Requests before the measurement, in which Node compiles and PostgreSQL plans. */
const WARM_UP = 100;
const AIM = 3;

/**
 * Measures one client that waits for each answer on one kept connection. The client sends holds, and bookings with an
 * Idempotency-Key. Compares them with the bare transaction of one pgbench client on the same server.
 */
export async function measureLone(stack: BenchStack, api: Instance): Promise<Row[]> {
  await addReceiver(stack, 'http://127.0.0.1:9999/');
  const kinds: SaleKind[] = ['hold', 'booking'];
  const rounds = await inTurns(
    kinds.map((kind) => [
      kind,
      async () => {
        const plainMs = await measurePlainLatency(stack, kind, stack.targets.length, SECONDS);
        await stack.clearSales();
        return { plainMs, oursMs: await medianAnswer(stack, api, kind) };
      },
    ]),
  );
  return kinds.map((kind) => {
    const list = rounds.get(kind)!;
    const of = (figure: 'oursMs' | 'plainMs') => rounded(median(list.map((round) => round[figure])));
    return {
      what: `a single ${kind}, p50`,
      beside: 'pgbench, one client, mean',
      ratios: list.map(({ oursMs, plainMs }) => oursMs / plainMs),
      aim: { atMost: AIM },
      figures: `${of('oursMs')} ms; pgbench ${of('plainMs')} ms`,
    };
  });
}

let keys = 0;

async function medianAnswer(stack: BenchStack, api: Instance, kind: SaleKind): Promise<number> {
  const { targets } = stack;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const begun = performance.now();
    await sendSale(agent, stack, api, kind, targets[n % targets.length]!);
    if (n >= WARM_UP) times.push(performance.now() - begun);
  }
  agent.destroy();
  return median(times);
}

/** Sends one sale and reads the whole answer. @throws Error if it is refused */
export async function sendSale(
  agent: Agent,
  { apiKey }: BenchStack,
  api: Instance,
  kind: SaleKind,
  { slug, date }: Target,
): Promise<void> {
  const [path, body] =
    kind === 'hold'
      ? [`/api/gateway/tours/${slug}/hold`, { departure_date: date, quantity: 1 }]
      : [
          '/api/tenant/bookings',
          {
            tour_id: slug,
            departure_date: date,
            name: 'Ana Lima',
            phone: '+4930901820',
            email: 'ana@example.com',
          },
        ];
  const headers: Record<string, string> = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  };
  if (kind === 'booking') headers['idempotency-key'] = `lone-${process.pid}-${++keys}`;
  const { status, text } = await post(agent, api.baseUrl + path, headers, JSON.stringify(body));
  if (status !== 201) throw new Error(`the ${kind} of ${slug} was refused with ${status}: ${text}`);
}

/** Sends a request and reads the whole answer. */
function post(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => resolve({ status: response.statusCode!, text }));
    });
    sent.on('error', reject).end(body);
  });
}
