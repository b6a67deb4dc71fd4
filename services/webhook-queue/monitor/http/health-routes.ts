import type { Exchange, Route } from './call';

/** /healthz says that the process lives, /readyz that it can work. */
export const HEALTH_ROUTES: Route[] = [
  {
    method: 'get',
    path: '/healthz',
    access: 'always',
    answer: ({ response }) => void response.json({ status: 'ok' }),
  },
  { method: 'get', path: '/readyz', access: 'always', answer: tellReadiness },
];

async function tellReadiness({ edge, response }: Exchange): Promise<void> {
  const reason = await edge.whyNotReady().catch(() => 'the database does not answer');
  response.status(reason ? 503 : 200).json(reason ? { status: 'not ready', reason } : { status: 'ready' });
}
