import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** Answers the nth request (from 1); leaving the response alone means that it never comes. */
export type Reaction = (response: ServerResponse, n: number, request: Received) => void;

export interface Receiver {
  url: string;
  received: Received[];
  react: (reaction: Reaction) => void;
  close(): Promise<void>;
}

/** A real HTTP server that keeps what it was sent, and says 204 unless told otherwise. */
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

/** The given statuses in turn, then the last for ever. */
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
