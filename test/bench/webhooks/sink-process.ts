import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from './contender';

/** Responds 204 to every POST. Tells its parent when the expected number of requests has arrived. */
export interface Expectation {
  count: number;
}

export interface Answered {
  /** Time of the first response. */
  firstAt: number;
}

let expected = Infinity;
let count = 0;
let firstAt = 0;

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(204).end();
    if (count++ === 0) firstAt = now();
    if (count === expected) process.send!({ firstAt } satisfies Answered);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));

process.on('message', (next: Expectation) => {
  expected = next.count;
  count = 0;
});
process.once('disconnect', () => process.exit());
