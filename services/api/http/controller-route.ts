import { fetchMiddlewares } from '@tsoa/runtime';
import type { Express, Request, RequestHandler } from 'express';
import { withEarlyStep } from '../../platform/http/early-answer';
import { contextOf } from './api-context';
import { authenticate } from './authentication';
import { assertBody, bodySchemaOf, readerOf } from './body-schema';
import { CACHED_SCOPE } from './cached-answers';
import { documentedQuery } from './query-parameters';

/** A route as its controller declares it. controller-route.hbs writes one for each method of a controller (ADR 69). */
export interface ControllerRoute {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  controller: new (context: never) => object;
  /** The name of the method. */
  action: string;
  /** One scheme with its scopes. */
  security: Record<string, string[]>[];
  /** Where the method's arguments are in the request, in their order. */
  parameters: [place: ParameterPlace, name: string][];
  /** The status of an answer with content. Undefined: 200. */
  status: number | undefined;
}

type ParameterPlace = 'request' | 'path' | 'query' | 'body';
type Action = (...args: unknown[]) => Promise<unknown>;

/** Registers the handlers of a route: authentication, the middlewares of the controller and of the method, and the method itself. */
export function registerRoute(app: Express, route: ControllerRoute): void {
  const { method, path, controller, action, security } = route;
  const run = (controller.prototype as Record<string, Action>)[action]!;
  const [[scheme, scopes] = []] = security.map((schemes) => Object.entries(schemes)[0]!);
  app[method](
    path,
    authenticates(scheme!, scopes),
    ...fetchMiddlewares<RequestHandler>(controller),
    ...fetchMiddlewares<RequestHandler>(run),
    runAction(route, run),
  );
}

/** Returns the handler that authenticates a request. The cache of answers has verified the callers that it serves (cached-answers.ts). */
function authenticates(scheme: string, scopes: string[] = []): RequestHandler {
  const handler: RequestHandler = async (request, _response, next) => {
    await authenticate(request, scheme, scopes);
    next();
  };
  const isVerified = scheme === 'widgetToken' || scopes[0] === CACHED_SCOPE;
  return isVerified ? withEarlyStep(handler, {}) : handler;
}

/** Returns the handler that checks the body, calls the method of the controller, and sends its result. */
function runAction(route: ControllerRoute, run: Action): RequestHandler {
  const { method, path, controller, parameters, status = 200 } = route;
  const schema = bodySchemaOf(method, path);
  const read = readerOf(run);
  return async (request, response) => {
    if (schema) assertBody(request, schema, read);
    const values = valuesOf(request, parameters);
    const answer = await run.apply(new controller(contextOf(request) as never), values);
    if (response.headersSent) return;
    if (answer === undefined) response.status(204).end();
    else response.status(status).json(answer);
  };
}

function valuesOf(request: Request, parameters: ControllerRoute['parameters']): unknown[] {
  const query = documentedQuery<Record<string, unknown>>(request);
  const valueOf: Record<ParameterPlace, (name: string) => unknown> = {
    request: () => request,
    path: (name) => request.params[name],
    query: (name) => query[name],
    body: () => request.body as unknown,
  };
  return parameters.map(([place, name]) => valueOf[place](name));
}
