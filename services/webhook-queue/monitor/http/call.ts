import type { Request, Response } from 'express';
import type { Params } from '../queries/read-query';
import type { MonitorSession } from '../sign-in/session';
import type { Viewer } from '../html/viewer';
import type { Edge, Monitor } from './edge';

/** What every answer is made from, and the more of it the more was judged. */
export interface Exchange {
  request: Request;
  response: Response;
  edge: Edge;
}

export interface Call extends Exchange {
  monitor: Monitor;
}

export interface SignedInCall extends Call {
  session: MonitorSession;
  viewer: Viewer;
  /** The query of a GET, the fields of a POST without its proof. */
  params: Params;
}

type Answered<C> = (call: C) => Promise<void> | void;

/**
 * A line of the route table; HEAD is answered where GET is. Who must be signed in and is not is sent to /sign-in, or where no
 * person would see that is told 401.
 */
export type Route = { method: 'get' | 'post'; path: string } & (
  | { access: 'always'; answer: Answered<Exchange> }
  | { access: 'anyone'; answer: Answered<Call> }
  | { access: 'session'; answer: Answered<SignedInCall>; strangers?: 'refused' }
);

/** A part of the path, as the route names it. */
export function part({ request }: Exchange, name: string): string {
  return (request.params as Record<string, string>)[name]!;
}

/** No redirect repeats a POST. */
export function goTo(response: Response, path: string): void {
  response.redirect(303, path);
}
