import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CUSTOMER, type Seats } from '../support/website';

export interface Target {
  url: string;
  authorization: string;
  seats: Seats[];
  /** Prefix of all references and keys of this load, so that several loads can share one database. */
  name?: string;
}

/** Requests of a load and their outcomes. No request is sent twice. */
export interface Load {
  counts: Record<string, number>;
  /** Answers that are not 2xx, and requests without an answer. */
  lost: string[];
  /** Acknowledged bookings and holds, by their reference. */
  bookings: Map<string, string>;
  holds: Map<string, string>;
  /** Duration of each request in milliseconds. */
  took: number[];
  stop(): Promise<void>;
}

const KINDS = ['catalog', 'availability', 'hold', 'hold with key', 'booking', 'booking with key'] as const;
export type Kind = (typeof KINDS)[number];

/** Runs `clients` websites. Each website has one kept-alive connection, sends one request at a time, and pauses shortly after each. */
export function startLoad(
  target: Target,
  clients: number,
  breathMs: number,
  kinds: readonly Kind[] = KINDS,
): Load {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  let stopping = false;
  const running: Promise<void>[] = [];
  const load: Load = {
    counts: {},
    lost: [],
    bookings: new Map(),
    holds: new Map(),
    took: [],
    async stop() {
      stopping = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
  const client = async (name: number) => {
    for (let n = name; !stopping; n++) {
      const kind = kinds[n % kinds.length]!;
      const ref = `${target.name ?? ''}${name}-${n}`;
      await ask(load, agent, requestOf(target, kind, ref), kind, ref);
      await sleep(breathMs);
    }
  };
  for (let name = 0; name < clients; name++) running.push(client(name));
  return load;
}

interface Request {
  url: string;
  headers: http.OutgoingHttpHeaders;
  body?: object;
}

function requestOf({ url, authorization, seats }: Target, kind: Kind, ref: string): Request {
  const { tour, date } = seats[ref.length % seats.length]!;
  const key = kind.endsWith('with key') ? { 'idempotency-key': ref } : {};
  const headers = { authorization, 'content-type': 'application/json', ...key };
  switch (kind) {
    case 'catalog':
      return { url: `${url}/api/tenant/catalog`, headers };
    case 'availability':
      return { url: `${url}/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`, headers };
    case 'hold':
    case 'hold with key':
      return {
        url: `${url}/api/gateway/tours/${tour.slug}/hold`,
        headers,
        body: { departure_date: date, quantity: 1, external_ref: ref },
      };
    default:
      return {
        url: `${url}/api/tenant/bookings`,
        headers,
        // Leaves out the holds of other websites.
        body: { ...CUSTOMER, tour_id: tour.id, departure_date: date, external_ref: ref },
      };
  }
}

async function ask(load: Load, agent: http.Agent, request: Request, kind: Kind, ref: string): Promise<void> {
  const begun = performance.now();
  load.counts[kind] = (load.counts[kind] ?? 0) + 1;
  try {
    const { status, text } = await send(agent, request);
    load.took.push(performance.now() - begun);
    if (status >= 300) load.lost.push(`${kind} ${ref}: ${status} ${text.slice(0, 300)}`);
    else if (kind.startsWith('booking')) load.bookings.set(ref, JSON.parse(text).booking_ref);
    else if (kind.startsWith('hold')) load.holds.set(ref, JSON.parse(text).hold_id);
  } catch (error) {
    load.lost.push(`${kind} ${ref}: ${String(error)}`);
  }
}

function send(agent: http.Agent, { url, headers, body }: Request): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, headers, method: body ? 'POST' : 'GET' }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve({ status: response.statusCode!, text }));
      response.once('error', reject);
    });
    request.once('error', reject).end(body && JSON.stringify(body));
  });
}
