import type { Request } from 'express';
import { Counter } from 'prom-client';
import type { Operation } from '../idempotency/operation';
import { methodOf } from './measure-request';
import type { ProblemCode } from './problems';
import { routeOf } from './request-outcome';

const problems = new Counter({
  name: 'http_problems_total',
  help: 'Requests refused or failed, by the code of their problem document; route none: before a route was found',
  labelNames: ['method', 'route', 'code'] as const,
});

const writes = new Counter({
  name: 'writes_total',
  help: 'Writes that reached their use case: done, replayed under their idempotency key, or the code of the refusal',
  labelNames: ['operation', 'outcome'] as const,
});

/** One problem document that was sent. */
export function countProblem(request: Request, code: ProblemCode): void {
  problems.inc({ method: methodOf(request), route: routeOf(request), code });
}

/** One request to write: `done` where its effect was committed, so the sum of these is what was sold. */
export function countWrite(operation: Operation, outcome: 'done' | 'replayed' | ProblemCode): void {
  writes.inc({ operation, outcome });
}
