import { Pool } from 'undici';
import type { RestAddress } from './store-address';
import { COMMAND_TIMEOUT_MS, StoreError, type StoreConnection, wrongReply } from './store-guard';

interface Waiting {
  command: string[];
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

const CONNECTIONS = 16;
/** Used if the server does not announce its idle timeout. */
const IDLE_MS = 60_000;
const BATCH_MAX = 100;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Speaks the Upstash-compatible protocol: POSTs a command as a JSON array to the URL, or several commands to <URL>/pipeline. Sends all
 * commands of one turn of the event loop together. Closes the sockets of a store that hangs, or that sends a response byte by byte, after
 * `timeoutMs`.
 */
export function openRestConnection(
  { url, token }: RestAddress,
  timeoutMs = COMMAND_TIMEOUT_MS,
): StoreConnection {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    connect: { timeout: timeoutMs },
    keepAliveTimeout: IDLE_MS,
    maxResponseSize: ANSWER_BYTES_MAX,
  });
  let waiting: Waiting[] = [];

  async function post(where: string, body: unknown): Promise<{ status: number; answer: unknown }> {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = { path: where, method: 'POST' as const, headers, body: JSON.stringify(body), signal };
    // Sends the request again if the server closed the idle connection at the same moment. If the command then runs twice, the store counts
    // one request too many, or nothing changes the second time.
    const response = await pool
      .request(request)
      .catch((error: { code?: string }) =>
        error.code === 'UND_ERR_SOCKET' ? pool.request(request) : Promise.reject(error as Error),
      );
    return { status: response.statusCode, answer: parse(await response.body.text()) };
  }

  async function send(batch: Waiting[]): Promise<void> {
    const commands = batch.map(({ command }) => command);
    const isPipeline = batch.length > 1;
    const { status, answer } = await (isPipeline
      ? post(`${path}/pipeline`, commands)
      : post(path || '/', commands[0]));
    const replies = isPipeline ? answer : [answer];
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
    // Does nothing: the pool opens new connections itself, and a connection that hangs ends by its timeout.
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

/** Keeps the store's message, but removes the command that some stores append: the keys in the command name credentials and addresses. */
function explain(status: number, reply: unknown): StoreError {
  const { error } = (reply ?? {}) as { error?: unknown };
  if (status === 401)
    return new StoreError(
      'The store refused CACHE_REST_TOKEN (401): set the token that the store gives for reading and writing',
    );
  if (typeof error === 'string') return new StoreError(error.split(/,? *command was/)[0]!.slice(0, 200));
  return status === 200
    ? wrongReply()
    : new StoreError(
        `The store answered with status ${status}: check CACHE_REST_URL, and the log of the store`,
      );
}
