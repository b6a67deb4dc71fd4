import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthServer {
  url: string;
  close(): Promise<void>;
}

export interface HealthOptions {
  host: string;
  port: number;
  /** What is missing, in a word or two; undefined when all is there. */
  whyNotReady: () => Promise<string | undefined>;
}

/** /healthz says that the process lives, /readyz that it can work. Rejects if the port is taken. */
export async function startHealthServer({ host, port, whyNotReady }: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answer(request, response, whyNotReady));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  whyNotReady: HealthOptions['whyNotReady'],
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (path !== '/healthz' && path !== '/readyz') return send(response, 404, { status: 'not found' });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return send(response, 405, { status: 'method not allowed' });
  }
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  const reason = await whyNotReady().catch(() => 'the database does not answer');
  send(response, reason ? 503 : 200, reason ? { status: 'not ready', reason } : { status: 'ready' });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
  });
  response.end(JSON.stringify(body));
}
