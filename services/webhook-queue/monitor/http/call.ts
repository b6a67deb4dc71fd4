import type { Request, Response } from 'express';
import type { Params } from '../queries/read-query';
import type { MonitorSession } from '../sign-in/session';
import type { Viewer } from '../html/layout';
import type { Db } from '../../../platform/database';
import type { Logger } from '../../../platform/logger';
import type { TrustProxy } from '../../../platform/config/variables';
import type { Streams } from './streams';

export interface Exchange {
  request: Request;
  response: Response;
  context: MonitorContext;
}

export interface Call extends Exchange {
  monitor: Monitor;
}

export interface SignedInCall extends Call {
  session: MonitorSession;
  viewer: Viewer;
  /** The query of a GET, or the fields of a POST without the CSRF token. */
  params: Params;
}

type Handler<C> = (call: C) => Promise<void> | void;

/**
 * A line of the route table. GET routes answer HEAD too. Without a session, a `session` route redirects to /sign-in; with
 * `strangers: 'refused'` it answers 401.
 */
export type Route = { method: 'get' | 'post'; path: string } & (
  | { access: 'always'; answer: Handler<Exchange> }
  | { access: 'anyone'; answer: Handler<Call> }
  | { access: 'session'; answer: Handler<SignedInCall>; strangers?: 'refused' }
);

/** Returns a parameter of the path by its name in the route. */
export function pathParameter({ request }: Exchange, name: string): string {
  return (request.params as Record<string, string>)[name]!;
}

/** Redirects with 303, so that the browser does not repeat a POST. */
export function seeOther(response: Response, path: string): void {
  response.redirect(303, path);
}

/** Dependencies of the monitoring page, available from the end of the migration until the shutdown begins. */
export interface Monitor {
  db: Db;
  /** SECRETS_KEY, which seals a rotated secret. */
  secretsKey: string;
  streams: Streams;
}

export interface MonitorContext {
  log: Logger;
  trustProxy: TrustProxy;
  /** Returns a short reason, or undefined when the service is ready. */
  whyNotReady: () => Promise<string | undefined>;
  /** Undefined before the schema is migrated and from the begin of the shutdown. */
  monitor: () => Monitor | undefined;
}
