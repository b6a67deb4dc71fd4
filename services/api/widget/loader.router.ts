import type { Express, Request, Response } from 'express';
import { type Published, PUBLISHED_LOADERS } from './published-loaders';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The loader at two addresses: /embed/widget.js moves with the newest version, /embed/widget.v1.js never changes, so that a page can
 * name its hash. Both are read by any site, by design, and without a credential: they hold no data.
 */
export function registerLoader(app: Express): void {
  const [newest] = PUBLISHED_LOADERS;
  app.get('/embed/widget.js', (_request: Request, response: Response) => send(response, newest, 'no-cache'));
  for (const loader of PUBLISHED_LOADERS) {
    app.get(`/embed/widget.${loader.version}.js`, (_request: Request, response: Response) =>
      send(response, loader, FOR_EVER),
    );
  }
}

function send(response: Response, { script, integrity }: Published, caching: string): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', caching);
  response.setHeader('ETag', `"${integrity}"`);
  response.type('application/javascript').send(script);
}
