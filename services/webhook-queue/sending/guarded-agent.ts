import { type Borrower, type Connection, createConnections } from './connections';
import { AttemptError } from './attempt';
import { isBrokenConnection } from './classify-response';
import type { ConnectionRules } from './open-connection';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface OutgoingWebhook {
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface GuardedAgent {
  /**
   * Sends one POST to an address that `resolveTarget` allows. Follows no redirect.
   * @throws errors of resolveTarget and of the connection, or the reason of the cutoff
   */
  post(webhook: OutgoingWebhook, borrower: Borrower): Promise<WebhookResponse>;
  destroy(): Promise<void>;
}

/**
 * Creates the agent that sends webhooks to allowed addresses only. A server may close an idle connection at the moment when a request is
 * sent, and no timeout prevents this. Such an attempt ends as `hung_up` and is repeated at once (retry-schedule.ts). If the first request
 * did arrive, the receiver recognises the repeated request by its webhook-id.
 */
export function createGuardedAgent(rules: ConnectionRules): GuardedAgent {
  const connections = createConnections(rules);
  return {
    destroy: connections.destroy,
    post: async ({ url, headers, body }, borrower) => {
      const { origin } = url;
      const post = { method: 'POST' as const, path: url.pathname + url.search, headers, body };
      const connection = connections.take(origin, borrower);
      try {
        return await postWebhook(connection, post, borrower);
      } catch (error) {
        if (!connection.kept || borrower.cutoff.reason || !isBrokenConnection(error)) throw error;
        // Closes the other idle connections to this origin, because the receiver may have closed them too.
        connections.dropKept(origin);
        throw new AttemptError(
          'hung_up',
          'The receiver closed the kept connection as the request was sent; it may have arrived.',
        );
      }
    },
  };
}

interface Post {
  method: 'POST';
  /** Path and query of the URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** The first 16 KiB; a content-encoding is not decoded. */
  body: Buffer;
}

const KEPT_BYTES = 16 * 1024;
const NO_BODY = Buffer.alloc(0);
/** Limits interim responses such as 103 Early Hints. */
const EARLY_HEADS_MAX = 16;

/**
 * Sends one POST on this connection and then keeps or closes the connection. The status alone decides the outcome. So, after the response
 * head has arrived, the promise resolves even if the body fails, is cut off, or is too large.
 * @throws errors of the connection, or the reason of the cutoff
 */
function postWebhook(
  connection: Connection,
  post: Post,
  { trace, cutoff }: Borrower,
): Promise<WebhookResponse> {
  return new Promise((resolve, reject) => {
    let head: Omit<WebhookResponse, 'body'> | undefined;
    let earlyHeads = 0;
    let bytes = 0;
    let over = false;
    const chunks: Buffer[] = [];

    const finish = (error?: Error): void => {
      if (over) return;
      over = true;
      cutoff.remove(abort);
      trace.end();
      if (!head) reject(error!);
      else
        resolve({
          statusCode: head.statusCode,
          headers: head.headers,
          body: chunks.length === 0 ? NO_BODY : Buffer.concat(chunks).subarray(0, KEPT_BYTES),
        });
    };
    const abort = (error: Error): void => {
      finish(error);
      connection.drop(error);
    };
    if (cutoff.reason) return abort(cutoff.reason);
    cutoff.add(abort);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => trace.enter('first_byte'),
      onResponseStart: (_controller, statusCode, headers) => {
        if (statusCode < 200) {
          if (++earlyHeads > EARLY_HEADS_MAX) abort(noFinalResponse());
          return;
        }
        head = { statusCode, headers };
        trace.enter('body');
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > KEPT_BYTES) abort(tooLarge());
      },
      onResponseEnd: () => {
        finish();
        connection.giveBack();
      },
      onResponseError: (_controller, error) => abort(error),
    };
    connection.client.dispatch(post, handler);
  });
}

function noFinalResponse(): AttemptError {
  return new AttemptError(
    'connection',
    `The receiver sent more than ${EARLY_HEADS_MAX} interim responses (1xx) and no final one: it must answer with a final status.`,
  );
}

function tooLarge(): AttemptError {
  return new AttemptError('connection', 'The response is larger than 16 KiB: only its beginning was read.');
}
