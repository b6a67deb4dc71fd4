import {
  Get,
  Middlewares,
  OperationId,
  Query,
  Request,
  Response,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { CancellationPolicy } from '../catalog/cancellation-policy';
import type { PagePosition } from '../catalog/tour';
import { reducePreference } from '../catalog/catalog-languages';
import { cachedCatalog, shownUntil } from '../catalog/cached-catalog';
import { type PricedCatalogTour } from '../catalog/list-catalog';
import type { TourSummary } from '../rest/tour-summary';
import { catalogItem } from '../rest/tour-answer';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { ApiContext } from '../http/api-context';
import { widgetPrincipalOf } from '../http/authentication';
import { answerRead } from '../http/cached-answers';
import { withETag } from '../http/caching';
import { searchTextForm } from '../../platform/forms/texts';
import { continentInput, queryInput } from '../http/input';
import { pageContentOf, pageStart } from '../http/paging';
import type { ProblemDocument } from '../http/problems';
import { tolerantQuery } from '../http/query-parameters';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { preferredTags, withLanguages } from '../http/preferred-languages';
import { tourLink } from '../tenants/link-template';
import type { Tenant } from '../tenants/tenant';
import { allowListedOrigin, refuseForeignPage } from './cors.router';

/** One tour as a browser may see it: without seats, and with no price but the tenant's. */
export interface WidgetTour extends TourSummary {
  /** The refund of a cancellation. Only if the tour states it. */
  cancellation?: CancellationPolicy;
  /** Address of the tour on the tenant's own site; null if the operator has set none for the tenant. */
  url: string | null;
}

export interface WidgetTourPage {
  items: WidgetTour[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

@Route('api/widget')
@Tags('Widget')
@Security('widgetToken')
@Middlewares(allowListedOrigin, quota('widget'), refuseForeignPage, tolerantQuery)
@Response<ProblemDocument>(403, 'origin_not_allowed')
export class WidgetToursController {
  constructor(private readonly context: ApiContext) {}

  /**
   * Lists the tours that a page of the tenant's site may show, by name. The browser's Origin must be one of the token's origins.
   * @summary List tours in a browser
   * @param limit Tours per page.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 30
   * @param continent Only tours of this continent, such as `asia`, in any case.
   * @param q Part of the name, in any case, with or without accents, as shown or in the tour's own language; at most 100 characters.
   * @param cursor `next_cursor` of the previous page.
   * @param lang Language tag, such as `de` or `pt-BR`. Texts without a translation are in the base language (`de` for `de-CH`), otherwise
   *   in the tour's own. Without `lang`, `Accept-Language` chooses; without both, each tour is in its own language.
   * @maxLength lang 35
   * @pattern lang ^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$
   */
  @Get('tours')
  @OperationId('listWidgetTours')
  async listTours(
    @Request() request: HttpRequest,
    @Query() limit: number = 12,
    @Query() continent?: string,
    @Query() q?: string,
    @Query() cursor?: string,
    @Query() lang?: string,
  ): Promise<WidgetTourPage> {
    const { tenant } = widgetPrincipalOf(request);
    const filters = { continent: continentInput(continent), q: queryInput('q', q, searchTextForm) };
    const preferred = await reducePreference(shareOf(request).cached(), preferredTags(request, lang));
    const after = pageStart<PagePosition>(request, cursor, { ...filters, preference: preferred });
    const { publicBaseUrl } = this.context.config;
    const toContent = pageContentOf(request, { ...filters, preference: preferred });
    const load = async (reads: CachedReads) => {
      const page = await cachedCatalog(reads, tenant, { limit, ...filters, after, preferred });
      const items = page.items.map((item) => widgetTour(item, tenant, publicBaseUrl));
      const content = toContent(items, page.last);
      return {
        content: withETag(withLanguages(content, preferred && page.items.map(({ shown }) => shown!.name))),
        until: shownUntil(page.items.map(({ tour }) => tour)),
      };
    };
    return answerRead(request, load, { preferred });
  }
}

/** @param baseUrl the address of this installation, for pictures that this installation serves */
function widgetTour(priced: PricedCatalogTour, tenant: Tenant, baseUrl: string): WidgetTour {
  const { updated_at, ...item } = catalogItem(priced, baseUrl);
  const { cancellation } = priced.tour;
  return { ...item, ...(cancellation && { cancellation }), url: tourLink(tenant, item.slug) };
}
