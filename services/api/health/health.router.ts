import type { Express, Request, Response } from 'express';
import { contextOf } from '../http/api-context';
import type { Db } from '../../platform/database';
import { pendingMigrations } from '../../platform/migrate';

/** Registers `/healthz` (the process runs) and `/readyz` (the database answers and has all migrations). Neither is shed or counted. */
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

/** Time limit of the check: a pooler lets a statement wait for a lost server. */
const ANSWER_LIMIT_MS = 2000;
const NO_ANSWER = { ready: false, reason: 'database does not answer' };

/** Checks that the database answers within two seconds and has every migration of this build. */
async function checkReadiness(db: Db): Promise<{ ready: boolean; reason?: string }> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof NO_ANSWER>((resolve) => {
    timer = setTimeout(() => resolve(NO_ANSWER), ANSWER_LIMIT_MS);
  });
  const answer = pendingMigrations(db).then(
    (pending) => (pending.length ? { ready: false, reason: 'migrations pending' } : { ready: true }),
    () => NO_ANSWER,
  );
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
