import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { keepActiveSpan } from '../traces';
import { type ConnectionLimits, discardInput, lingerOnClose } from './connections';

export interface RequestsInTurn {
  listener: RequestListener;
  /** Returns the newest request of the connection that has no complete response. */
  lastUnanswered(socket: Socket): PendingExchange | undefined;
  /** Accepts no more requests of the connection, and ends it after the pending responses. */
  endAfterLast(socket: Socket): void;
}

interface PendingExchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** True when the app has got the request. */
  hasBegun: boolean;
  /** Gives the request to the app. */
  answer(): void;
}

/**
 * Maximum number of reads that begin in one turn of the event loop. More would delay the reading of the database's responses. The beginning
 * of a write takes 0.1 ms.
 */
const READS_A_TURN = 16;
const WRITES_A_TURN = 1;

interface Pipeline {
  unanswered: PendingExchange[];
  received: number;
  /** True: the connection accepts no more requests. */
  isEnding: boolean;
}

/**
 * Limits how many requests begin at once:
 * - At most 16 reads and one write begin in each turn of the event loop, so that many new requests do not delay the requests that wait for
 *   the database.
 * - The requests of a connection are answered one after the other. A pipelined request begins when the previous response is sent. So a
 *   client that does not read occupies the memory of only one response.
 * - At most one pipelined request begins in each turn, because Node accepts one connection in each turn. Otherwise 200 connections with 16
 *   requests each would delay a new connection for 11 s.
 * - A connection ends after 16 unanswered or 1,000 received requests. Its last response has `Connection: close`. The client repeats the
 *   requests without a response on another connection (RFC 9112 section 9.3.2).
 * @param onBusy called when the server begins to work on a request of a connection
 * @param onIdle called when a response is complete, and when the server has nothing left to do for the connection
 */
export function answerInTurn(
  answer: RequestListener,
  limits: Pick<ConnectionLimits, 'unanswered' | 'requestsPerConnection'>,
  { onBusy, onIdle }: { onBusy(socket: Socket): void; onIdle(socket: Socket): void },
): RequestsInTurn {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const beginFirst = createFirstTurns();
  const beginPipelined = createTurns(1);

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const pipeline = pipelineOf(socket);
    const isOneTooMany =
      pipeline.unanswered.length >= limits.unanswered || pipeline.received >= limits.requestsPerConnection;
    if (pipeline.isEnding || isOneTooMany) return endAfterLast(socket);
    pipeline.received += 1;
    // The request may begin in a turn that another request has started.
    const answerInSpan = keepActiveSpan(() => answer(request, response));
    pipeline.unanswered.push({ request, response, hasBegun: false, answer: answerInSpan });
    if (pipeline.received === limits.requestsPerConnection) response.shouldKeepAlive = false;
    if (pipeline.unanswered.length > 1) return;
    onBusy(socket);
    beginFirst(request, () => beginIfOpen(socket, pipeline));
  }

  function begin(socket: Socket, pipeline: Pipeline): void {
    const exchange = pipeline.unanswered[0]!;
    const { response } = exchange;
    exchange.hasBegun = true;
    onBusy(socket);
    // Counts the connection as idle when the response is complete, so that the connection of a slow reader may be closed for a new client.
    response.once('prefinish', () => onIdle(socket));
    response.once('close', () => {
      pipeline.unanswered.shift();
      if (pipeline.unanswered.length === 0) onIdle(socket);
      else beginPipelined(() => beginIfOpen(socket, pipeline));
    });
    exchange.answer();
  }

  function beginIfOpen(socket: Socket, pipeline: Pipeline): void {
    // Skips the remaining requests after a response that ended the connection.
    if (socket.writable) begin(socket, pipeline);
    else onIdle(socket);
  }

  function endAfterLast(socket: Socket): void {
    const pipeline = pipelineOf(socket);
    const last = pipeline.unanswered.at(-1);
    if (!last || pipeline.isEnding) return;
    pipeline.isEnding = true;
    last.response.shouldKeepAlive = false;
    last.response.once('finish', () => socket.destroySoon());
    lingerOnClose(socket);
    skipParsedRequests(socket);
    // Discards further input only after Node has parsed the bytes that are already read.
    process.nextTick(discardInput, socket);
  }

  function pipelineOf(socket: Socket): Pipeline {
    const known = pipelines.get(socket) ?? { unanswered: [], received: 0, isEnding: false };
    pipelines.set(socket, known);
    return known;
  }

  return {
    listener,
    lastUnanswered: (socket) => pipelines.get(socket)?.unanswered.at(-1),
    endAfterLast,
  };
}

/**
 * Returns a function that begins the first unanswered request of a connection. The function begins at most READS_A_TURN GET requests and
 * WRITES_A_TURN other requests in each turn of the event loop.
 */
function createFirstTurns(): (request: IncomingMessage, begin: () => void) => void {
  const beginRead = createTurns(READS_A_TURN);
  const beginWrite = createTurns(WRITES_A_TURN);
  return ({ method }, begin) => (method === 'GET' ? beginRead : beginWrite)(begin);
}

/** Signals to Node's parser that no HTTP follows. */
const NO_MORE_REQUESTS = 2;

/**
 * Makes Node's parser skip the remaining bytes that are already read: 64 KiB hold 1,500 requests, and each request costs 25 µs and 4 KB.
 * Uses a private property of Node. If this property is missing, the listener drops the requests one by one, with the same effect.
 */
function skipParsedRequests(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: (request: { upgrade: boolean }) => number } | null };
  if (!parser?.onIncoming) return;
  parser.onIncoming = (request) => {
    // Clears `upgrade`: otherwise Node would hand over the connection without an error listener.
    request.upgrade = false;
    return NO_MORE_REQUESTS;
  };
}

/**
 * Returns a function that runs tasks in order, at most `most` in each turn of the event loop. The first tasks run at once, later ones in
 * later turns. Node accepts connections and reads sockets between two turns, so waiting tasks delay these steps by at most `most` tasks.
 */
export function createTurns(most: number): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  let left = most;
  let isTurnOpen = false;
  function endTurn(): void {
    const tasks = waiting.splice(0, left);
    left = most;
    isTurnOpen = tasks.length + waiting.length > 0;
    if (isTurnOpen) setImmediate(endTurn);
    for (const task of tasks) task();
  }
  return (task) => {
    if (!isTurnOpen) setImmediate(endTurn);
    isTurnOpen = true;
    if (left === 0 || waiting.length > 0) return void waiting.push(task);
    left -= 1;
    task();
  };
}
