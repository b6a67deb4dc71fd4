import type { ApiProcess } from './api-process';

/** The answer of one request of a race. */
export interface RaceAnswer<Body> {
  status: number;
  text: string;
  body: Body;
}

interface RaceRequest {
  method: string;
  path: string;
  body?: object;
  authorization: string;
  /** Further headers, such as an Idempotency-Key. */
  headers?: object;
}

/** Sends a request to one process of a race. @param index the number of the process, modulo the number of processes */
export async function sendTo<Body>(
  processes: ApiProcess[],
  index: number,
  { method, path, body, authorization, headers: more }: RaceRequest,
): Promise<RaceAnswer<Body>> {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }), ...more };
  const url = processes[index % processes.length]!.baseUrl + path;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, body: (text ? JSON.parse(text) : {}) as Body };
}

/** The part of a body that says why a request is refused. */
interface Refusable {
  code?: string;
}

/** Repeats the request while `isBusy` says so of its answer: while it is departure_busy, if `isBusy` is left out. */
export async function untilDecided<Body extends Refusable>(
  request: () => Promise<RaceAnswer<Body>>,
  isBusy = ({ body }: RaceAnswer<Body>) => body.code === 'departure_busy',
): Promise<RaceAnswer<Body>> {
  const answer = await request();
  return isBusy(answer) ? untilDecided(request, isBusy) : answer;
}

/** Counts the answers for which `wordsOf` returns the same words, such as `409 insufficient_seats`. */
export function tally<T>(answers: T[], wordsOf: (answer: T) => unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const outcome = wordsOf(answer).filter(Boolean).join(' ');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Counts the answers by status and code. */
export function outcomesOf<Body extends Refusable>(answers: RaceAnswer<Body>[]): Record<string, number> {
  return tally(answers, ({ status, body }) => [status, body.code]);
}
