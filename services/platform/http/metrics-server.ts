import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import { malformationOf } from './malformed-request';
import { closeServer, listen, createHttpServer, HTTP_LIMITS, type HttpLimits } from './edge';
import { nameRequest } from './request-log';

const buildInfo = new Gauge({
  name: 'build_info',
  help: '1, with the version that runs',
  labelNames: ['version'] as const,
});

/** Prometheus uses one or two connections. The other connections are for manual requests. */
const LIMITS: HttpLimits = { ...HTTP_LIMITS, connections: 100, connectionsPerAddress: 50, unanswered: 2 };

/**
 * Serves `/metrics` for Prometheus on its own port, which must not be public.
 * @throws the system's error if the port is taken
 */
export async function startMetricsServer(host: string, port: number): Promise<{ stop(): Promise<void> }> {
  collectDefaultMetrics();
  buildInfo.set({ version: ownVersion() }, 1);
  const server = createHttpServer(createMetricsApp(), LIMITS, (_request, response) => {
    response.status(400).end();
  });
  await listen(server, host, port);
  return { stop: () => closeServer(server, 0) };
}

function createMetricsApp(): Express {
  const app = express().disable('x-powered-by').set('trust proxy', false);
  app.use(nameRequest, (request: Request, response: Response, next: NextFunction) => {
    response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    if (malformationOf(request)) response.status(400).end();
    else next();
  });
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', register.contentType).end(await register.metrics());
  });
  app.all('/metrics', (_request, response) => void response.set('Allow', 'GET, HEAD').status(405).end());
  app.use((request: Request, response: Response) => {
    if (request.method === 'CONNECT') response.set('Allow', 'GET, HEAD').status(405).end();
    else response.status(404).end();
  });
  return app;
}

/** Returns the version of the package. Finds package.json from the sources and from dist/. */
function ownVersion(folder = __dirname): string {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  const above = path.dirname(folder);
  return above === folder ? 'unknown' : ownVersion(above);
}
