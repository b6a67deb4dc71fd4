import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { sendFavicon, createFixedBody, type FixedBody } from '../../../platform/http/fixed-body';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import type { ApiContext } from '../../http/api-context';
import { TransportError } from '../../http/http.errors';
import openapi from '../../generated/openapi.json';
import { PROBLEM_CODES, type ProblemCode, PROBLEMS } from '../../http/problems';
import { GENERATED_BASE_URL, type OpenApiDocument, withBaseUrl } from '../openapi-document';
import { problemExample } from '../problem-examples';
import { docsPolicy, renderCode, renderColumns, renderDocsPage, renderTable } from './page';
import { toOpenapi31 } from './to-openapi-31';

const GUIDE = readGenerated('guide.html');
const REFERENCE = readGenerated('reference.html');
const TYPES = readGenerated('openapi.d.ts');

/** Serves the pages for developers of tenants. They are public and name no tenant. */
export function registerDocs(app: Express): void {
  const { publicBaseUrl } = (app.locals.context as ApiContext).config;
  const basePath = new URL(publicBaseUrl).pathname.replace(/\/$/, '');
  const document = () => withBaseUrl(openapi as unknown as OpenApiDocument, publicBaseUrl);
  const page = (path: string, title: string, columns: () => Markup, searchable = false) =>
    fixed(
      'text/html',
      () => renderDocsPage({ path, title, columns: columns(), searchable }, basePath),
      searchable,
    );
  const servePage = (path: string, title: string, columns: () => Markup, searchable?: boolean) =>
    app.get(path, page(path, title, columns, searchable));
  const json = (make: () => object) => fixed('application/json', () => JSON.stringify(make()));

  const home = page('/', 'Start', () => renderColumns(homeBody(basePath)));
  const homeLinks = json(() => homeDocument(publicBaseUrl));
  app.get('/', (request: Request, response: Response) => {
    response.vary('Accept');
    // Sends the page to browsers, and to clients that accept any type.
    const isProgram = request.accepts(['text/html', 'application/json']) === 'application/json';
    return (isProgram ? homeLinks : home)(request, response);
  });
  app.get('/openapi.json', json(document));
  app.get(
    '/openapi.3.1.json',
    json(() => toOpenapi31(document())),
  );
  app.get(
    '/openapi.d.ts',
    fixed('text/plain', () => withBaseUrl(TYPES, publicBaseUrl)),
  );
  servePage('/docs', 'API reference', () => generatedPage(REFERENCE, publicBaseUrl, basePath), true);
  servePage('/docs/guide', 'Integration guide', () => generatedPage(GUIDE, publicBaseUrl, basePath), true);
  servePage('/docs/errors', 'Errors', () => renderColumns(errorList(basePath)));
  const errorPages = new Map(
    PROBLEM_CODES.map((code) => [
      code,
      page('', code, () => renderColumns(errorArticle(code, publicBaseUrl))),
    ]),
  );
  app.get(
    '/docs/errors/:code',
    (request: Request<{ code: string }>, response: Response, next: NextFunction) => {
      const send = errorPages.get(request.params.code as ProblemCode);
      return send
        ? send(request as Request, response)
        : next(new TransportError('not_found', 'There is no error with this code.'));
    },
  );
  app.get('/favicon.ico', sendFavicon);
}

type Send = (request: Request, response: Response) => Promise<void>;

/** Returns a handler that sends a text. The text is made at the first request and then kept. */
function fixed(type: string, make: () => string, searchable?: boolean): Send {
  let body: FixedBody | undefined;
  return (request, response) => {
    if (type === 'text/html') response.setHeader('Content-Security-Policy', docsPolicy(searchable));
    response.setHeader('Cache-Control', 'public, max-age=300');
    body ??= createFixedBody(type, make());
    return body.send(request, response);
  };
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

/** Reads a generated file from the checkout, or from the build, which has a copy in the same place. */
function readGenerated(file: string): string {
  return readFileSync(path.resolve(__dirname, '../../generated', file), 'utf8').trimEnd();
}

/** The public addresses and their texts, by their name in the JSON answer of `/`. */
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

/** @param basePath the path of PUBLIC_BASE_URL */
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

/** Returns the links as an object, for programs. */
function homeDocument(publicBaseUrl: string): { name: string; links: Record<string, string> } {
  const links = Object.entries(LINKS).map(([name, [path]]) => [name, publicBaseUrl + path]);
  return { name: 'Tour Platform', links: Object.fromEntries(links) as Record<string, string> };
}

/** Renders a table of all codes, by status. */
function errorList(basePath: string): Markup {
  const rows = [...PROBLEM_CODES]
    .sort((a, b) => PROBLEMS[a].status - PROBLEMS[b].status)
    .map((code) => {
      const { status, title, retryable } = PROBLEMS[code];
      const link = html`<a href="${basePath}/docs/errors/${code}"><code>${code}</code></a>`;
      return [html`${status}`, link, html`${title}`, html`${retryable ? 'yes' : 'no'}`];
    });
  return html`<h1>Errors</h1>
    <p>
      Every error is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>: it is
      stable, while titles and details may change.
    </p>
    ${renderTable([html`Status`, html`Code`, html`Title`, html`Retry`], rows)}`;
}

/** Renders the page to which `type` of a problem document links. */
function errorArticle(code: ProblemCode, publicBaseUrl: string): Markup {
  const { status, title, retryable, advice } = PROBLEMS[code];
  const example = withBaseUrl(problemExample(code), publicBaseUrl);
  return html`<h1><code>${code}</code></h1>
    <dl>
      <dt>Status</dt>
      <dd>${status}</dd>
      <dt>Title</dt>
      <dd>${title}</dd>
      <dt>Retry</dt>
      <dd>${retryable ? 'The same request may succeed later.' : 'Do not repeat the request as it is.'}</dd>
    </dl>
    <h2>What to do</h2>
    <p>${advice}</p>
    <h2>Example</h2>
    ${renderCode(JSON.stringify(example, null, 2))}`;
}
