import { Get, Middlewares, Path, Query, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { cachedVisibleTour } from '../catalog/list-catalog';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { setCaching } from '../http/caching';
import { dateInput } from '../http/input';
import type { ProblemDocument } from '../http/problem-document';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { pricesAnswer, tenantPricesAnswer } from '../pricing/prices';
import type { AvailabilityCache, CachedSeatFacts } from './availability-cache';
import { checkAvailability } from './check-availability';
import type { AvailabilityAnswer } from './departure.dto';

const CACHE_STATUS = { hit: 'hit', stale: 'fwd=stale', miss: 'fwd=miss' };

@Route('api/gateway/tours')
@Tags('Seats')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('availability'), strictQuery)
@Response<ProblemDocument>(404, 'tour_not_found')
export class AvailabilityController {
  constructor(private readonly context: ApiContext & { availability: AvailabilityCache }) {}

  /**
   * Checks the free seats of a date. The count may be up to 70 s old (see `as_of`); a hold and a booking always count again.
   * @summary Check availability
   * @param id_or_slug UUID or slug of the tour.
   * @param departure_date First day of the tour, YYYY-MM-DD.
   * @param quantity Requested seats.
   * @isInt quantity must be a whole number
   * @minimum quantity 1 must be at least 1
   * @maximum quantity 50 must be at most 50
   */
  @Get('{id_or_slug}/availability')
  async checkAvailability(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Query() departure_date: string,
    @Query() quantity: number = 1,
  ): Promise<AvailabilityAnswer> {
    const date = dateInput('query', 'departure_date', departure_date);
    const { tenant } = apiKeyPrincipalOf(request);
    const tour = await cachedVisibleTour(this.context, tenant, id_or_slug);
    const {
      facts,
      status,
      seatsAvailable,
      quote,
      tour: priced,
    } = await checkAvailability(this.context, this.context.availability, tenant, tour, date);
    setAvailabilityHeaders(request, facts, this.context.config.cdnCache);
    return {
      tour: { id: tour.id, slug: tour.slug },
      departure_date: date,
      available: status === 'available' && seatsAvailable >= quantity,
      status,
      seats_available: seatsAvailable,
      requested: quantity,
      currency: priced.currency,
      prices: quote ? pricesAnswer(quote.platform, priced.currencyDigits) : null,
      tenant_prices: quote ? tenantPricesAnswer(quote, priced.currencyDigits) : null,
      as_of: facts.asOf.toISOString(),
    };
  }
}

/** Sets headers that keep the answer private to the key: the shared cache of the specification is inside the API. */
function setAvailabilityHeaders(request: HttpRequest, facts: CachedSeatFacts, cdnCache: boolean): void {
  setCaching(request, 'private, max-age=0, stale-while-revalidate=60');
  const response = request.res!;
  response.setHeader('Vary', 'Authorization');
  response.setHeader('Age', facts.ageSeconds);
  response.setHeader('Cache-Status', `availability; ${CACHE_STATUS[facts.source]}`);
  if (cdnCache && request.query.api_key === undefined) {
    response.setHeader('CDN-Cache-Control', 'max-age=10, stale-while-revalidate=60');
  }
}
