import { Get, Middlewares, Path, Query, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { answerRead } from '../http/cached-answers';
import { cacheControl, jsonContent, PRIVATE, withETag } from '../http/caching';
import { calendarDateForm, instantForm } from '../../platform/forms/days';
import { searchTextForm } from '../../platform/forms/texts';
import { continentInput, countryInput, queryInput } from '../http/input';
import { pageContentOf, pageStart } from '../http/paging';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { strictQuery } from '../http/query-parameters';
import { preferredTags, withLanguages } from '../http/preferred-languages';
import { cachedQuoter } from '../pricing/quote-tenant-price';
import type { PagePosition } from '../catalog/tour';
import { reducePreference } from '../catalog/catalog-languages';
import {
  cachedCatalog,
  cachedFilters,
  cachedVisibleTour,
  showTour,
  shownUntil,
} from '../catalog/cached-catalog';
import { catalogItem, filtersAnswer, removedItem, tourDetail } from './tour-answer';
import type { CatalogFiltersAnswer, CatalogPage, TourDetail } from './tour.dto';

@Route('api/tenant')
@Tags('Catalog')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('catalog'), strictQuery)
export class CatalogController {
  constructor(private readonly context: ApiContext) {}

  /**
   * Lists the catalog as the tenant sees it, by name or by next departure. A tour is listed if it matches all filters that are given.
   * @summary List tours
   * @param limit Tours per page.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @param continent Only tours of this continent, such as `asia`, in any case.
   * @param country Only tours of this country, ISO 3166 alpha-2, in any case.
   * @param tag Only tours with this tag, as the filters of the catalog name it.
   * @param q Part of the name, in any case, with or without accents: of the shown name, or of the name in the tour's own language.
   * @param departs_from YYYY-MM-DD. Only tours with a departure on this day or later that is open for booking.
   * @param departs_to YYYY-MM-DD. Only tours with a departure on this day or earlier that is open for booking. With `departs_from`, one
   *   departure must be between both days; no tour matches if `departs_from` is the later one.
   * @param duration_min Only tours of this number of days or more.
   * @isInt duration_min
   * @minimum duration_min 1
   * @maximum duration_min 366
   * @param duration_max Only tours of this number of days or fewer.
   * @isInt duration_max
   * @minimum duration_max 1
   * @maximum duration_max 366
   * @param updated_since RFC 3339. Only tours that have changed at this time or later: the tour, its departures, or the tenant's
   *   visibility or price rules for it. It is not a change if a departure closes only because time passes. After these tours, the list
   *   has the tours that the tenant does not see any more, marked as removed; the other filters do not apply to them. Pass `as_of` of
   *   the answer next time. A time more than 30 days before `as_of` gives the complete catalog.
   * @param sort By the shown `name`, or by `next_departure_date` and then the name in the tour's own language. Tours without a next
   *   departure come last. All pages of a list keep the next departures of its first page.
   * @param cursor `next_cursor` of the previous page.
   * @param lang Language tag, such as `de` or `pt-BR`. Texts without a translation are in the base language (`de` for `de-CH`), otherwise
   *   in the tour's own. Without `lang`, `Accept-Language` chooses; without both, each tour is in its own language.
   * @maxLength lang 35
   * @pattern lang ^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$
   */
  @Get('catalog')
  async listTours(
    @Request() request: HttpRequest,
    @Query() limit: number = 24,
    @Query() continent?: string,
    @Query() country?: string,
    @Query() tag?: string,
    @Query() q?: string,
    @Query() departs_from?: string,
    @Query() departs_to?: string,
    @Query() duration_min?: number,
    @Query() duration_max?: number,
    @Query() updated_since?: string,
    @Query() sort: 'name' | 'next_departure_date' = 'name',
    @Query() cursor?: string,
    @Query() lang?: string,
  ): Promise<CatalogPage> {
    const { tenant } = apiKeyPrincipalOf(request);
    const filters = {
      continent: continentInput(continent),
      country: countryInput(country),
      tag: queryInput('tag', tag, searchTextForm),
      q: queryInput('q', q, searchTextForm),
      departsFrom: queryInput('departs_from', departs_from, calendarDateForm),
      departsTo: queryInput('departs_to', departs_to, calendarDateForm),
      durationMin: duration_min,
      durationMax: duration_max,
      updatedSince: queryInput('updated_since', updated_since, instantForm),
      // Leaves out the default, so that cursors of a release without this parameter stay valid.
      sort: sort === 'name' ? undefined : sort,
    };
    const preferred = await reducePreference(shareOf(request).cached(), preferredTags(request, lang));
    const after = pageStart<PagePosition>(request, cursor, { ...filters, preference: preferred });
    const { publicBaseUrl } = this.context.config;
    const toContent = pageContentOf(request, { ...filters, preference: preferred });
    const load = async (reads: CachedReads) => {
      const page = await cachedCatalog(reads, tenant, { limit, ...filters, sort, after, preferred });
      const items = page.items.map((item) => catalogItem(item, publicBaseUrl));
      const more = page.asOf === undefined ? {} : { as_of: page.asOf };
      const content = toContent([...items, ...page.removed.map(removedItem)], page.last, more);
      return {
        content: withETag(withLanguages(content, preferred && page.items.map(({ shown }) => shown!.name))),
        until: shownUntil(page.items.map(({ tour }) => tour)),
      };
    };
    return answerRead(request, load, { preferred });
  }

  /**
   * Lists the values by which the catalog can be filtered, each with the number of tours that have it. Counts only tours that the tenant
   * sees, and only departures that are open for booking.
   * @summary List the filters of the catalog
   */
  @Get('catalog/filters')
  async listFilters(@Request() request: HttpRequest): Promise<CatalogFiltersAnswer> {
    const { tenant } = apiKeyPrincipalOf(request);
    return answerRead(request, async (reads) => {
      const { filters, until } = await cachedFilters(reads, tenant);
      const content = jsonContent(filtersAnswer(filters), ['Cache-Control', cacheControl(request, PRIVATE)]);
      return { content: withETag(content), until };
    });
  }

  /**
   * Returns a tour with everything that a page about it shows.
   * @summary Read a tour
   * @param id_or_slug UUID or slug of the tour.
   * @param lang Language tag, such as `de` or `pt-BR`. Texts without a translation are in the base language (`de` for `de-CH`), otherwise
   *   in the tour's own. Without `lang`, `Accept-Language` chooses; without both, the tour is in its own language.
   * @maxLength lang 35
   * @pattern lang ^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$
   */
  @Get('tours/{id_or_slug}')
  @Response<ProblemDocument>(404, 'tour_not_found')
  async readTour(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Query() lang?: string,
  ): Promise<TourDetail> {
    const { tenant } = apiKeyPrincipalOf(request);
    const preferred = await reducePreference(shareOf(request).cached(), preferredTags(request, lang));
    const load = async (reads: CachedReads) => {
      const found = await cachedVisibleTour(reads, tenant, id_or_slug);
      const quoter = await cachedQuoter(reads, tenant, found);
      const { tour, shown } = await showTour(reads, found, preferred);
      const answer = tourDetail(tour, quoter, this.context.config.publicBaseUrl, shown);
      const content = jsonContent(answer, ['Cache-Control', cacheControl(request, PRIVATE)]);
      return { content: withETag(withLanguages(content, shown && [shown.name])), until: shownUntil([found]) };
    };
    return answerRead(request, load, { preferred });
  }
}
