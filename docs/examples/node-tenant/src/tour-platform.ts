import { setTimeout as sleep } from 'node:timers/promises';
import type { components, paths } from './openapi.js';

type Schemas = components['schemas'];
export type Problem = Schemas['ProblemDocument'];
export type CatalogItem = Schemas['CatalogItem'];
export type Filters = Schemas['CatalogFiltersAnswer'];
export type Tour = Schemas['TourDetail'];
export type Departure = Schemas['DepartureItem'];
export type Availability = Schemas['AvailabilityAnswer'];
export type Booking = Schemas['BookingDetail'];
/** The events of a booking. All but `booking.created` have `departure_time`. */
export type BookingEvent = Schemas['BookingCreatedEvent'] | Schemas['BookingEvent'];

type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that support a method, such as '/api/tenant/catalog' for get. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

/** The parameters of a call: the values of its path, query and body, as in the OpenAPI document. */
type Input<Operation> = (Operation extends { parameters: { path: infer Path } } ? { path: Path } : object) &
  (Operation extends { parameters: { query?: infer Query } } ? { query?: Query } : object) &
  BodyOf<Operation> & { idempotencyKey?: string };

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : object;

/** The body of a successful response; none for a delete. */
type Output<Operation> = Operation extends { responses: infer Answers }
  ? JsonOf<Answers[keyof Answers & (200 | 201 | 204)]>
  : never;

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : undefined;

/** A refusal: decide by `problem.code`, and log `problem.request_id`. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

const TRIES = 6;

export type TourPlatform = ReturnType<typeof connectTourPlatform>;

/** A client whose paths, values and answers are checked by the compiler. */
export function connectTourPlatform(baseUrl: string, apiKey: string) {
  /** @throws Refused if the platform refuses; repeats retryable errors with the same idempotency key */
  return async function call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: Input<paths[P][M]>,
  ): Promise<Output<paths[P][M]>> {
    const { idempotencyKey = crypto.randomUUID(), ...parts } = input as LooseInput;
    const request: RequestInit = {
      method: method.toUpperCase(),
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
    };
    const url = baseUrl + addressOf(path, parts);
    for (let attempt = 1; ; attempt++) {
      const { ok, data, retryAfter } = await send(url, request);
      if (ok) return data as Output<paths[P][M]>;
      const problem = data as Problem;
      if (!problem.retryable || attempt === TRIES) throw new Refused(problem);
      const backoff = 250 * 2 ** attempt * (0.5 + Math.random() / 2);
      await sleep(Math.max(backoff, retryAfter * 1000));
    }
  };
}

interface LooseInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
}

function addressOf(template: string, { path = {}, query = {} }: LooseInput): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length > 0 ? `${filled}?${new URLSearchParams(pairs).toString()}` : filled;
}

/** A missing response, or one that is not from the platform, counts as retryable. */
async function send(url: string, request: RequestInit) {
  try {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) });
    const text = await answer.text();
    const data: unknown = text ? JSON.parse(text) : undefined;
    return { ok: answer.ok, data, retryAfter: Number(answer.headers.get('Retry-After')) };
  } catch (error) {
    const data = { code: 'no_answer', detail: String(error), retryable: true };
    return { ok: false, data, retryAfter: 0 };
  }
}
