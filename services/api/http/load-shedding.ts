import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { TransportError } from './http.errors';

const WAITING_MAX = 1000;
const LAG_MAX_MS = 1000;
const LAG_WINDOW_MS = 1000;
/** A proxy of ours sets it on what it may send to another instance when this one ends the connection (docs/operations.md). */
const CAN_GO_ELSEWHERE = 'x-retry-elsewhere';

export interface LoadShedder {
  middleware: RequestHandler;
  /** From now on every answer ends its connection, and a request that can go elsewhere is not begun. All others are. */
  beginDrain(): void;
  /** Since the last request came. */
  quietMs(): number;
  /** From now on every new request is told to go elsewhere. */
  shutDown(): void;
  stop(): void;
}

/** Refuses work before it begins: while stopping, above 1,000 waiting requests, or with the event loop a second late for a second. */
export function createLoadShedder(): LoadShedder {
  const waiting = new Set<Response>();
  let state: 'open' | 'draining' | 'shutting-down' = 'open';
  let lastCame = -Infinity;
  const lag = watchLag();

  function middleware(request: Request, response: Response, next: NextFunction): void {
    lastCame = performance.now();
    if (state !== 'open') {
      response.setHeader('Connection', 'close');
      if (state === 'shutting-down') return next(new TransportError('shutting_down'));
      // Not 503: a proxy that counts those as failures would also leave an instance alone that has too much to do.
      if (request.headers[CAN_GO_ELSEWHERE]) return void request.socket.destroy();
    }
    if (lag.isTooLong() || waiting.size >= WAITING_MAX) return next(new TransportError('overloaded'));
    waiting.add(response);
    const done = () => waiting.delete(response);
    // Until the answer is made: a client that never reads it is not work that waits.
    response.once('prefinish', done).once('close', done);
    next();
  }

  return {
    middleware,
    beginDrain: () => {
      state = 'draining';
      for (const response of waiting) if (!response.headersSent) response.setHeader('Connection', 'close');
    },
    quietMs: () => performance.now() - lastCame,
    shutDown: () => (state = 'shutting-down'),
    stop: lag.stop,
  };
}

function watchLag(): { isTooLong(): boolean; stop(): void } {
  let tooLong = false;
  const delay = monitorEventLoopDelay({ resolution: 100 });
  delay.enable();
  const timer = setInterval(() => {
    // The least late tick: one long pause among timely ticks is no overload.
    tooLong = delay.min / 1e6 > LAG_MAX_MS;
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
