import type { Request } from 'express';
import { Counter, Gauge, Histogram } from 'prom-client';
import { runsEarly } from '../../platform/http/early-answer';
import { type WriteRequestLine, routeOf, statusOf } from '../../platform/http/request-log';
import { contextOf } from './api-context';
import { credentialIdOf, principalOf } from './authentication';
import { type CountedSeries, countSeries } from '../../platform/metrics';
import { readTraceparent } from '../../platform/traces';
import type { Operation } from '../idempotency/operation';
import type { ProblemCode } from './problems';

/** Logs a request with its trace, problem code, tenant and credential. */
export const writeRequestLine: WriteRequestLine = (line, request) => {
  const { request_id, client, method, route, status, duration_ms } = line;
  const fields = {
    request_id,
    client,
    method,
    route,
    status,
    code: problemCodes.get(request),
    duration_ms,
    tenant: principalOf(request)?.tenant.slug,
    credential: credentialIdOf(request),
    ...traceFields(request),
  };
  contextOf(request).log.info(fields, 'request');
};

/** Returns the fields of a log line that name the caller's trace. Empty if the request has no valid trace. */
export function traceFields(request: Request): object {
  const { traceparent } = request.headers;
  if (typeof traceparent !== 'string') return NO_FIELDS;
  const trace = readTraceparent(traceparent);
  if (!trace) return NO_FIELDS;
  return { trace_id: trace.traceId, parent_id: trace.parentId, trace_sampled: trace.sampled };
}

const NO_FIELDS = {};

/*
 * Labels have a fixed set of values: never a path, an id, a tenant or a text of a client. Each new value would add a series that stays in
 * memory until the process ends.
 */
const requests = countSeries({
  name: 'http_requests_total',
  help: 'Answered requests by route template and status; 499: the client closed the connection before the answer',
  labelNames: ['method', 'route', 'status'] as const,
});

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request to the end of its answer',
  labelNames: ['method', 'route', 'status_class'] as const,
  // Cached reads take 1 to 2 ms, a lock at most 2 s, a statement at most 10 s.
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const inFlight = { requests: 0 };

new Gauge({
  name: 'http_requests_in_flight',
  help: 'Requests that started and have no complete answer yet',
  collect() {
    this.set(inFlight.requests);
  },
});

/** Counts every request and measures its duration. */
export const measureRequest = runsEarly((request, response, next) => {
  const startedAt = performance.now();
  inFlight.requests += 1;
  response.once('close', () => {
    inFlight.requests -= 1;
    const series = seriesOf(methodOf(request), routeOf(request), statusOf(response));
    series.count.inc();
    series.seconds.observe((performance.now() - startedAt) / 1000);
  });
  next();
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH']);

/** Returns the method if it is a common one, otherwise "other": Node's parser accepts three dozen methods. */
function methodOf(request: Request): string {
  return METHODS.has(request.method) ? request.method : 'other';
}

interface Series {
  count: CountedSeries;
  seconds: { observe(seconds: number): void };
}

/** Caches the series, because prom-client sorts and joins the labels at every call. There are a few hundred combinations. */
const seriesByKey = new Map<string, Series>();

function seriesOf(method: string, route: string, status: number): Series {
  const key = `${method} ${route} ${status}`;
  let series = seriesByKey.get(key);
  if (!series) {
    const status_class = `${Math.floor(status / 100)}xx`;
    series = {
      count: requests({ method, route, status }),
      seconds: duration.labels({ method, route, status_class }),
    };
    seriesByKey.set(key, series);
  }
  return series;
}

const problems = new Counter({
  name: 'http_problems_total',
  help: 'Refused or failed requests by the code of their problem document; route none: no route matched yet',
  labelNames: ['method', 'route', 'code'] as const,
});

const writes = countSeries({
  name: 'writes_total',
  help: 'Writes that reached their use case, by outcome: done, replayed by idempotency key, or the problem code',
  labelNames: ['operation', 'outcome'] as const,
});

/** The problem codes of requests, for their log lines. */
const problemCodes = new WeakMap<Request, ProblemCode>();

/** Counts one problem document, and keeps its code for the log line of the request. */
export function countProblem(request: Request, code: ProblemCode): void {
  problemCodes.set(request, code);
  problems.inc({ method: methodOf(request), route: routeOf(request), code });
}

/** Counts one write request. @param outcome `done`: the effect of the request is committed */
export function countWrite(operation: Operation, outcome: 'done' | 'replayed' | ProblemCode): void {
  writes({ operation, outcome }).inc();
}
