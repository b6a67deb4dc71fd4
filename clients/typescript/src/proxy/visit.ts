import type { JsonObject } from './body.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Limits } from './limits.ts';
import type { CallPlatform } from './platform.ts';
import type { Turns } from './turns.ts';
import type { Visitor, VisitorCookies } from './visitor.ts';

/** The parts that all calls of one proxy share. */
export interface ProxyParts {
  call: CallPlatform;
  kept: KeptAnswers;
  limits: Limits;
  cookies: VisitorCookies;
  turns: Turns;
}

/** One request of a visitor, checked and read, for the function that answers its call. */
export interface Visit {
  /** The value of the header Host. */
  host: string;
  /** The slug or UUID in the path; empty for a call without one. */
  slug: string;
  query: URLSearchParams;
  /** An empty object: the request has no body. */
  body: JsonObject;
  /** Undefined: the request has no cookie, or the call reads none. */
  visitor: Visitor | undefined;
  ifNoneMatch: string | undefined;
}
