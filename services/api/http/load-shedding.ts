import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type EarlyStep, withEarlyStep } from '../../platform/http/early-answer';
import { cachedBearerOf } from './authentication';
import { TransportError } from './http.errors';

const WAITING_MAX = 1000;
const LAG_MAX_MS = 1000;
const LAG_WINDOW_MS = 1000;
/** Our proxy sets this header if it may repeat the request on another instance (docs/run-many.md). */
const CAN_GO_ELSEWHERE = 'x-retry-elsewhere';

export interface LoadShedder {
  middleware: RequestHandler;
  leave(response: Response): void;
  /** Adds a request again that has left. Returns false, and does not add it, if the process is overloaded now. */
  enterAgain(response: Response): boolean;
  /**
   * Starts the drain: every answer closes its connection. If a proxy can repeat a request on another instance, closes the connection
   * without an answer.
   */
  beginDrain(): void;
  /** Milliseconds since the last request. */
  quietMs(): number;
  /** Refuses all new requests from now on. */
  shutDown(): void;
  stop(): void;
}

/**
 * Creates the load shedder. It refuses requests in three states: the process stops, 1,000 requests wait, or the event loop always lagged by
 * more than a second in the last second.
 * @param lagMaxMs the lag above which it refuses
 */
export function createLoadShedder(lagMaxMs = LAG_MAX_MS): LoadShedder {
  const waiting = new Set<Response>();
  let state: 'open' | 'draining' | 'shutting-down' = 'open';
  let lastRequestAt = -Infinity;
  const lag = watchLag(lagMaxMs);

  function middleware(request: Request, response: Response, next: NextFunction): void {
    lastRequestAt = performance.now();
    if (state !== 'open') {
      response.setHeader('Connection', 'close');
      if (state === 'shutting-down') return next(new TransportError('shutting_down'));
      // Closes the connection instead of answering 503: a proxy that treats 503 as a failure would also avoid instances that are only
      // overloaded.
      if (request.headers[CAN_GO_ELSEWHERE]) return void request.socket.destroy();
    }
    if (isOverloaded()) return refuse(request, next);
    enter(response);
    next();
  }

  /** Counts the request as waiting until its answer is complete, even if the client never reads it. */
  function enter(response: Response): void {
    waiting.add(response);
    const done = () => waiting.delete(response);
    response.once('prefinish', done).once('close', done);
  }

  /** Leaves a request that may be refused to the middleware. */
  const early: EarlyStep = {
    accepts: () => state === 'open' && !isOverloaded(),
    run: ({ response }) => {
      lastRequestAt = performance.now();
      enter(response);
    },
  };

  const isOverloaded = () => lag.isTooLong() || waiting.size >= WAITING_MAX;

  function enterAgain(response: Response): boolean {
    // Adds no response that is closed, because nothing would remove it.
    if (response.destroyed) return true;
    if (isOverloaded()) return false;
    waiting.add(response);
    if (state !== 'open' && !response.headersSent) response.setHeader('Connection', 'close');
    return true;
  }

  return {
    middleware: withEarlyStep(middleware, early),
    leave: (response) => void waiting.delete(response),
    enterAgain,
    beginDrain: () => {
      state = 'draining';
      for (const response of waiting) if (!response.headersSent) response.setHeader('Connection', 'close');
    },
    quietMs: () => performance.now() - lastRequestAt,
    shutDown: () => (state = 'shutting-down'),
    stop: lag.stop,
  };
}

/**
 * Removes a request from the number of waiting requests while it waits for its own client or key, so that these waits take no places from
 * other tenants.
 * @returns the function that adds the request again. It returns the refusal if the process is overloaded then
 * @rule which waits take no place from other tenants: test/api/unfinished-bodies.test.ts
 */
export function leavePlace(request: Request, response: Response): () => TransportError | undefined {
  const shedder = request.app.locals.shedder as LoadShedder;
  shedder.leave(response);
  return () => (shedder.enterAgain(response) ? undefined : new TransportError('overloaded'));
}

/** The requests of overload whose quota has still to be counted before they are refused. */
const shed = new WeakSet<Request>();

/** Returns whether the quota (quota.ts) must refuse the request after counting it. */
export function isShed(request: Request): boolean {
  return shed.has(request);
}

/** The routes that count a quota. */
const COUNTED = /^\/(api|octo)\//;

/**
 * Refuses a request with 503. Lets a request with a cached API key go on to its quota, because a refused request counts too: that runs no
 * query.
 */
function refuse(request: Request, next: NextFunction): void {
  const isCounted = COUNTED.test(request.path) && cachedBearerOf(request, undefined) !== undefined;
  if (!isCounted) return next(new TransportError('overloaded'));
  shed.add(request);
  next();
}

function watchLag(lagMaxMs: number): { isTooLong(): boolean; stop(): void } {
  let tooLong = false;
  const delay = monitorEventLoopDelay({ resolution: 100 });
  delay.enable();
  const timer = setInterval(() => {
    // Compares the shortest delay of the window with the limit: one long pause between normal turns of the event loop is no overload.
    tooLong = delay.min / 1e6 > lagMaxMs;
    delay.reset();
  }, LAG_WINDOW_MS);
  timer.unref();
  return {
    isTooLong: () => tooLong,
    stop: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}
