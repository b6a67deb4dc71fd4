import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';

/** Answers a request without Express. Returns false, without any effect, for a request that the app must answer. */
export type AnswerEarly = (request: Request, response: Response) => boolean;

export interface EarlyCall {
  request: Request;
  response: Response;
  /** The headers of the answer: alternating names and values. A step that adds them here takes half the time of setHeader. */
  headers: string[];
}

/** Does for an early answer what a handler does for other requests. */
export interface EarlyStep {
  /** Returns false, without any effect, if the app must answer the request. */
  accepts?(request: Request, response: Response): boolean;
  /** @throws the refusal of the handler */
  run?(call: EarlyCall): void | Promise<void>;
}

const steps = new WeakMap<RequestHandler, EarlyStep>();

/** Declares the early step of a handler that is slow, or that needs Express's route. */
export function withEarlyStep<H extends RequestHandler>(handler: H, step: EarlyStep): H {
  steps.set(handler, step);
  return handler;
}

/** Declares that a handler which calls `next` at once runs itself for early answers. */
export function runsEarly(handler: RequestHandler): RequestHandler {
  return withEarlyStep(handler, {
    run: ({ request, response }) => void handler(request, response, throwError),
  });
}

function throwError(error?: unknown): void {
  if (error !== undefined) throw error as Error;
}

/** The parts of Express's router that earlyStepsOf reads. */
interface Layer {
  handle: RequestHandler | ErrorRequestHandler;
  route?: unknown;
  match(path: string): boolean;
}

/**
 * Returns the steps of all handlers that a request passes before the last one of its route. A handler without a declared step runs itself,
 * so that an early answer leaves none out.
 * @rule what a cached answer runs of the handlers of its route: test/platform/early-answer.test.ts
 */
export function earlyStepsOf(request: Request): EarlyStep[] {
  const route = request.route as { path: string; stack: Layer[] };
  const { stack } = (request.app as Express).router as unknown as { stack: Layer[] };
  const before = stack.slice(
    0,
    stack.findIndex((layer) => layer.route === route),
  );
  const common = before.filter((layer) => layer.route === undefined && layer.match(route.path));
  return [...common, ...route.stack.slice(0, -1)]
    .map(({ handle }) => handle)
    .filter((handler): handler is RequestHandler => handler.length < 4)
    .map(
      (handler) =>
        steps.get(handler) ?? { run: ({ request, response }) => runHandler(handler, request, response) },
    );
}

async function runHandler(handler: RequestHandler, request: Request, response: Response): Promise<void> {
  const refusal = await new Promise<unknown>((resolve, reject) => {
    Promise.resolve(handler(request, response, resolve)).catch(reject);
  });
  throwError(refusal);
}
