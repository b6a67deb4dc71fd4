import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import type { TrustProxy } from '../platform/trust-proxy';
import { createMonitorApp } from './monitor/http/app';
import type { Monitor } from './monitor/http/edge';
import { answerMalformedRequests } from './monitor/http/malformed-request';
import { createStreams } from './monitor/http/streams';
import { createLive } from './monitor/pages/live';

const CLOSE_MS = 1000;

export interface QueueServerOptions {
  host: string;
  port: number;
  trustProxy: TrustProxy;
  log: Logger;
  /** What is missing, in a word or two; undefined when all is there. */
  whyNotReady: () => Promise<string | undefined>;
}

export interface QueueServer {
  url: string;
  /**
   * Serves the monitoring page from now on, and until what it returns is called: do that before the database closes. Before
   * and after, its addresses answer 503.
   */
  openMonitor(options: MonitorOptions): () => Promise<void>;
  close(): Promise<void>;
}

export interface MonitorOptions {
  /** A pool of its own, so that a slow page holds up no claim. */
  db: Db;
  secretsKey: string;
  /** How often a live page is told that it still is, and its session is judged. */
  heartbeatMs?: number;
}

/** Health, readiness, and the monitoring page. Rejects if the port is taken. */
export async function startQueueServer(options: QueueServerOptions): Promise<QueueServer> {
  const { host, port, log, trustProxy, whyNotReady } = options;
  let monitor: Monitor | undefined;
  const server = createServer(
    TIMEOUTS,
    createMonitorApp({ log, trustProxy, whyNotReady, monitor: () => monitor }),
  );
  // A client that does not read its answer is cut. A live page hears something more often.
  server.setTimeout(30_000);
  server.maxConnections = CONNECTIONS_MAX;
  // Those who only keep a connection make room for a probe of /healthz.
  server.on('connection', () => {
    server.getConnections((_error, count) => {
      if (count > CONNECTIONS_MAX * 0.9) server.closeIdleConnections();
    });
  });
  answerMalformedRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    url: urlOf(server),
    openMonitor({ db, secretsKey, heartbeatMs }) {
      const streams = createStreams(db, createLive(db, log), heartbeatMs);
      monitor = { db, secretsKey, streams };
      return async () => {
        monitor = undefined;
        streams.stop();
      };
    },
    close: () => close(server),
  };
}

const CONNECTIONS_MAX = 1000;

const TIMEOUTS = {
  // A client that drips its request is cut; kept-alive connections outlive a balancer's idle minute.
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // How often Node looks for such a client; by default only every half minute.
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  // Judged in monitor/http/malformed-request.ts, which answers in our words.
  requireHostHeader: false,
};

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** What is being answered has a second to end. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(cut);
}
