import { createServer } from 'node:net';

const FIRST = 15_000;
/**
 * From this port on, the system chooses ports for outgoing connections. Such a connection can take the port of an instance that
 * restarts.
 */
const END = 32_000;

/** Returns consecutive free ports. */
export async function lowPorts(count: number): Promise<number[]> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (END - FIRST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) return ports;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
