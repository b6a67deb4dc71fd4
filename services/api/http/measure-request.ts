import type { NextFunction, Request, Response } from 'express';
import { Counter, Gauge, Histogram } from 'prom-client';
import { routeOf, statusOf } from './request-outcome';

/*
 * Labels come from lists of ours: never a path, an id, a tenant or what a client wrote, of which each would be a series
 * for as long as the process lives.
 */
const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests answered, by route template and status; 499: the client left before its answer',
  labelNames: ['method', 'route', 'status'] as const,
});

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'From the request to the end of its answer',
  labelNames: ['method', 'route', 'status_class'] as const,
  // Warm reads take one or two milliseconds, a lock two seconds at most, a statement ten.
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

let inFlight = 0;
new Gauge({
  name: 'http_requests_in_flight',
  help: 'Requests begun and not yet answered',
  collect() {
    this.set(inFlight);
  },
});

/** Counts every request, by what became of it. */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const begun = performance.now();
  inFlight++;
  response.once('close', () => {
    inFlight--;
    const series = seriesOf(methodOf(request), routeOf(request), statusOf(response));
    series.count.inc();
    series.seconds.observe((performance.now() - begun) / 1000);
  });
  next();
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH']);

/** One of the few that anybody has reason to send: Node's parser knows three dozen. */
export function methodOf(request: Request): string {
  return METHODS.has(request.method) ? request.method : 'other';
}

interface Series {
  count: { inc(): void };
  seconds: { observe(seconds: number): void };
}

/** prom-client sorts and joins the labels at every call; there are some hundred combinations, each looked up once. */
const known = new Map<string, Series>();

function seriesOf(method: string, route: string, status: number): Series {
  const key = `${method} ${route} ${status}`;
  let series = known.get(key);
  if (!series) {
    const status_class = `${Math.floor(status / 100)}xx`;
    series = {
      count: requests.labels({ method, route, status }),
      seconds: duration.labels({ method, route, status_class }),
    };
    known.set(key, series);
  }
  return series;
}
