import { setTimeout as sleep } from 'node:timers/promises';
import { queryOnce } from '../../../services/platform/database/connect';

/** One question to a server: does it accept writes? Instants of performance.now(). */
interface Answer {
  asked: number;
  answered: number;
  writable: boolean;
}

export interface WritersWatch {
  /** Returns the last instant after `since` at which the server accepted writes; undefined if it accepted none. */
  lastWritable(server: number, since: number): number | undefined;
  /** Returns the milliseconds after `since` in which both servers accepted writes. */
  bothWritable(since: number): number;
  stop(): Promise<void>;
}

const EVERY_MS = 50;
const TIMEOUT_MS = 500;

/** Asks each server directly, without HAProxy. A server that does not answer in half a second accepts no writes. */
export function watchWriters(urls: string[]): WritersWatch {
  const answers: Answer[][] = urls.map(() => []);
  let stopped = false;
  const watch = async (url: string, into: Answer[]): Promise<void> => {
    while (!stopped) {
      const asked = performance.now();
      const writable = await isWritable(url);
      into.push({ asked, answered: performance.now(), writable });
      await sleep(EVERY_MS);
    }
  };
  const watching = urls.map((url, index) => watch(url, answers[index]!));
  const writable = (server: number, since: number) =>
    answers[server]!.filter((answer) => answer.writable && answer.asked > since);
  return {
    lastWritable: (server, since) => writable(server, since).at(-1)?.answered,
    bothWritable(since) {
      const [one, two] = [writable(0, since), writable(1, since)];
      const common = one.filter(({ asked, answered }) =>
        two.some((other) => other.asked < answered && other.answered > asked),
      );
      return common.length === 0 ? 0 : Math.round(common.at(-1)!.answered - common[0]!.asked);
    },
    async stop() {
      stopped = true;
      await Promise.all(watching);
    },
  };
}

const IS_WRITABLE = `select current_setting('transaction_read_only') = 'off' as writable`;

async function isWritable(url: string): Promise<boolean> {
  try {
    // Throws for a standby too.
    const rows = await queryOnce<{ writable: boolean }>(url, {
      text: IS_WRITABLE,
      values: [],
      timeoutMs: TIMEOUT_MS,
    });
    return rows[0]!.writable;
  } catch {
    return false;
  }
}
