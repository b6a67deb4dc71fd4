import type { Request, Response } from 'express';
import { hasBody } from '../../platform/http/request-body';
import { RateLimitedError } from './http.errors';

/**
 * Maximum number of requests of a key whose bodies have not arrived completely.
 * @rule the bodies of a key that have not arrived: test/api/unfinished-bodies.test.ts
 */
const BODIES_MAX = 16;

/** Counts the requests of each key whose bodies have not arrived completely. A rotated key and its successors share one count. */
export class UnfinishedBodies {
  private readonly counts = new Map<string, number>();

  /**
   * Counts a request until its body is complete or its response is closed. Call it after authentication and before the body is read.
   * @throws RateLimitedError (429) for one request too many. The connection then ends after the answer, because its body is unread
   */
  enter(request: Request, response: Response, familyId: string): void {
    if (request.complete || !hasBody(request)) return;
    const count = this.counts.get(familyId) ?? 0;
    if (count >= BODIES_MAX) throw new RateLimitedError(1);
    this.counts.set(familyId, count + 1);
    let isCounted = true;
    const leave = () => {
      if (isCounted) this.leave(familyId);
      isCounted = false;
    };
    request.once('end', leave);
    response.once('close', leave);
  }

  private leave(familyId: string): void {
    const count = this.counts.get(familyId)! - 1;
    if (count > 0) this.counts.set(familyId, count);
    else this.counts.delete(familyId);
  }
}
