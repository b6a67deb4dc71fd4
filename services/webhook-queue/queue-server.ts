import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Db } from '../platform/database/database';
import { closeServer, listen, createHttpServer, HTTP_LIMITS } from '../platform/http/edge';
import type { Logger } from '../platform/logger';
import type { TrustProxy } from '../platform/config/variables';
import { createMonitorApp } from './monitor/http/app';
import type { Monitor } from './monitor/http/serve';
import { refuseUnreadableForm } from './monitor/http/errors';
import { createLiveUpdates, createStreams } from './monitor/http/live';

/** Time that open requests have to finish when the server closes. */
const CLOSE_MS = 1000;
/** Limits connections: few operators use the page, and the worker needs the memory. */
const LIMITS = { ...HTTP_LIMITS, connections: 1_000, connectionsPerAddress: 200 };

interface QueueServerOptions {
  host: string;
  port: number;
  trustProxy: TrustProxy;
  log: Logger;
  /** Returns the reason why the service is not ready; undefined when it is ready. */
  whyNotReady: () => Promise<string | undefined>;
}

export interface QueueServer {
  url: string;
  /**
   * Starts to serve the monitoring page. Before this call, and after the page is stopped, the page answers 503. Returns a function that
   * stops the page. Call that function before the database closes.
   */
  openMonitor(options: MonitorOptions): () => Promise<void>;
  close(): Promise<void>;
}

interface MonitorOptions {
  /** A separate pool, so that a slow page delays no claim. */
  db: Db;
  secretsKey: string;
  /** Interval of heartbeats to live pages and of checks of their sessions. */
  heartbeatMs?: number;
}

/** Starts the server for health, readiness and the monitoring page. Rejects if the port is taken. */
export async function startQueueServer(options: QueueServerOptions): Promise<QueueServer> {
  const { host, port, log, trustProxy, whyNotReady } = options;
  let monitor: Monitor | undefined;
  const app = createMonitorApp({ log, trustProxy, whyNotReady, monitor: () => monitor });
  const server = createHttpServer(app, LIMITS, refuseUnreadableForm(log));
  await listen(server, host, port);
  return {
    url: urlOf(server),
    openMonitor({ db, secretsKey, heartbeatMs }) {
      const streams = createStreams(db, createLiveUpdates(db, log), heartbeatMs);
      monitor = { db, secretsKey, streams };
      return async () => {
        monitor = undefined;
        streams.stop();
      };
    },
    close: () => closeServer(server, CLOSE_MS),
  };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
