import { createHash } from 'node:crypto';
import { SCRIPT, STYLE, type Asset } from '../html/assets';
import type { Exchange, Route } from './call';

/** Need no session: the sign-in page uses them too. */
export const ASSET_ROUTES: Route[] = [STYLE, SCRIPT].map(assetRoute);

function assetRoute({ path, body, type }: Asset): Route {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    method: 'get',
    path: path.split('?')[0]!,
    access: 'always',
    answer({ request, response }) {
      // While two versions run, a path of the other version must not be cached with this version's body.
      const isCurrent = request.originalUrl === path;
      response.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.setHeader('ETag', tag);
      if (request.fresh) response.status(304).end();
      else response.type(type).send(body);
    },
  };
}

/** /healthz: the process runs. /readyz: it can work. */
export const HEALTH_ROUTES: Route[] = [
  {
    method: 'get',
    path: '/healthz',
    access: 'always',
    answer: ({ response }) => void response.json({ status: 'ok' }),
  },
  { method: 'get', path: '/readyz', access: 'always', answer: answerReadiness },
];

async function answerReadiness({ context: edge, response }: Exchange): Promise<void> {
  const reason = await edge.whyNotReady().catch(() => 'the database does not answer');
  response.status(reason ? 503 : 200).json(reason ? { status: 'not ready', reason } : { status: 'ready' });
}
