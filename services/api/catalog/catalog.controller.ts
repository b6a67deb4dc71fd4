import { Get, Middlewares, Path, Query, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { answerRead, type CachedRoute } from '../http/cached-answers';
import { cacheControl, jsonContent, PRIVATE, withETag } from '../http/caching';
import { continentInput, searchInput } from '../http/input';
import { pageContentOf, pageStart } from '../http/paging';
import type { ProblemDocument } from '../http/problem-document';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { cachedQuoter } from '../pricing/quote-tenant-price';
import { cachedCatalog, cachedVisibleTour, shownUntil } from './list-catalog';
import { catalogItem, tourDetail } from './tour-answer';
import type { CatalogPage, TourDetail } from './tour.dto';

const ROUTE: CachedRoute = { quota: 'catalog' };

@Route('api/tenant')
@Tags('Catalog')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('catalog'), strictQuery)
export class CatalogController {
  constructor(private readonly context: ApiContext) {}

  /**
   * The catalog as the tenant sees it, by name.
   * @summary List tours
   * @param limit Tours a page.
   * @isInt limit must be a whole number
   * @minimum limit 1 must be at least 1
   * @maximum limit 100 must be at most 100
   * @param continent Only tours of this continent, such as `asia`, in any case.
   * @param q Part of the name, in any case, with or without accents.
   * @param cursor `next_cursor` of the page before.
   */
  @Get('catalog')
  async listTours(
    @Request() request: HttpRequest,
    @Query() limit: number = 24,
    @Query() continent?: string,
    @Query() q?: string,
    @Query() cursor?: string,
  ): Promise<CatalogPage> {
    const { tenant } = apiKeyPrincipalOf(request);
    const filters = { continent: continentInput(continent), q: searchInput('q', q) };
    const after = pageStart<{ nameFolded: string; id: string }>(request, cursor, filters);
    const { publicBaseUrl } = this.context.config;
    const toContent = pageContentOf(request, filters);
    return answerRead(request, ROUTE, async () => {
      const page = await cachedCatalog(this.context, tenant, { limit, ...filters, after });
      const items = page.items.map((item) => catalogItem(item, publicBaseUrl));
      return {
        content: withETag(toContent(items, page.last)),
        until: shownUntil(page.items.map(({ tour }) => tour)),
      };
    });
  }

  /**
   * One tour with everything a page about it shows.
   * @summary Read a tour
   * @param id_or_slug UUID or slug of the tour.
   */
  @Get('tours/{id_or_slug}')
  @Response<ProblemDocument>(404, 'tour_not_found')
  async readTour(@Request() request: HttpRequest, @Path() id_or_slug: string): Promise<TourDetail> {
    const { tenant } = apiKeyPrincipalOf(request);
    return answerRead(request, ROUTE, async () => {
      const tour = await cachedVisibleTour(this.context, tenant, id_or_slug);
      const quoter = await cachedQuoter(this.context, tenant, tour);
      const answer = tourDetail(tour, quoter, this.context.config.publicBaseUrl);
      const content = jsonContent(answer, ['Cache-Control', cacheControl(request, PRIVATE)]);
      return { content: withETag(content), until: shownUntil([tour]) };
    });
  }
}
