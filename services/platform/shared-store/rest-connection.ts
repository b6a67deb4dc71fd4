import { Pool } from 'undici';
import type { RestAddress } from './store-address';
import { StoreError, type StoreConnection, wrongReply } from './store-connection';

interface Waiting {
  command: string[];
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

const CONNECTIONS = 16;
/** Where the server does not say how long it keeps one. */
const IDLE_MS = 60_000;
const BATCH_MAX = 100;
/** Beyond the guard's own patience: so that a store that hangs leaves no sockets behind. */
const CLEANUP_MS = 500;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The Upstash-compatible protocol: a command is a JSON array, POSTed to the address, or several to its /pipeline. What is asked
 * in the same turn of the event loop goes together.
 */
export function openRestConnection({ url, token }: RestAddress): StoreConnection {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    connect: { timeout: CLEANUP_MS },
    headersTimeout: CLEANUP_MS,
    bodyTimeout: CLEANUP_MS,
    keepAliveTimeout: IDLE_MS,
    maxResponseSize: ANSWER_BYTES_MAX,
  });
  let waiting: Waiting[] = [];

  async function post(where: string, body: unknown): Promise<{ status: number; answer: unknown }> {
    const request = { path: where, method: 'POST' as const, headers, body: JSON.stringify(body) };
    // A server may close an idle connection in the moment in which we send on it. What then ran twice counts one request
    // more, or does again what it did.
    const response = await pool
      .request(request)
      .catch((error: { code?: string }) =>
        error.code === 'UND_ERR_SOCKET' ? pool.request(request) : Promise.reject(error as Error),
      );
    return { status: response.statusCode, answer: parse(await response.body.text()) };
  }

  async function send(batch: Waiting[]): Promise<void> {
    const commands = batch.map(({ command }) => command);
    const together = batch.length > 1;
    const { status, answer } = await (together
      ? post(`${path}/pipeline`, commands)
      : post(path || '/', commands[0]));
    const replies = together ? answer : [answer];
    if (!Array.isArray(replies) || replies.length !== batch.length) throw explain(status, answer);
    batch.forEach(({ resolve, reject }, index) => {
      const reply: unknown = replies[index];
      if (status === 200 && hasResult(reply)) resolve(reply.result);
      else reject(explain(status, reply));
    });
  }

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += BATCH_MAX) {
      const batch = all.slice(from, from + BATCH_MAX);
      send(batch).catch((error: Error) => batch.forEach(({ reject }) => reject(error)));
    }
  }

  return {
    run: ({ lua }, key, args) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ command: ['EVAL', lua, '1', key, ...args], resolve, reject }) === 1)
          setImmediate(sendAll);
      }),
    // Each request finds its own connection; one that hung is gone after CLEANUP_MS.
    renew: () => Promise.resolve(),
    close: () => pool.destroy(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasResult(reply: unknown): reply is { result: unknown } {
  return typeof reply === 'object' && reply !== null && 'result' in reply;
}

/** The store's own words without the command, which some append: its keys name credentials and addresses. */
function explain(status: number, reply: unknown): StoreError {
  const { error } = (reply ?? {}) as { error?: unknown };
  if (status === 401) return new StoreError('The store refused CACHE_REST_TOKEN (401)');
  if (typeof error === 'string') return new StoreError(error.split(/,? *command was/)[0]!.slice(0, 200));
  return status === 200 ? wrongReply() : new StoreError(`The store answered with status ${status}`);
}
