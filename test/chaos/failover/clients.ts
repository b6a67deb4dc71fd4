import { setTimeout as sleep } from 'node:timers/promises';
import { CUSTOMER, type Seats } from '../../support/website';

/** A purchase that must happen once, although it may be requested several times. The reference is also the Idempotency-Key. */
export interface Intent {
  kind: 'hold' | 'booking';
  reference: string;
  seats: Seats;
  quantity: number;
  /** The hold that the booking consumes. */
  holdId?: string;
}

/** The final answer: 201, or a refusal that no retry changes. */
export interface Acknowledged {
  intent: Intent;
  status: number;
  text: string;
  /** Time of the answer, by performance.now(). */
  at: number;
  tries: number;
  replayed: boolean;
}

/** One try. Status 0: no answer before the client's timeout. */
export interface Try {
  at: number;
  ms: number;
  status: number;
  code: string;
}

export interface Clients {
  acknowledged: Acknowledged[];
  tries: Try[];
  /** Lets each client finish its purchases. */
  finish(): Promise<void>;
  /** Stops at once, for a failed test. */
  giveUp(): void;
  /** Sends the same request again. */
  repeat(intent: Intent): Promise<Acknowledged>;
}

export interface Shop {
  /** URLs of the instances; each try uses a random one. */
  apis: string[];
  authorization: string;
  departures: Seats[];
}

const CLIENTS = 6;
/** A typical timeout of a website. Only the first client waits longer than any answer takes, to measure the longest answer. */
const TIMEOUT_MS = 2500;
const ENDLESS_MS = 60_000;
/** Share of the requests whose timeout is about as long as an answer takes, so that some answers are lost. */
const HASTY = 0.05;
const PAUSE_MS = 20;

/** Starts clients. Each client repeats a hold and a booking, and retries a request with the same key. Every third booking names no hold. */
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
      // Every third booking names no hold. The hold then stays unused, and the booking takes other seats.
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

/** Matches 5xx, 429 and the two temporary conflicts. */
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
