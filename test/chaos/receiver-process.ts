import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { once } from 'node:events';
import { type Answer, type Kind, KINDS, kindOf, replyTo } from './kinds';

/**
 * Runs the receiver of all endpoints in a process that the test never kills. Reports its ports to the parent, and gets the secrets
 * of the endpoints. On any other message, reports all requests that it received.
 */
export interface Seen {
  path: string;
  /** The webhook-id header. */
  id: string;
  /** The answered status, even if the worker was already dead. Null if the receiver dropped the connection or did not answer. */
  status: number | null;
  /** Verified by the standardwebhooks library with the endpoint's secret. */
  verified: boolean;
  body: string;
}

export type Origins = Record<Kind, string>;

/** Signing secrets, keyed by the path of the endpoint. */
export type Secrets = Record<string, string>;

const seen: Seen[] = [];
const requests = new Map<string, number>();
let webhooks = new Map<string, Webhook>();

/** Starts the server of one kind. Connections are pooled by port, so that a broken connection affects only its kind. */
async function listen(): Promise<string> {
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.on('message', (message: Secrets | 'tell') => {
  if (message === 'tell') process.send!(seen);
  else webhooks = new Map(Object.entries(message).map(([path, secret]) => [path, new Webhook(secret)]));
});
void Promise.all(KINDS.map(async (kind) => [kind, await listen()] as const)).then((origins) =>
  process.send!(Object.fromEntries(origins) as Origins),
);
process.once('disconnect', () => process.exit());

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request).catch(() => undefined);
  // Ignores an incomplete request of a worker that was killed while it sent the request.
  if (body === undefined) return;
  const path = request.url ?? '';
  const { 'webhook-id': id = '' } = request.headers;
  const one: Seen = {
    path,
    id: String(id),
    status: null,
    body,
    verified: verify(path, body, request.headers as Record<string, string>),
  };
  seen.push(one);
  const nth = (requests.get(path) ?? 0) + 1;
  requests.set(path, nth);
  const reply = replyTo(kindOf(path), nth);
  if (reply === 'hang') return;
  if (reply === 'drop-in-head') response.socket?.write('HTTP/1.1 204 No Con');
  if (typeof reply === 'string') return void response.socket?.destroy();
  if (reply.afterMs) await sleep(reply.afterMs);
  one.status = reply.status;
  answer(response, reply);
}

function answer(response: ServerResponse, { status, retryAfter, thenDrop }: Answer): void {
  const { socket } = response;
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  response.end(() => void (thenDrop && socket?.destroy()));
}

function verify(path: string, body: string, headers: Record<string, string>): boolean {
  try {
    webhooks.get(path)!.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
