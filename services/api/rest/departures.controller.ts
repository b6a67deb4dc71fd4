import { Get, Middlewares, Path, Query, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { cachedVisibleTour, shownUntil } from '../catalog/cached-catalog';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { answerRead, versionedContent } from '../http/cached-answers';
import { withETag } from '../http/caching';
import { invalidCursor, pageContentOf, pageStart } from '../http/paging';
import { calendarDateForm } from '../../platform/forms/days';
import { queryInput } from '../http/input';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import type { RunRead } from '../http/read-share';
import { strictQuery } from '../http/query-parameters';
import { pricesAnswer, tenantPricesAnswer } from '../pricing/price-categories';
import { platformCurrencyOf } from '../pricing/selling-currency';
import type { Tenant } from '../tenants/tenant';
import type { AvailabilityCache } from '../departures/availability-cache';
import { type DeparturePosition, departureStatus, seatsAvailable } from '../departures/departure';
import type { DepartureItem, DeparturePage } from './departure.dto';
import { listDepartures, type PricedDeparture } from '../departures/find-departures';

type DeparturesContext = ApiContext & { availability: AvailabilityCache };

@Route('api/tenant/tours')
@Tags('Catalog')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('catalog'), strictQuery)
@Response<ProblemDocument>(404, 'tour_not_found')
export class DeparturesController {
  constructor(private readonly context: DeparturesContext) {}

  /**
   * Lists a tour's departures by date and time, by default the upcoming ones, with the tenant's prices. Each API key gets only one list of
   * departures at a time.
   * @summary List departures
   * @param id_or_slug UUID or slug of the tour.
   * @param from First date, YYYY-MM-DD. By default the list begins with the first departure that is not past.
   * @param to Last date, YYYY-MM-DD.
   * @param status Only departures in this state. With `gone`, the list by default begins with the tour's first departure.
   * @param limit Departures per page.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 366
   * @param cursor `next_cursor` of the previous page.
   */
  @Get('{id_or_slug}/departures')
  async listDepartures(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Query() from?: string,
    @Query() to?: string,
    @Query() status?: 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed',
    @Query() limit: number = 100,
    @Query() cursor?: string,
  ): Promise<DeparturePage> {
    const { tenant } = apiKeyPrincipalOf(request);
    const filters = {
      from: queryInput('from', from, calendarDateForm),
      to: queryInput('to', to, calendarDateForm),
      status,
    };
    // The cursor also contains the tour's id, which is compared once the tour is found.
    const after = pageStart<DeparturePosition & { tourId: string }>(request, cursor, filters);
    const toContent = pageContentOf(request, filters);
    return answerRead(request, async (reads, key) => {
      const tour = await cachedVisibleTour(reads, tenant, id_or_slug);
      if (after && after.tourId !== tour.id) throw invalidCursor();
      const page = { ...filters, after, limit };
      // Takes only two fields of the tour. The cache keeps the functions below with every value that they use, and must not keep the whole
      // tour.
      const { id, revision } = tour;
      const { answers, availability } = this.context;
      const readVersion = (run: RunRead) => availability.seatsVersion(id, tenant.sandbox, revision, run);
      const list = async (present: CachedReads) => {
        const { items, last } = await listDepartures(present, tenant, { id }, page);
        const shown = items.map((item) => departureItem(item, tenant));
        return withETag(toContent(shown, last && { tourId: id, ...last }));
      };
      return {
        content: versionedContent(answers, key, readVersion, list),
        until: shownUntil([tour]),
      };
    });
  }
}

function departureItem({ departure, quote }: PricedDeparture, tenant: Tenant): DepartureItem {
  return {
    id: departure.id,
    departure_date: departure.departureDate,
    start_time: departure.startTime,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    closes_at: departure.salesEndAt.toISOString(),
    seats_total: departure.seatsTotal,
    seats_available: seatsAvailable(departure),
    currency: quote.currency,
    platform_currency: platformCurrencyOf(tenant, departure.tour),
    prices: pricesAnswer(quote.platform, departure.tour.categories, departure.tour.currencyDigits),
    tenant_prices: tenantPricesAnswer(quote),
  };
}
