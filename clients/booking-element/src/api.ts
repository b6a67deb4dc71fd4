import type {
  Alternative,
  Booking,
  BookingBody,
  DeparturePage,
  TimedHold,
  Hold,
  HoldBody,
  Problem,
  Tour,
} from './wire.ts';

/** A call that the site's server refused, or that got no answer. */
export class SiteError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** The calls of the site's server. Each one throws SiteError, or the reason of the signal once it is aborted. */
export interface Api {
  readTour(slug: string, lang: string): Promise<Tour>;
  /** Reads one page of the departures of a tour. @param cursor undefined: the first page */
  readDepartures(slug: string, cursor?: string): Promise<DeparturePage>;
  hold(body: HoldBody): Promise<TimedHold>;
  /** Gets the cookie of a visitor, unless there is a valid one. */
  greet(): Promise<unknown>;
  /** Reads the hold of the visitor, of any status. */
  readHold(): Promise<TimedHold>;
  extendHold(): Promise<TimedHold>;
  releaseHold(): Promise<unknown>;
  /** Books the hold. The same body may be sent again: the hold is booked once. */
  book(body: BookingBody): Promise<Booking>;
  /** Reads the newest booking of the visitor. */
  readBooking(): Promise<Booking>;
}

export interface ApiOptions {
  /** The absolute address of the proxy, without a slash at its end. */
  base: string;
  /** Ends all calls. */
  signal: AbortSignal;
  /** Is called before a call waits for its next try. */
  onDelay(): void;
  timeoutMs?: number;
  /** By then all calls have ended: no try waits beyond it. Milliseconds of the clock; 30 s from now unless given. */
  endsAt?: number;
}

/** A repeated call waits for 1, 2 and 4 s, or as long as the answer says. */
const REPEATS = 3;
/**
 * All calls of one click of the visitor end after so long.
 * @rule how long a click of the element may take: test/unit/site-calls.test.ts
 */
export const CLICK_MS = 30_000;
/** Two tries without an answer fit into a click. */
const TIMEOUT_MS = 14_000;
/** The most departures in one page. */
const PAGE = '366';

export function createApi(options: ApiOptions): Api {
  const { endsAt = Date.now() + CLICK_MS } = options;
  const call = (method: string, path: string, field = '', body?: object) =>
    callWithRepeats(options, { method, path, field, body }, endsAt);
  const read = async <T>(path: string, field: string) => (await call('GET', path, field)).answer as T;
  const hold = async (method: string, path: string, body?: object) =>
    timedHold(await call(method, path, 'hold_id', body));
  return {
    readTour: async (slug, lang) => {
      const path = `${tourPath(slug)}?${new URLSearchParams({ lang })}`;
      const { answer, ...seen } = await call('GET', path, 'categories');
      return { ...(answer as Tour), ...seen };
    },
    readDepartures: (slug, cursor) => {
      const query = new URLSearchParams({ limit: PAGE });
      if (cursor !== undefined) query.set('cursor', cursor);
      return read(`${tourPath(slug)}/departures?${query}`, 'items');
    },
    hold: (body) => hold('POST', '/hold', body),
    greet: () => call('OPTIONS', '/hold'),
    readHold: () => hold('GET', '/hold'),
    extendHold: () => hold('POST', '/hold/extend', {}),
    releaseHold: () => call('DELETE', '/hold'),
    book: async (body) => (await call('POST', '/booking', 'booking_ref', body)).answer as Booking,
    readBooking: () => read('/booking', 'booking_ref'),
  };
}

function tourPath(slug: string): string {
  return `/tours/${encodeURIComponent(slug)}`;
}

interface Call {
  method: string;
  path: string;
  /** A field that the answer of the proxy has, and that of another program lacks. Empty: the answer has no content. */
  field: string;
  body?: object;
}

interface Answered {
  /** Undefined: the answer has no content. */
  answer: unknown;
  /** Milliseconds by which the visitor's clock is ahead of the site's. Rounded down, so that no hold seems to last longer than it does. */
  clockAhead: number;
  /** The most seats of one hold, which a tour's answer names. */
  seatsMax: number | undefined;
}

function timedHold({ answer, clockAhead }: Answered): TimedHold {
  const hold = answer as Hold;
  return { hold, endsAt: Date.parse(hold.expires_at) + clockAhead };
}

