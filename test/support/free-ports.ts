import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/** Below the ports that systems give to outgoing connections, which could take a free port before a service listens on it. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/**
 * Returns free ports for the API, the webhook queue and the metrics, drawn at random. The port after the metrics port is also free, for
 * the metrics of the queue.
 */
export async function freePorts(): Promise<[api: number, queue: number, metrics: number]> {
  for (;;) {
    const first = randomInt(FIRST_PORT, LAST_PORT);
    const ports = [first, first + 1, first + 2, first + 3];
    const held = await Promise.allSettled(ports.map(listen));
    const servers = held.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all(servers.map(close));
    if (servers.length === ports.length) return [first, first + 1, first + 2];
  }
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
