import type { Express, Request, Response } from 'express';
import { contextOf } from '../http/api-context';
import { checkReadiness } from './check-readiness';

/** `/healthz`: the process lives. `/readyz`: migrations are in and the database answers. Never shed, never counted. */
export function registerHealth(app: Express): void {
  app.get('/healthz', (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.json({ ok: true });
  });
  app.get('/readyz', async (request: Request, response: Response) => {
    const { ready, reason } =
      app.locals.stopping === true ? STOPPING : await checkReadiness(contextOf(request).db);
    response.setHeader('Cache-Control', 'no-store');
    response.status(ready ? 200 : 503).json(ready ? { ok: true } : { ok: false, reason });
  });
}

const STOPPING = { ready: false, reason: 'stopping' };
