import { setTimeout as sleep } from 'node:timers/promises';

/** One request to /readyz. Status 0: no answer in a second, which a balancer counts as "not ready". */
interface Look {
  asked: number;
  answered: number;
  status: number;
}

export interface ReadinessWatch {
  /** Answers by instance, in the order of their addresses. */
  looks: Look[][];
  stop(): Promise<void>;
}

const EVERY_MS = 100;
const TIMEOUT_MS = 1000;

/** Polls /readyz as a balancer does, but more often. */
export function watchReadiness(addresses: string[]): ReadinessWatch {
  const looks: Look[][] = addresses.map(() => []);
  let stopped = false;
  const watch = async (address: string, into: Look[]): Promise<void> => {
    while (!stopped) {
      const asked = performance.now();
      const status = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
        async (response) => (await response.arrayBuffer(), response.status),
        () => 0,
      );
      into.push({ asked, answered: performance.now(), status });
      await sleep(EVERY_MS);
    }
  };
  const watching = addresses.map((address, index) => watch(address, looks[index]!));
  return {
    looks,
    async stop() {
      stopped = true;
      await Promise.all(watching);
    },
  };
}

/** Counts the "ready" answers between `from` and `until`. Each is wrong, because the database is down in this period. */
export function countWrongReady({ looks }: ReadinessWatch, from: number, until: number): number {
  return looks.flat().filter((look) => look.status === 200 && look.asked > from && look.answered < until)
    .length;
}
