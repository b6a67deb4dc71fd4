import { createHash } from 'node:crypto';
import { SCRIPT, STYLE, type Asset } from '../html/assets';
import type { Route } from './call';

/** Without a session, as the sign-in page uses them too. */
export const ASSET_ROUTES: Route[] = [STYLE, SCRIPT].map(assetRoute);

function assetRoute({ path, body, type }: Asset): Route {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    method: 'get',
    path: path.split('?')[0]!,
    access: 'always',
    answer({ request, response }) {
      // While two versions run side by side an address of the other one must not be kept with the text of this one.
      const lasting = request.originalUrl === path;
      response.setHeader('Cache-Control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.setHeader('ETag', tag);
      if (request.fresh) response.status(304).end();
      else response.type(type).send(body);
    },
  };
}
