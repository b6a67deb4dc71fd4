import type { NextFunction, Request, Response } from 'express';
import { Histogram } from 'prom-client';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests by route template, method and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** By template, never by tenant or id: those would make a series each. */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const stop = duration.startTimer();
  response.on('close', () => {
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    stop({ method: request.method, route, status: response.statusCode });
  });
  next();
}
