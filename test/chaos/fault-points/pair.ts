import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lowPorts } from '../../stack/low-ports';
import { PEPPER } from '../../support/given';
import { supervise, type Supervised } from '../mixed/supervise';
import { startStatementProxy, type StatementProxy } from './statement-proxy';

/** An API and the proxy between this API and PostgreSQL. */
export interface Watched {
  api: Supervised;
  proxy: StatementProxy;
}

/** Longer than a start on a slow machine. */
const READY_MS = 180_000;

export interface Pair {
  both: [Watched, Watched];
  stop(): Promise<void>;
}

/**
 * Starts two APIs, so that one API serves requests while the other restarts.
 * @param settings the SECRETS_KEY of the APIs, and other variables
 */
export async function startPair(databaseUrl: string, settings: Record<string, string>): Promise<Pair> {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-fault-points-'));
  const ports = await lowPorts(4);
  const start = async (): Promise<Watched> => {
    const url = new URL(databaseUrl);
    const proxy = await startStatementProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    const [port, metrics] = [ports.pop()!, ports.pop()!];
    const env = {
      CURSOR_KEY: 'c'.repeat(32),
      KEY_PEPPER: PEPPER,
      LOG_LEVEL: 'warn',
      GATEWAY_HOLD_RPM: '1000000',
      GATEWAY_BOOKING_RPM: '1000000',
      METRICS_PORT: `${metrics}`,
    };
    const api = supervise({
      service: 'api' as const,
      dir,
      port,
      env: { ...env, DATABASE_URL: url.href, ...settings },
    });
    return { api, proxy };
  };
  const both: Pair['both'] = [await start(), await start()];
  return {
    both,
    async stop() {
      await Promise.all(both.map(({ api }) => api.stop()));
      await Promise.all(both.map(({ proxy }) => proxy.stop()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function untilReady({ api }: Watched): Promise<void> {
  for (const end = Date.now() + READY_MS; !(await api.isReady()); await sleep(20))
    if (Date.now() > end) throw new Error(`${api.baseUrl} is not ready`);
}
