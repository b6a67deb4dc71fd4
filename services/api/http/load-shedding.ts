import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { TransportError } from './http.errors';

const WAITING_MAX = 1000;
const LAG_MAX_MS = 1000;
const LAG_WINDOW_MS = 1000;

export interface LoadShedder {
  middleware: RequestHandler;
  /** From now on every new request is told to go elsewhere. */
  shutDown(): void;
  stop(): void;
}

/** Refuses work before it begins: while stopping, above 1,000 waiting requests, or with the event loop a second late for a second. */
export function createLoadShedder(): LoadShedder {
  let waiting = 0;
  let shuttingDown = false;
  let lagging = false;
  const delay = monitorEventLoopDelay({ resolution: 100 });
  delay.enable();
  const timer = setInterval(() => {
    // The least late tick: one long pause among timely ticks is no overload.
    lagging = delay.min / 1e6 > LAG_MAX_MS;
    delay.reset();
  }, LAG_WINDOW_MS);
  timer.unref();

  function middleware(_request: Request, response: Response, next: NextFunction): void {
    if (shuttingDown) {
      response.setHeader('Connection', 'close');
      return next(new TransportError('shutting_down'));
    }
    if (lagging || waiting >= WAITING_MAX) return next(new TransportError('overloaded'));
    waiting += 1;
    const done = once(() => (waiting -= 1));
    // Until the answer is made: a client that never reads it is not work that waits.
    response.once('prefinish', done).once('close', done);
    next();
  }

  return {
    middleware,
    shutDown: () => (shuttingDown = true),
    stop: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}

function once(work: () => void): () => void {
  let pending = true;
  return () => {
    if (pending) work();
    pending = false;
  };
}
