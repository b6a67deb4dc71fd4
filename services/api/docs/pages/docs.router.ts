import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { sendFavicon, createFixedBody, type FixedBody } from '../../../platform/http/fixed-body';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import type { ApiContext } from '../../http/api-context';
import { type ProblemPage, showProblemsAs } from '../../http/error-handler';
import { TransportError } from '../../http/http.errors';
import openapi from '../../generated/openapi.json';
import { PROBLEM_CODES, type ProblemCode } from '../../http/problems';
import { GENERATED_BASE_URL, type OpenApiDocument, withBaseUrl } from '../openapi-document';
import { PREVIEW_STYLE } from '../../widget/embed-preview';
import { errorArticle, errorList } from './error-pages';
import { homeBody, homeDocument, missingPage } from './home-page';
import { docsPolicy, renderColumns, renderDocsPage } from './page';
import { toOpenapi31 } from './to-openapi-31';

/** The guide, as render-pages.ts writes it. */
interface Guide {
  index: string;
  /** In their order. */
  pages: { name: string; title: string; html: string }[];
}

const GUIDE = JSON.parse(readGenerated('guide.json')) as Guide;
/** The pages that the search of a missing address reads. */
const SEARCHED = ['/docs', ...GUIDE.pages.map(({ name }) => `/docs/guide/${name}`)];
const REFERENCE = readGenerated('reference.html');
const TYPES = readGenerated('openapi.d.ts');

/** Serves the pages for developers of tenants. They are public and name no tenant. */
export function registerDocs(app: Express): void {
  const { publicBaseUrl } = (app.locals.context as ApiContext).config;
  const basePath = new URL(publicBaseUrl).pathname.replace(/\/$/, '');
  const document = () => withBaseUrl(openapi as unknown as OpenApiDocument, publicBaseUrl);
  const page = (path: string, title: string, columns: () => Markup, policy = docsPolicy()) =>
    fixed('text/html', () => renderDocsPage({ path, title, columns: columns() }, basePath), policy);
  const servePage = (path: string, title: string, columns: () => Markup) =>
    app.get(path, page(path, title, columns));
  const json = (make: () => object) => fixed('application/json', () => JSON.stringify(make()));

  app.use(answerWithMissingPage(basePath));
  const home = page(
    '/',
    'Start',
    () => renderColumns(homeBody(publicBaseUrl, basePath)),
    docsPolicy({ style: PREVIEW_STYLE }),
  );
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
  servePage('/docs', 'API reference', () => generatedPage(REFERENCE, publicBaseUrl, basePath));
  const searching = docsPolicy({ connect: "'self'" });
  const guide = (title: string, text: string) =>
    page('/docs/guide', title, () => generatedPage(text, publicBaseUrl, basePath), searching);
  app.get('/docs/guide', guide('Integration guide', GUIDE.index));
  for (const { name, title, html: text } of GUIDE.pages) app.get(`/docs/guide/${name}`, guide(title, text));
  servePage('/docs/errors', 'Errors', () => renderColumns(errorList(basePath)));
  const errorContext = { document: openapi as unknown as OpenApiDocument, publicBaseUrl, basePath };
  const errorPages = new Map(
    PROBLEM_CODES.map((code) => [
      code,
      page('/docs/errors', code, () => renderColumns(errorArticle(code, errorContext))),
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

/** The paths whose clients are programs: they get problem documents alone. */
const PROGRAM_PATHS = /^\/(api|octo)(\/|$)/i;

/** Lets the error handler answer a missing address with a page, if the client prefers HTML. */
function answerWithMissingPage(basePath: string) {
  const text = () =>
    renderDocsPage({ path: '', title: 'Not found', columns: missingPage(basePath, SEARCHED) }, basePath);
  return (request: Request, response: Response, next: NextFunction) => {
    const render: ProblemPage = (status) => {
      if (status !== 404) return undefined;
      response.setHeader('Content-Security-Policy', docsPolicy({ connect: "'self'" }));
      return text();
    };
    if (!PROGRAM_PATHS.test(request.path)) showProblemsAs(response, render);
    next();
  };
}

type Send = (request: Request, response: Response) => Promise<void>;

/**
 * Returns a handler that sends a text. The text is made at the first request and then kept.
 * @param policy the Content-Security-Policy of a page
 */
function fixed(type: string, make: () => string, policy?: string): Send {
  let body: FixedBody | undefined;
  return (request, response) => {
    if (policy) response.setHeader('Content-Security-Policy', policy);
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
      .replaceAll(/(?<=data-pages="[^"]*)\/docs/g, () => `${toHtml(html`${basePath}`)}/docs`)
      .replaceAll(GENERATED_BASE_URL, () => escapedUrl),
  );
}

/** Reads a generated file from the checkout, or from the build, which has a copy in the same place. */
function readGenerated(file: string): string {
  return readFileSync(path.resolve(__dirname, '../../generated', file), 'utf8').trimEnd();
}
