import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { EndlessAnswerError } from './sending.errors';
import type { Borrower, Connection } from './connections';

interface Post {
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Answer {
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** At most its first 16 KiB; what a content-encoding stands for is not unpacked. */
  body: Buffer;
}

const KEPT_BYTES = 16 * 1024;
/** Heads like 103 Early Hints before the real one. */
const EARLY_HEADS_MAX = 16;

/**
 * One POST on this connection, which is given back or dropped with it. Once the head of the answer is there it succeeds: the status
 * was the answer, so a body that breaks off, is cut off by the signal, or never ends changes nothing.
 * @throws what the connection met, or the signal's reason
 */
export function postWebhook(
  connection: Connection,
  post: Post,
  { trace, signal }: Borrower,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: Omit<Answer, 'body'> | undefined;
    let earlyHeads = 0;
    let bytes = 0;
    let over = false;
    const chunks: Buffer[] = [];

    const finish = (error?: Error): void => {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', cutOff);
      trace.end();
      if (!head) reject(error!);
      else resolve({ ...head, body: Buffer.concat(chunks).subarray(0, KEPT_BYTES) });
    };
    const breakOff = (error: Error): void => {
      finish(error);
      connection.drop(error);
    };
    const cutOff = () => breakOff(signal.reason as Error);
    if (signal.aborted) return cutOff();
    signal.addEventListener('abort', cutOff);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => trace.enter('first_byte'),
      onResponseStart: (_controller, statusCode, headers) => {
        if (statusCode < 200) {
          if (++earlyHeads > EARLY_HEADS_MAX) breakOff(new EndlessAnswerError());
          return;
        }
        head = { statusCode, headers };
        trace.enter('body');
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > KEPT_BYTES) breakOff(new EndlessAnswerError());
      },
      onResponseEnd: () => {
        finish();
        connection.giveBack();
      },
      onResponseError: (_controller, error) => breakOff(error),
    };
    connection.client.dispatch({ ...post, method: 'POST' }, handler);
  });
}
