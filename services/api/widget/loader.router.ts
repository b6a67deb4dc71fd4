import type { Express, Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixedBody, type FixedBody } from '../../platform/http/fixed-body';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Serves the loader at two kinds of address. /embed/widget.js is the newest version. /embed/widget.v2.js and the like never change, so that
 * a page can name their hash. Any site may read them without a credential, because they contain no data.
 */
export function registerLoader(app: Express): void {
  const [newest] = PUBLISHED_LOADERS;
  app.get('/embed/widget.js', (request: Request, response: Response) =>
    send(request, response, newest, 'no-cache'),
  );
  for (const loader of PUBLISHED_LOADERS) {
    app.get(`/embed/widget.${loader.version}.js`, (request: Request, response: Response) =>
      send(request, response, loader, FOR_EVER),
    );
  }
}

function send(request: Request, response: Response, { body }: Published, caching: string): Promise<void> {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', caching);
  return body.send(request, response);
}

interface Published {
  version: string;
  body: FixedBody;
  /** The value of the integrity attribute. */
  integrity: string;
}

/**
 * The versions of the loader, newest first: /embed/widget.js is the newest. `<script async src="…/embed/widget.js" data-token="…">`
 * adds a `<tour-list>` at its place, whose frame shows the page and grows with it. A page may also have its own
 * `<tour-list data-token="…">` elements. docs/guide/widget.md lists the data attributes and the events.
 *
 * The browser notifies a custom element when it is added or removed, so a single-page app can remove the widget completely. The loader sets
 * styles through the DOM and evaluates no code, so a strict policy needs only our address in script-src and frame-src.
 *
 * Pages name the hash of a version, so a published file never changes. A change to the loader is a new file
 * `assets/widget.v<N>.js` and a new entry here.
 */
export const PUBLISHED_LOADERS: [Published, ...Published[]] = [publish('v3'), publish('v2'), publish('v1')];

function publish(version: string): Published {
  const script = readFileSync(join(__dirname, 'assets', `widget.${version}.js`), 'utf8');
  return {
    version,
    body: createFixedBody('application/javascript', script),
    integrity: `sha384-${createHash('sha384').update(script).digest('base64')}`,
  };
}
