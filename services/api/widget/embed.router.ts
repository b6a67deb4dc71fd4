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
import { type Brand, NO_BRAND } from './embed-brand';
import type { Surroundings, Theme } from './embed-document';
import { renderEmbedProblem } from './embed-message';
import { renderEmbedPage } from './embed-page';
import { embedPolicy } from './embed-policy';
import { structuredData } from './embed-structured-data';
import { chooseLanguage } from './embed-words';
import { isOwnPage, mayFrame, type Place } from './judge-place';
import { registerLoader } from './loader.router';

interface ListQuery {
  limit: number;
  continent?: string;
  q?: string;
  cursor?: string;
  lang?: string;
}

const THEMES: Theme[] = ['light', 'dark'];

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
  registerLoader(app);
}

/** Over those of every answer, which forbid all framing; on refusals too, which may be a page. */
function setPageHeaders(request: Request, response: Response, next: NextFunction): void {
  response.removeHeader('X-Frame-Options');
  response.removeHeader('Cross-Origin-Opener-Policy');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('X-Robots-Tag', 'noindex');
  allowFraming(response, [], NO_BRAND);
  response.locals.problemPage = (status: number, requestId: string) =>
    renderEmbedProblem(surroundingsOf(request), status, requestId);
  next();
}

async function authenticate(request: Request, response: Response, next: NextFunction): Promise<void> {
  try {
    await expressAuthentication(request, 'widgetToken');
  } catch (error) {
    // A visitor who left the page open reads what to do; with no framing allowed, the browser shows a broken frame.
    if (error instanceof EmbedPassExpiredError) {
      allowFraming(response, error.origins, NO_BRAND);
    }
    throw error;
  }
  const { origins, tenant } = widgetPrincipalOf(request);
  allowFraming(response, origins, tenant);
  next();
}

/** From here on the answer, a refusal too, is a page of this tenant's, and may be shown on these. */
function allowFraming(response: Response, origins: string[], brand: Brand): void {
  response.locals.embed = { origins, brand } satisfies Pick<Surroundings, 'origins' | 'brand'>;
  response.setHeader('Content-Security-Policy', embedPolicy(origins, brand));
}

function refuseForeignFrame(request: Request, _response: Response, next: NextFunction): void {
  const { origins } = widgetPrincipalOf(request);
  const place = placeOf(request);
  const allowed = isOwnFetch(request, place) || mayFrame(origins, ownOrigin(request), place);
  next(allowed ? undefined : new TransportError('origin_not_allowed', 'The token is not for this page.'));
}

/** The page's script, which asks for the next list with the pass. Only a browser's own word says that it is that page. */
function isOwnFetch(request: Request, place: Place): boolean {
  const { fetchDest, fetchSite } = place;
  if (request.query.pass === undefined || fetchDest !== 'empty') return false;
  return fetchSite === 'same-origin' && isOwnPage(ownOrigin(request), place);
}

async function showTours(request: Request, response: Response): Promise<void> {
  const context = contextOf(request);
  const { tenant, tokenId } = widgetPrincipalOf(request);
  const { limit, continent, q, cursor } = documentedQuery<ListQuery>(request);
  const filter = { continent, q: searchInput('q', q) };
  const after = pageStart<{ nameFolded: string; id: string }>(request, cursor, filter);
  const { items, last } = await recallCatalog(context, tenant, { limit, ...filter, after });
  const surroundings = surroundingsOf(request);
  const { locale } = surroundings.language;
  setCaching(request, PRIVATE);
  response.type('html').send(
    renderEmbedPage({
      ...surroundings,
      tenantName: tenant.name,
      cards: items.map((item) => tourCard(item, tenant, locale)),
      structuredData: structuredData(items, tenant, { locale, baseUrl: context.config.publicBaseUrl }),
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
  const sent = ['limit', 'lang', 'theme'].map((name) => [name, request.query[name]]);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

function surroundingsOf(request: Request): Surroundings {
  const { lang, theme } = request.query;
  return {
    language: chooseLanguage([lang, ...request.acceptsLanguages()]),
    theme: THEMES.find((known) => known === theme) ?? null,
    ...(request.res!.locals.embed as Pick<Surroundings, 'origins' | 'brand'>),
  };
}
