import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import type { ApiContext } from '../../http/api-context';
import { TransportError } from '../../http/http.errors';
import { isProblemCode } from '../../http/problems';
import { GENERATED_BASE_URL } from '../openapi-document';
import { errorArticle, errorList } from './errors-page';
import { docsPolicy, renderColumns, renderDocsPage } from './page';
import { servedDocument, withBaseUrl } from './served-document';
import { toOpenapi31 } from './to-openapi-31';

const GUIDE = readGenerated('guide.html');
const REFERENCE = readGenerated('reference.html');
const TYPES = readGenerated('openapi.d.ts');

/** Serves the pages for developers of tenants. They are public and name no tenant. */
export function registerDocs(app: Express): void {
  const { publicBaseUrl } = (app.locals.context as ApiContext).config;
  const basePath = new URL(publicBaseUrl).pathname.replace(/\/$/, '');
  const document = () => servedDocument(publicBaseUrl);
  const page = (path: string, title: string, make: () => Markup, searchable = false) =>
    serve(
      app,
      path,
      'text/html',
      () => renderDocsPage({ path, title, columns: make(), searchable }, basePath),
      searchable,
    );

  app.get('/', (request: Request, response: Response) => {
    response.vary('Accept');
    // Clients that accept any type get the page, like browsers.
    if (request.accepts(['text/html', 'application/json']) === 'application/json') {
      send(response, 'application/json', JSON.stringify(homeDocument(publicBaseUrl)));
    } else {
      const columns = renderColumns(homeBody(basePath));
      send(response, 'text/html', renderDocsPage({ path: '/', title: 'Start', columns }, basePath));
    }
  });
  serve(app, '/openapi.json', 'application/json', () => JSON.stringify(document()));
  serve(app, '/openapi.3.1.json', 'application/json', () => JSON.stringify(toOpenapi31(document())));
  serve(app, '/openapi.d.ts', 'text/plain', () => withBaseUrl(TYPES, publicBaseUrl));
  page('/docs', 'API reference', () => generatedPage(REFERENCE, publicBaseUrl, basePath), true);
  page('/docs/guide', 'Integration guide', () => generatedPage(GUIDE, publicBaseUrl, basePath), true);
  page('/docs/errors', 'Errors', () => renderColumns(errorList(basePath)));
  app.get(
    '/docs/errors/:code',
    (request: Request<{ code: string }>, response: Response, next: NextFunction) => {
      const { code } = request.params;
      if (!isProblemCode(code))
        return next(new TransportError('not_found', 'There is no error with this code.'));
      const columns = renderColumns(errorArticle(code, publicBaseUrl));
      send(response, 'text/html', renderDocsPage({ path: '', title: code, columns }, basePath));
    },
  );
}

/** Serves a text that is made at the first request and then kept. */
function serve(app: Express, path: string, type: string, make: () => string, searchable?: boolean): void {
  let text: string | undefined;
  app.get(path, (_request: Request, response: Response) =>
    send(response, type, (text ??= make()), searchable),
  );
}

function send(response: Response, type: string, text: string, searchable?: boolean): void {
  if (type === 'text/html') response.setHeader('Content-Security-Policy', docsPolicy(searchable));
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.type(type).send(text);
}

/** Puts the addresses of this installation into a page of `npm run generate`. */
function generatedPage(page: string, publicBaseUrl: string, basePath: string): Markup {
  const escapedUrl = toHtml(html`${publicBaseUrl}`);
  return trusted(
    page
      .replaceAll('href="/', () => `href="${toHtml(html`${basePath}`)}/`)
      .replaceAll(GENERATED_BASE_URL, () => escapedUrl),
  );
}

/** Reads from the checkout, or from the build, which has a copy at the same place. */
function readGenerated(file: string): string {
  return readFileSync(path.resolve(__dirname, '../../generated', file), 'utf8').trimEnd();
}

/** Lists the public addresses (CONTRACT section 3, row 12) by their name in the JSON answer of `/`. */
const LINKS = {
  guide: ['/docs/guide', 'Integration guide: from the first request to a booking'],
  reference: ['/docs', 'API reference'],
  errors: ['/docs/errors', 'Errors and what to do about each'],
  openapi: ['/openapi.json', 'OpenAPI 3.0 document'],
  openapi_3_1: ['/openapi.3.1.json', 'OpenAPI 3.1 document'],
  types: ['/openapi.d.ts', 'Types for TypeScript'],
  widget: ['/embed/widget.js', 'Script that adds the tour list to a page'],
  health: ['/healthz', 'Check that the process runs'],
  readiness: ['/readyz', 'Check that the instance is ready'],
} as const;

/** @param basePath of PUBLIC_BASE_URL */
function homeBody(basePath: string): Markup {
  const items = Object.values(LINKS).map(
    ([path, text]) => html`<li><a href="${basePath}${path}">${text}</a></li>`,
  );
  return html`<h1>Tour Platform</h1>
    <p>The API of a tour catalog and its bookings. Every call below needs no credential.</p>
    <ul>
      ${items}
    </ul>`;
}

/** Returns the links as JSON for programs. */
function homeDocument(publicBaseUrl: string): { name: string; links: Record<string, string> } {
  const links = Object.entries(LINKS).map(([name, [path]]) => [name, publicBaseUrl + path]);
  return { name: 'Tour Platform', links: Object.fromEntries(links) as Record<string, string> };
}
