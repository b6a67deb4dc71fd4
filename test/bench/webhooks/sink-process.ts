import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from './contender';

/**
 * Responds 204 to every POST. Responds at once, or after three seconds if the path is under /slow. Tells its parent when the
 * expected requests have arrived.
 */
const SLOW_MS = 3000;

export interface Expectation {
  /** Path prefix of the expected requests. */
  prefix: string;
  count: number;
}

export interface Arrivals {
  /** Time of each response, in order. */
  answeredAt: number[];
}

let expected: Expectation = { prefix: '/', count: Infinity };
let answeredAt: number[] = [];

const server = createServer((request, response) => {
  const url = request.url ?? '';
  request.resume().once('end', () => {
    const answer = () => {
      response.writeHead(204).end();
      if (url.startsWith(expected.prefix)) arrived();
    };
    if (url.startsWith('/slow')) setTimeout(answer, SLOW_MS);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));

function arrived(): void {
  answeredAt.push(now());
  if (answeredAt.length === expected.count) process.send!({ answeredAt } satisfies Arrivals);
}

process.on('message', (next: Expectation) => {
  expected = next;
  answeredAt = [];
});
process.once('disconnect', () => process.exit());
