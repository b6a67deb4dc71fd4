import { createHash } from 'node:crypto';
import type { Express, NextFunction, Request, Response } from 'express';
import { recallCatalog, recallContinents } from '../catalog/recall-catalog';
import { mintEmbedPass } from '../credentials/embed-pass';
import { EmbedPassExpiredError } from '../credentials/embed-pass.errors';
import { contextOf } from '../http/api-context';
import { expressAuthentication, widgetPrincipalOf } from '../http/authentication';
import { PRIVATE, setCaching } from '../http/caching';
import { TransportError } from '../http/http.errors';
import { searchInput } from '../http/input';
import { nextCursor, pageStart } from '../http/list-answer';
import { documentedQuery, tolerantQuery } from '../http/query-parameters';
import { quota } from '../http/quota';
import { ownOrigin, placeOf, registerWidgetCors } from './cors.router';
import { tourCard } from './embed-card';
import { renderEmbedPage, renderEmbedProblem } from './embed-page';
import { embedPolicy } from './embed-policy';
import { chooseLanguage, type Language } from './embed-words';
import { mayFrame } from './judge-place';
import { LOADER_SCRIPT } from './loader-script';

interface ListQuery {
  limit: number;
  continent?: string;
  q?: string;
  cursor?: string;
  lang?: string;
}

const LOADER_TAG = `"${createHash('sha256').update(LOADER_SCRIPT).digest('base64url')}"`;

/** All that browsers meet beside the list itself: the page for an iframe, its loader, and the list's preflight. */
export function registerEmbed(app: Express): void {
  registerWidgetCors(app);
  app.get(
    '/embed/tours',
    setPageHeaders,
    authenticate,
    quota('widget'),
    refuseForeignFrame,
    tolerantQuery,
    showTours,
  );
  app.get('/embed/widget.js', sendLoader);
}

/** Over those of every answer, which forbid all framing; on refusals too, which may be a page. */
function setPageHeaders(request: Request, response: Response, next: NextFunction): void {
  response.removeHeader('X-Frame-Options');
  response.removeHeader('Cross-Origin-Opener-Policy');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('X-Robots-Tag', 'noindex');
  response.setHeader('Content-Security-Policy', embedPolicy([], null));
  response.locals.problemPage = (status: number, requestId: string) =>
    renderEmbedProblem(languageOf(request), status, requestId);
  next();
}

async function authenticate(request: Request, response: Response, next: NextFunction): Promise<void> {
  try {
    await expressAuthentication(request, 'widgetToken');
  } catch (error) {
    // A visitor who left the page open reads what to do; with no framing allowed, the browser shows a broken frame.
    if (error instanceof EmbedPassExpiredError) {
      response.setHeader('Content-Security-Policy', embedPolicy(error.origins, null));
    }
    throw error;
  }
  const { origins, tenant } = widgetPrincipalOf(request);
  response.setHeader('Content-Security-Policy', embedPolicy(origins, tenant.brandColor));
  next();
}

function refuseForeignFrame(request: Request, _response: Response, next: NextFunction): void {
  const { origins } = widgetPrincipalOf(request);
  const allowed = mayFrame(origins, ownOrigin(request), placeOf(request));
  next(allowed ? undefined : new TransportError('origin_not_allowed', 'The token is not for this page.'));
}

async function showTours(request: Request, response: Response): Promise<void> {
  const context = contextOf(request);
  const { tenant, tokenId, origins } = widgetPrincipalOf(request);
  const { limit, continent, q, cursor } = documentedQuery<ListQuery>(request);
  const filter = { continent, q: searchInput('q', q) };
  const after = pageStart<{ nameFolded: string; id: string }>(request, cursor, filter);
  const { items, last } = await recallCatalog(context, tenant, { limit, ...filter, after });
  const language = languageOf(request);
  setCaching(request, PRIVATE);
  response.type('html').send(
    renderEmbedPage({
      language,
      tenantName: tenant.name,
      brandColor: tenant.brandColor,
      origins,
      cards: items.map((item) => tourCard(item, tenant, language.locale)),
      continents: await recallContinents(context, tenant),
      filter,
      kept: { pass: mintEmbedPass(context.secrets.cursorKey, tokenId), ...settingsOf(request) },
      isFirst: after === undefined,
      nextCursor: nextCursor(request, last, filter),
    }),
  );
}

/** What the embedding page chose once, and every link repeats. */
function settingsOf(request: Request): Record<string, string> {
  const sent = ['limit', 'lang'].map((name) => [name, request.query[name]]);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

function languageOf(request: Request): Language {
  return chooseLanguage([request.query.lang, ...request.acceptsLanguages()]);
}

/** Read by any site, by design, and without a credential: it holds no data. */
function sendLoader(_request: Request, response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('ETag', LOADER_TAG);
  response.type('application/javascript').send(LOADER_SCRIPT);
}
