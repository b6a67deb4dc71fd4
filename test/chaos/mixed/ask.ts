import { setTimeout as sleep } from 'node:timers/promises';
import { between, pick, type Random } from './random';

/** One request. POST and PATCH carry an Idempotency-Key, and each retry carries the same one. */
export interface Question {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
  key?: string;
}

/** The definite answer: a success, or a refusal that no retry changes. */
export interface Definite {
  status: number;
  code: string;
  text: string;
  body: Record<string, unknown>;
  replayed: boolean;
}

/** Counters over all clients of a run. */
export class Figures {
  answered = 0;
  retries = 0;
  replayed = 0;
  /** Refusals because the seats are sold out. */
  soldOut = 0;
  private lastSuccess = performance.now();
  /** The longest time in which no client got a success, in milliseconds. */
  longestGap = 0;
  readonly reasons = new Map<string, number>();

  count({ status, replayed }: Definite): void {
    this.answered += 1;
    if (replayed) this.replayed += 1;
    if (status >= 300) return;
    const now = performance.now();
    this.longestGap = Math.max(this.longestGap, now - this.lastSuccess);
    this.lastSuccess = now;
  }

  retry(reason: string): void {
    this.retries += 1;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}

export interface Line {
  /** URLs of the instances; each try uses a random one. */
  apis: string[];
  authorization: string;
  random: Random;
  figures: Figures;
}

const TIMEOUT_MS = 5000;
/** Share of the attempts whose timeout is about as long as an answer takes, so that some answers are lost. */
const HASTY = 0.05;
/** Longer than any outage of this suite, on a slow machine too. */
const PATIENCE_MS = 180_000;

/** Repeats the request until the API gives a definite answer. @throws Error with the last answer if PATIENCE_MS pass without one */
export async function ask(line: Line, question: Question): Promise<Definite> {
  const { random, figures } = line;
  const until = Date.now() + PATIENCE_MS;
  for (let tries = 1; ; tries++) {
    const timeoutMs = random() < HASTY ? between(random, 1, 40) : TIMEOUT_MS;
    const answer = await askOnce(pick(random, line.apis), line.authorization, question, timeoutMs);
    if (answer.status !== 0 && !isTemporary(answer)) {
      figures.count(answer);
      return answer;
    }
    if (Date.now() > until)
      throw new Error(`${question.method} ${question.path} got no answer: ${answer.text}`);
    figures.retry(`${answer.status} ${answer.code}`);
    await sleep(Math.min(1000, 25 * 2 ** tries) * between(random, 0.5, 1.5));
  }
}

/** Sends the question once. Status 0: no answer, so the outcome is unknown. */
export async function askOnce(
  api: string,
  authorization: string,
  { method, path, body, key }: Question,
  timeoutMs: number,
): Promise<Definite> {
  const headers = {
    authorization,
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  try {
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    const response = await fetch(api + path, { method, headers, body: JSON.stringify(body), signal });
    const text = await response.text();
    const read = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const code = response.ok ? '' : String(read.code ?? read.error);
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, code, text, body: read, replayed };
  } catch (error) {
    const { name, message } = error as Error;
    return { status: 0, code: name, text: message, body: {}, replayed: false };
  }
}

/** Matches 5xx, 429 and the two temporary conflicts. */
function isTemporary({ status, code }: Definite): boolean {
  return status >= 500 || status === 429 || code === 'idempotency_in_progress' || code === 'departure_busy';
}