/** Repeats a call whose answer was lost, or that may succeed later. All calls may be sent twice. */
async function callWithRepeats(options: ApiOptions, call: Call, endsAt: number): Promise<Answered> {
  for (let repeats = 0; ; repeats += 1) {
    const outcome = await callOnce(options, call);
    if (!('code' in outcome)) return outcome;
    const seconds = secondsToWait(outcome, repeats, (endsAt - Date.now()) / 1000);
    if (seconds === undefined) throw new SiteError(outcome);
    if (seconds > 0) options.onDelay();
    await pause(seconds * 1000, options.signal);
  }
}

/**
 * Returns after how many seconds to repeat a call; undefined: not without a click of the visitor.
 * @param left the seconds until all calls end
 * @rule when the element repeats a call by itself: test/unit/site-calls.test.ts
 */
export function secondsToWait(
  { code, retryable, retryAfter }: Problem,
  repeats: number,
  left: number,
): number | undefined {
  // The answer has removed the cookie, or another process of the site knows it.
  if (code === 'invalid_visitor') return repeats === 0 ? 0 : undefined;
  if (!retryable || repeats >= REPEATS) return undefined;
  const seconds = retryAfter ?? 2 ** repeats;
  return seconds < left ? seconds : undefined;
}

async function callOnce(
  options: ApiOptions,
  { method, path, field, body }: Call,
): Promise<Answered | Problem> {
  const { base, signal, timeoutMs = TIMEOUT_MS } = options;
  try {
    const response = await fetch(base + path, {
      method,
      // Also without a body: Astro takes a write without a type for a form of another site, where it does not know its own host.
      headers: { 'Content-Type': 'application/json' },
      body: body && jsonOf(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return await readAnswer(response, field);
  } catch {
    signal.throwIfAborted();
    return { code: 'network', retryable: true };
  }
}

/** Writes a body as JSON. Ignores every `toJSON`: the one of old libraries for arrays, such as Prototype 1.6, makes a text of a list. */
function jsonOf(body: object): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, key) {
    return this[key];
  });
}

async function readAnswer(response: Response, field: string): Promise<Answered | Problem> {
  const { status, ok, headers } = response;
  const seen = readHeaders(headers);
  if (status === 204) return { answer: undefined, ...seen };
  const answer = await readObject(response);
  if (answer && ok && field in answer) return { answer, ...seen };
  const retryAfter = Number(headers.get('Retry-After')) || undefined;
  if (typeof answer?.code === 'string') return { ...readProblem(answer), code: answer.code, retryAfter };
  // A proxy before the site answers so while the site restarts.
  const retryable = status === 429 || status >= 500;
  return { code: retryable ? 'internal_error' : 'not_found', status, retryable, retryAfter };
}

/** Returns a problem without the entries of its lists that no view could show: a program before the proxy may have written it. */
function readProblem(answer: Partial<Problem>): Partial<Problem> {
  return {
    ...answer,
    errors: listOf(answer.errors).filter(({ field }) => typeof field === 'string'),
    alternatives: listOf(answer.alternatives).filter(isAlternative),
  };
}

/** Returns the objects of a list. A value that is no list has none. */
function listOf<T>(value: readonly T[] | undefined): T[] {
  return Array.isArray(value) ? (value as readonly T[]).filter((item) => item instanceof Object) : [];
}

function isAlternative({ departure_date, departure_time, seats_available }: Alternative): boolean {
  const time = departure_time === null ? '00:00' : departure_time;
  return Date.parse(`${departure_date}T${time}:00Z`) > 0 && Number.isInteger(seats_available);
}

function readHeaders(headers: Headers): Omit<Answered, 'answer'> {
  return {
    // The header has whole seconds, rounded down. Without it, the clocks count as equal.
    clockAhead: Date.now() - 1000 - Date.parse(headers.get('Date')!) || 0,
    seatsMax: Number(headers.get('Seats-Max')) || undefined,
  };
}

/** Reads the body of an answer. Undefined: it is no JSON object. @throws if the body does not arrive */
async function readObject(response: Response): Promise<Partial<Problem> | undefined> {
  const text = await response.text();
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object ? value : undefined;
  } catch {
    return undefined;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', end);
  });
}
