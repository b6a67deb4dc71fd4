import type { Express, NextFunction, Request, Response } from 'express';
import type { PagePosition } from '../catalog/tour';
import { reducePreference } from '../catalog/catalog-languages';
import { cachedCatalog, cachedContinents, cachedTimesOfNextDates } from '../catalog/cached-catalog';
import { type PricedCatalogTour } from '../catalog/list-catalog';
import { baseLanguages } from '../catalog/tour-text';
import { mintEmbedPass } from '../credentials/embed-pass';
import { UnusableWidgetTokenError } from '../credentials/credential.errors';
import { contextOf } from '../http/api-context';
import { authenticate, widgetPrincipalOf } from '../http/authentication';
import { PRIVATE, setCaching } from '../http/caching';
import { showProblemsAs } from '../http/error-handler';
import { TransportError } from '../http/http.errors';
import { searchTextForm } from '../../platform/forms/texts';
import { continentInput, queryInput } from '../http/input';
import { nextCursor, pageStart } from '../http/paging';
import { documentedQuery, tolerantQuery } from '../http/query-parameters';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { acceptedTags, commonLanguage, preferredTags } from '../http/preferred-languages';
import { isOwnPage, mayFrame, ownOrigin, type RequestOrigin, requestOriginOf } from './cors.router';
import { chooseLanguage, type Locale } from './languages';
import { structuredData, tourCard } from './embed-cards';
import { type Brand, NO_BRAND } from './embed-style';
import { type DocumentSettings, embedPolicy, type Theme } from './embed-document';
import { renderEmbedProblem } from './embed-message';
import { renderEmbedPage } from './embed-page';
import { registerScripts } from './scripts.router';

interface ListQuery {
  limit: number;
  continent?: string;
  q?: string;
  cursor?: string;
  lang?: string;
}

const THEMES: Theme[] = ['light', 'dark'];

/** Registers the page for an iframe, and the scripts for the pages of tenants. */
export function registerEmbed(app: Express): void {
  app.get(
    '/embed/tours',
    setPageHeaders,
    authenticateFrame,
    quota('widget'),
    refuseForeignFrame,
    tolerantQuery,
    showTours,
  );
  registerScripts(app);
}

/** Replaces the headers that forbid framing, also for errors, because an error may be a page. */
function setPageHeaders(request: Request, response: Response, next: NextFunction): void {
  response.removeHeader('X-Frame-Options');
  response.removeHeader('Cross-Origin-Opener-Policy');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  // A page with Cross-Origin-Embedder-Policy shows only frames that have the header too.
  response.setHeader('Cross-Origin-Embedder-Policy', 'credentialless');
  response.setHeader('X-Robots-Tag', 'noindex');
  allowFraming(response, [], NO_BRAND);
  showProblemsAs(response, (status, requestId, error) =>
    renderEmbedProblem(surroundingsOf(request), { status, requestId, error }),
  );
  next();
}

async function authenticateFrame(request: Request, response: Response, next: NextFunction): Promise<void> {
  try {
    await authenticate(request, 'widgetToken');
  } catch (error) {
    // Allows framing, so that a visitor can read the message. Otherwise the browser would show a broken frame.
    if (error instanceof UnusableWidgetTokenError) allowFraming(response, error.origins, NO_BRAND);
    throw error;
  }
  const { origins, tenant } = widgetPrincipalOf(request);
  allowFraming(response, origins, tenant);
  next();
}

/** Sets the brand and the allowed origins of the answer, also of an error. */
function allowFraming(response: Response, origins: string[], brand: Brand): void {
  response.locals.embed = { origins, brand } satisfies Pick<DocumentSettings, 'origins' | 'brand'>;
  response.setHeader('Content-Security-Policy', embedPolicy(origins, brand));
}

function refuseForeignFrame(request: Request, _response: Response, next: NextFunction): void {
  const { origins } = widgetPrincipalOf(request);
  const from = requestOriginOf(request);
  const allowed = isOwnFetch(request, from) || mayFrame(origins, ownOrigin(request), from);
  next(allowed ? undefined : new TransportError('origin_not_allowed', 'The token is not for this page.'));
}

/** Returns whether the script of the page sent the request. Such a request has the pass, and the browser's headers show a fetch. */
function isOwnFetch(request: Request, from: RequestOrigin): boolean {
  const { fetchDest, fetchSite } = from;
  if (request.query.pass === undefined || fetchDest !== 'empty') return false;
  return fetchSite === 'same-origin' && isOwnPage(ownOrigin(request), from);
}

async function showTours(request: Request, response: Response): Promise<void> {
  const context = contextOf(request);
  const { tenant, tokenId, passChainStart } = widgetPrincipalOf(request);
  const { limit, continent, q, cursor, lang } = documentedQuery<ListQuery>(request);
  const filter = { continent: continentInput(continent), q: queryInput('q', q, searchTextForm) };
  const reads = shareOf(request).cached();
  const preferred = await reducePreference(reads, preferredTags(request, lang));
  const after = pageStart<PagePosition>(request, cursor, { ...filter, preference: preferred });
  const list = { limit, ...filter, after, preferred };
  const { items, last } = await cachedCatalog(reads, tenant, list);
  const times = await cachedTimesOfNextDates(reads, items);
  const surroundings = surroundingsOf(request);
  const { locale } = surroundings.language;
  const pass = mintEmbedPass(context.secrets.cursorKey, tokenId, Date.now(), passChainStart);
  setCaching(request, PRIVATE);
  if (preferred) setLanguage(response, locale, items);
  const page = renderEmbedPage({
    ...surroundings,
    tenantName: tenant.name,
    cards: items.map((item) => tourCard(item, times.get(item.tour.id), tenant, surroundings.language)),
    structuredData: structuredData(items, tenant, { locale, baseUrl: context.config.publicBaseUrl }),
    continents: await cachedContinents(reads, tenant),
    filter,
    kept: { pass, ...settingsOf(request) },
    isFirst: after === undefined,
    nextCursor: nextCursor(request, last, { ...filter, preference: preferred }),
  });
  // Avoids response.send(): it answers 304 to `If-None-Match: *`, although the pass makes each page different.
  response.type('html').setHeader('Content-Length', Buffer.byteLength(page)).end(page);
}

/** Sets Vary, and Content-Language if all tours are shown in the language of the page. */
function setLanguage(response: Response, locale: Locale, items: PricedCatalogTour[]): void {
  response.vary('Accept-Language');
  const language = commonLanguage(items.map(({ shown }) => shown!.name));
  if (language !== undefined && baseLanguages(locale).includes(language.toLowerCase()))
    response.setHeader('Content-Language', language);
}

/** Returns the settings of the embedding page, which every link repeats. */
function settingsOf(request: Request): Record<string, string> {
  const sent = ['limit', 'lang', 'theme'].map((name) => [name, request.query[name]]);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

function surroundingsOf(request: Request): DocumentSettings {
  const { lang, theme } = request.query;
  return {
    language: chooseLanguage([lang, ...acceptedTags(request.get('accept-language'))]),
    theme: THEMES.find((known) => known === theme) ?? null,
    ...(request.res!.locals.embed as Pick<DocumentSettings, 'origins' | 'brand'>),
  };
}
