import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** Responds to the nth request (from 1), or not at all. */
export type Reaction = (response: ServerResponse, n: number, request: Received) => void;

export interface Receiver {
  url: string;
  received: Received[];
  react: (reaction: Reaction) => void;
  close(): Promise<void>;
}

/** Starts an HTTP server that records requests and responds 204 by default. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let reaction: Reaction = status(204);
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const one = { path: request.url ?? '', headers: request.headers, body, at: Date.now() };
      reaction(response, received.push(one), one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    react: (next) => (reaction = next),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responds with the given statuses in order, then repeats the last one. */
export function status(...codes: number[]): Reaction {
  return (response, n) => {
    response.statusCode = codes[Math.min(n, codes.length) - 1]!;
    response.end();
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
