/** A request that is repeated during a change. */
export interface Ask {
  path: string;
  headers: Record<string, string>;
  /** Returns whether the answer shows the state before the change. */
  isOld(status: number, body: string): boolean;
}

interface Answered {
  begun: number;
  old: boolean;
}

export interface Outcome {
  /** Counts the old answers to requests that were sent before the change was acknowledged. */
  oldBefore: number;
  /**
   * Counts the requests that were sent after the change was acknowledged. `oldAfter` counts the old answers to these requests, and
   * must be 0.
   */
  after: number;
  oldAfter: number;
}

const WORKERS = 2;
const AFTERWARDS_MS = 100;
/** Allows for a slow machine. */
const TIMEOUT_MS = 20_000;

/**
 * Sends requests to all instances without pause, makes the change meanwhile, and continues for AFTERWARDS_MS.
 * @param change resolves with the time of the acknowledgement (performance.now)
 */
export async function hammer(baseUrls: string[], ask: Ask, change: () => Promise<number>): Promise<Outcome> {
  const answers: Answered[] = [];
  let going = true;
  const worker = async (baseUrl: string) => {
    while (going) answers.push(await askOnce(baseUrl, ask));
  };
  const workers = baseUrls.flatMap((baseUrl) => Array.from({ length: WORKERS }, () => worker(baseUrl)));
  await until(() => answers.length > 0);
  // Chooses a random instant between two polls.
  await pause(Math.random() * 500);
  const acknowledged = await change();
  await pause(AFTERWARDS_MS);
  await until(() => answers.some(({ begun }) => begun >= acknowledged));
  going = false;
  await Promise.all(workers);
  const after = answers.filter(({ begun }) => begun >= acknowledged);
  return {
    oldBefore: answers.filter(({ begun, old }) => begun < acknowledged && old).length,
    after: after.length,
    oldAfter: after.filter(({ old }) => old).length,
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < TIMEOUT_MS; waited += 10) await pause(10);
}

/** Sends one request. A request without an answer does not count as old. */
export async function askOnce(baseUrl: string, ask: Ask, timeoutMs = 20_000): Promise<Answered> {
  const begun = performance.now();
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(baseUrl + ask.path, { headers: ask.headers, signal });
    return { begun, old: ask.isOld(response.status, await response.text()) };
  } catch {
    return { begun, old: false };
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
