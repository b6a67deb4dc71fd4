import type { Express, Request, Response } from 'express';
import { createFixedBody, type FixedBody } from '../../platform/http/fixed-body';
import { ELEMENTS, LOADERS, type PublishedScript } from './published-scripts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Serves each script at two kinds of address. /embed/widget.js is the newest version. /embed/widget.v3.js and the like never change, so that
 * a page can name their hash. Any site may read them without a credential, because they contain no data.
 */
export function registerScripts(app: Express): void {
  registerVersions(app, '/embed/widget.js', LOADERS);
  registerVersions(app, '/embed/booking.js', ELEMENTS);
}

/** @param newest the address of the first version */
function registerVersions(app: Express, newest: string, versions: PublishedScript[]): void {
  versions.forEach(({ file, text }, index) => {
    const body = createFixedBody('application/javascript', text);
    app.get(`/embed/${file}`, (request: Request, response: Response) =>
      send(request, response, body, FOR_EVER),
    );
    if (index > 0) return;
    app.get(newest, (request: Request, response: Response) => send(request, response, body, 'no-cache'));
  });
}

function send(request: Request, response: Response, body: FixedBody, caching: string): Promise<void> {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', caching);
  return body.send(request, response);
}
