import type { Express, Request, Response } from 'express';
import { contextOf } from '../http/api-context';
import { whyUnusable } from '../../platform/service';

/** The tables into which each sale inserts. */
export const API_WRITES = ['seat_holds', 'booking_leads', 'webhook_events', 'idempotency_keys'];

/**
 * Registers `/healthz` (the process runs) and `/readyz` (the process is not stopping, and the database answers, has all migrations and
 * accepts sales).
 * Overload and quotas do not apply to these requests.
 */
export function registerHealth(app: Express): void {
  app.get('/healthz', (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.json({ ok: true });
  });
  app.get('/readyz', async (request: Request, response: Response) => {
    const isStopping = app.locals.stopping === true;
    const reason = isStopping ? 'stopping' : await whyUnusable(contextOf(request).db, API_WRITES);
    response.setHeader('Cache-Control', 'no-store');
    response.status(reason ? 503 : 200).json(reason ? { ok: false, reason } : { ok: true });
  });
}
