import type { ApiProcess } from './api-process';

/** The answer of one request of a race. */
export interface RaceAnswer<Body> {
  status: number;
  text: string;
  body: Body;
}

/** Sends a request to one process of a race. @param index the number of the process, modulo the number of processes */
export async function sendTo<Body>(
  processes: ApiProcess[],
  index: number,
  request: { method: string; path: string; body?: object; authorization: string },
): Promise<RaceAnswer<Body>> {
  const { method, path, body, authorization } = request;
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
  const url = processes[index % processes.length]!.baseUrl + path;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, body: (text ? JSON.parse(text) : {}) as Body };
}

/** Repeats the request while its answer is departure_busy. */
export async function untilDecided<Body extends { code?: string }>(
  request: () => Promise<RaceAnswer<Body>>,
): Promise<RaceAnswer<Body>> {
  const answer = await request();
  return answer.body.code === 'departure_busy' ? untilDecided(request) : answer;
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
