import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { BenchStack, Target } from './stack';

const CONNECTIONS = 16;
const TICK_MS = 10;
/** The requests of one round. The load repeats the round. Six of ten requests are reads. */
const ROUND = [
  'availability',
  'tour',
  'hold',
  'catalog',
  'booking',
  'departures',
  'availability',
  'hold',
  'widget',
  'confirm',
] as const;
type Kind = (typeof ROUND)[number];

/** A load at a steady rate, which does not wait for answers. */
export interface MixedLoad {
  sent: number;
  bookings: number;
  confirmed: number;
  /** Answers that are not 2xx, and requests without an answer. */
  refused: string[];
  /** Returns the milliseconds of all answers since the last call. */
  takeTimes(): number[];
  stop(): Promise<void>;
}

interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

export function startMixedLoad(stack: BenchStack, baseUrl: string, perSecond: number): MixedLoad {
  const pool = new Pool(baseUrl, { connections: CONNECTIONS, pipelining: 1 });
  /** Bookings that are not confirmed yet. */
  const unpaid: string[] = [];
  let times: number[] = [];
  let stopping = false;
  const inFlight = new Set<Promise<void>>();
  const load: MixedLoad = {
    sent: 0,
    bookings: 0,
    confirmed: 0,
    refused: [],
    takeTimes() {
      const taken = times;
      times = [];
      return taken;
    },
    async stop() {
      stopping = true;
      await sending;
      await Promise.all(inFlight);
      await pool.close();
    },
  };

  const ask = async (kind: Kind, request: Request) => {
    const begun = performance.now();
    const { method, path, headers, body } = request;
    const authorization = `Bearer ${stack.apiKey}`;
    const answer = await pool.request({
      method,
      path,
      body: body && JSON.stringify(body),
      headers: {
        ...(kind === 'widget' ? {} : { authorization }),
        'content-type': 'application/json',
        ...headers,
      },
    });
    const text = await answer.body.text();
    times.push(performance.now() - begun);
    if (answer.statusCode >= 300)
      throw new Error(`${kind} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    if (kind === 'confirm') load.confirmed++;
    if (kind !== 'booking') return;
    load.bookings++;
    unpaid.push((JSON.parse(text) as { booking_ref: string }).booking_ref);
  };
  const send = (n: number) => {
    const kind = ROUND[n % ROUND.length]!;
    const request = requestOf(kind, n, stack, unpaid);
    if (!request) return;
    load.sent++;
    const asked = ask(kind, request)
      .catch((error: Error) => void load.refused.push(error.message))
      .finally(() => inFlight.delete(asked));
    inFlight.add(asked);
  };
  const begun = performance.now();
  const sending = (async () => {
    for (let n = 0; !stopping; await sleep(TICK_MS))
      for (const due = ((performance.now() - begun) * perSecond) / 1000; n < due; n++) send(n);
  })();
  return load;
}

/** Returns the n-th request of the load. Returns undefined for a confirmation if no booking waits for its payment. */
function requestOf(
  kind: Kind,
  n: number,
  { targets, widgetToken }: BenchStack,
  unpaid: string[],
): Request | undefined {
  const { slug, date }: Target = targets[(n * 7) % targets.length]!;
  const tour = `/api/tenant/tours/${slug}`;
  const gateway = `/api/gateway/tours/${slug}`;
  switch (kind) {
    case 'availability':
      return { method: 'GET', path: `${gateway}/availability?departure_date=${date}` };
    case 'tour':
      return { method: 'GET', path: tour };
    case 'departures':
      return { method: 'GET', path: `${tour}/departures` };
    case 'catalog':
      return { method: 'GET', path: '/api/tenant/catalog?limit=24' };
    case 'widget': {
      const visitor = `203.0.${(n >> 8) % 256}.${n % 256}`;
      const headers = { 'x-svc-widget-token': widgetToken, 'x-forwarded-for': visitor };
      return { method: 'GET', path: '/api/widget/tours', headers };
    }
    case 'hold':
      return { method: 'POST', path: `${gateway}/hold`, body: { departure_date: date, quantity: 1 } };
    case 'booking': {
      const body = { ...CUSTOMER, tour_id: slug, departure_date: date, adults: 1, external_ref: `soak-${n}` };
      return {
        method: 'POST',
        path: '/api/tenant/bookings',
        headers: { 'idempotency-key': `soak-${n}` },
        body,
      };
    }
    case 'confirm': {
      const reference = unpaid.shift();
      return reference
        ? { method: 'POST', path: `/api/tenant/bookings/${reference}/confirm`, body: {} }
        : undefined;
    }
  }
}
