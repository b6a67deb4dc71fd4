import type { Express, Request, Response } from 'express';
import { contextOf } from '../http/api-context';

/**
 * Registers `/healthz` (the process runs) and `/readyz` (the process is not stopping, and the database answers, has the
 * schema of this release and accepts sales).
 * Overload and quotas do not apply to these requests.
 */
export function registerHealth(app: Express): void {
  app.get('/healthz', (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.json({ ok: true });
  });
  app.get('/readyz', async (request: Request, response: Response) => {
    const isStopping = app.locals.stopping === true;
    const reason = isStopping ? 'stopping' : await contextOf(request).readiness.whyNot();
    response.setHeader('Cache-Control', 'no-store');
    response.status(reason ? 503 : 200).json(reason ? { ok: false, reason } : { ok: true });
  });
}
