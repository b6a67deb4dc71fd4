import { setTimeout as sleep } from 'node:timers/promises';
import { CUSTOMER, type Seats } from '../../support/website';

/** Something that a website wants once, however often it has to ask. Its reference is the Idempotency-Key too. */
export interface Intent {
  kind: 'hold' | 'booking';
  reference: string;
  seats: Seats;
  quantity: number;
  /** The hold that the booking consumes. */
  holdId?: string;
}

/** What ended the asking: 201, or a refusal that no retry changes. */
export interface Acknowledged {
  intent: Intent;
  status: number;
  text: string;
  /** performance.now() */
  at: number;
  tries: number;
  replayed: boolean;
}

/** One try. Status 0: nothing was heard in the client's patience. */
export interface Try {
  at: number;
  ms: number;
  status: number;
  code: string;
}

export interface Clients {
  acknowledged: Acknowledged[];
  tries: Try[];
  /** One more purchase of each, until all that is wanted is answered. */
  finish(): Promise<void>;
  /** At once, whatever was wanted: the test has failed. */
  giveUp(): void;
  /** The same request once more. */
  repeat(intent: Intent): Promise<Acknowledged>;
}

export interface Shop {
  /** Of the instances; each try goes to any of them. */
  apis: string[];
  authorization: string;
  departures: Seats[];
}

const CLIENTS = 6;
/** As long as any website waits. The first client waits longer than any answer may take, and so tells how long that is. */
const TIMEOUT_MS = 2500;
const ENDLESS_MS = 60_000;
/** A few give up just when the answer is under way. */
const HASTY = 0.05;
const PAUSE_MS = 20;

/** Begins at once: each client holds, books that hold, and books without one, in turn, and retries under the same key. */
export function startClients(shop: Shop): Clients {
  const acknowledged: Acknowledged[] = [];
  const tries: Try[] = [];
  let finishing = false;
  let givenUp = false;

  const ask = async (
    intent: Intent,
    timeoutMs: number,
  ): Promise<Try & { text: string; replayed: boolean }> => {
    const at = performance.now();
    const hasty = timeoutMs !== ENDLESS_MS && Math.random() < HASTY;
    const signal = AbortSignal.timeout(hasty ? Math.ceil(Math.random() * 40) : timeoutMs);
    try {
      const response = await fetch(addressOf(shop, intent), { ...requestOf(shop, intent), signal });
      const text = await response.text();
      const replayed = response.headers.get('idempotent-replayed') === 'true';
      const code = response.ok ? '' : String(JSON.parse(text).code);
      return { at, ms: performance.now() - at, status: response.status, code, text, replayed };
    } catch (error) {
      const code = (error as Error).name;
      return { at, ms: performance.now() - at, status: 0, code, text: '', replayed: false };
    }
  };
  const askUntilAnswered = async (intent: Intent, timeoutMs: number): Promise<Acknowledged> => {
    for (let tried = 1; ; tried++) {
      const { text, replayed, ...one } = await ask(intent, timeoutMs);
      tries.push(one);
      if (givenUp || (one.status !== 0 && !isWorthRetrying(one)))
        return { intent, status: one.status, text, at: one.at + one.ms, tries: tried, replayed };
      await sleep(Math.min(1000, 50 * 2 ** tried) * (0.5 + Math.random()));
    }
  };
  const buy = async (intent: Intent, timeoutMs: number): Promise<Acknowledged> => {
    const answer = await askUntilAnswered(intent, timeoutMs);
    acknowledged.push(answer);
    return answer;
  };
  const client = async (name: number): Promise<void> => {
    const timeoutMs = name === 0 ? ENDLESS_MS : TIMEOUT_MS;
    for (let n = 0; !finishing; n++) {
      const seats = shop.departures[(name + n) % shop.departures.length]!;
      const quantity = 1 + (n % 3);
      const hold = await buy({ kind: 'hold', reference: `hold-${name}-${n}`, seats, quantity }, timeoutMs);
      const booking: Intent = { kind: 'booking', reference: `order-${name}-${n}`, seats, quantity };
      const holdId = hold.status === 201 ? (JSON.parse(hold.text).hold_id as string) : undefined;
      // Every third hold stays one.
      await buy({ ...booking, holdId: n % 3 === 0 ? undefined : holdId }, timeoutMs);
      await sleep(PAUSE_MS);
    }
  };

  const working = Array.from({ length: CLIENTS }, (_, name) => client(name));
  return {
    acknowledged,
    tries,
    repeat: (intent) => askUntilAnswered(intent, TIMEOUT_MS),
    giveUp: () => (finishing = givenUp = true),
    async finish() {
      finishing = true;
      await Promise.all(working);
    },
  };
}

/** 5xx and 429, and the two conflicts that pass by themselves. */
function isWorthRetrying({ status, code }: Try): boolean {
  return status >= 500 || status === 429 || code === 'idempotency_in_progress' || code === 'departure_busy';
}

function addressOf({ apis }: Shop, { kind, seats }: Intent): string {
  const api = apis[Math.floor(Math.random() * apis.length)]!;
  return `${api}${kind === 'hold' ? `/api/gateway/tours/${seats.tour.slug}/hold` : '/api/tenant/bookings'}`;
}

function requestOf({ authorization }: Shop, intent: Intent): RequestInit {
  const { kind, reference, seats, quantity, holdId } = intent;
  const departure = { departure_date: seats.date, external_ref: reference };
  const body =
    kind === 'hold'
      ? { ...departure, quantity, hold_minutes: 60 }
      : { ...departure, ...CUSTOMER, tour_id: seats.tour.id, adults: quantity, hold_id: holdId };
  return {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', 'idempotency-key': reference },
    body: JSON.stringify(body),
  };
}
