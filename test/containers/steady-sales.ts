import { setTimeout as sleep } from 'node:timers/promises';
import { buy, type ContainerShop } from './shop';

/** Less than the default quotas allow. */
const EVERY_MS = 1200;
const RETRY_MS = 300;
/** Longer than any failover takes. */
const GIVE_UP_MS = 180_000;

export interface SteadySales {
  /** Ends the sales; a sale that was begun is retried until it is made. */
  stop(): Promise<SalesReport>;
}

export interface SalesReport {
  /** References of the acknowledged bookings. */
  bookings: string[];
  /** Answers that were no 201, and connections that failed. */
  failures: string[];
  /** The longest time between two sales, in milliseconds. */
  gapMs: number;
}

/** Sells one seat after the other. A sale that fails is sent again with its keys until it succeeds, or for three minutes. */
export function startSales(url: string, shop: ContainerShop, name: string): SteadySales {
  const report: SalesReport = { bookings: [], failures: [], gapMs: 0 };
  let stopped = false;
  const sellUntilMade = async (reference: string): Promise<string> => {
    for (const end = Date.now() + GIVE_UP_MS; Date.now() < end; await sleep(RETRY_MS)) {
      try {
        return await buy(url, shop, reference);
      } catch (error) {
        report.failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    throw new Error(`${reference} was not sold: ${report.failures.at(-1)}`);
  };
  const sell = async () => {
    let last = performance.now();
    for (let n = 1; !stopped; n++) {
      report.bookings.push(await sellUntilMade(`${name}-${n}`));
      report.gapMs = Math.max(report.gapMs, Math.round(performance.now() - last));
      last = performance.now();
      await sleep(EVERY_MS);
    }
  };
  const ended = sell();
  // stop() throws it.
  ended.catch(() => undefined);
  return {
    async stop() {
      stopped = true;
      await ended;
      return report;
    },
  };
}
