import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/**
 * Returns free ports for the API, the webhook queue and the metrics. The port after the metrics port is also free, for the metrics
 * of the queue. Keeps all ports open until the last one is chosen, so that all differ.
 */
export async function freePorts(): Promise<[api: number, queue: number, metrics: number]> {
  for (;;) {
    const held = await Promise.all([listen(0), listen(0), listen(0)]);
    const ports = held.map(portOf) as [number, number, number];
    const next = await listen(ports[2] + 1).catch(() => undefined);
    await Promise.all([...held, ...(next ? [next] : [])].map(close));
    if (next) return ports;
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

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
