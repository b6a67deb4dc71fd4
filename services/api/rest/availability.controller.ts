import { Get, Middlewares, Path, Query, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { cachedVisibleTour, shownUntil } from '../catalog/cached-catalog';
import type { Tour } from '../catalog/tour';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { answerRead, latestContent, type PresentContent } from '../http/cached-answers';
import { cacheControl, jsonContent, NO_STORE } from '../http/caching';
import { calendarDateForm } from '../../platform/forms/days';
import { readInput } from '../../platform/forms/form';
import { queryInput } from '../http/input';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { type PricedTour, pricesAnswer, tenantPricesAnswer } from '../pricing/price-categories';
import { platformCurrencyOf, sellingCurrencyOf } from '../pricing/selling-currency';
import type { Tenant } from '../tenants/tenant';
import type { AvailabilityCache, SeatFacts } from '../departures/availability-cache';
import type { AvailabilityAnswer } from './departure.dto';
import { availabilityOn, type NamedDeparture } from '../departures/find-departures';
import { startTimeForm } from '../catalog/start-time';

const CACHE_STATUS = { hit: 'hit', stale: 'fwd=stale', miss: 'fwd=miss' };

type AvailabilityContext = ApiContext & { availability: AvailabilityCache };

@Route('api/gateway/tours')
@Tags('Seats')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('availability'), strictQuery)
@Response<ProblemDocument>(404, 'tour_not_found')
export class AvailabilityController {
  constructor(private readonly context: AvailabilityContext) {}

  /**
   * Checks the free seats of a date. The count may be up to 70 s old (see `as_of`). Each hold and each booking counts the seats again.
   * @summary Check availability
   * @param id_or_slug UUID or slug of the tour.
   * @param departure_date First day of the tour, YYYY-MM-DD.
   * @param departure_time Start time, HH:MM: chooses one of several departures of the date.
   * @param quantity Requested seats.
   * @isInt quantity
   * @minimum quantity 1
   * @maximum quantity 50
   */
  @Get('{id_or_slug}/availability')
  async checkAvailability(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Query() departure_date: string,
    @Query() departure_time?: string,
    @Query() quantity: number = 1,
  ): Promise<AvailabilityAnswer> {
    const date = readInput('query', 'departure_date', departure_date, calendarDateForm);
    const time = queryInput('departure_time', departure_time, startTimeForm);
    const { tenant } = apiKeyPrincipalOf(request);
    const headers = availabilityHeaders(request, this.context.config.cdnCache);
    return answerRead(request, async (reads, key) => {
      const tour = await cachedVisibleTour(reads, tenant, id_or_slug);
      const check = { tenant, tour: toCheckedTour(tour), departure: { date, time }, quantity };
      return { content: availabilityContent(this.context, key, check, headers), until: shownUntil([tour]) };
    });
  }
}

/** The fields of a tour that a check uses. A cached answer keeps them; the whole tour would take a hundred times the memory. */
type CheckedTour = Pick<Tour, 'slug' | 'revision'> & PricedTour;

function toCheckedTour(tour: Tour): CheckedTour {
  const { id, slug, revision, continent, currency, currencyDigits, categories } = tour;
  return { id, slug, revision, continent, currency, currencyDigits, categories };
}

interface Check {
  tenant: Tenant;
  tour: CheckedTour;
  departure: NamedDeparture;
  quantity: number;
}

/** Returns a function that answers a check from the availability cache. @param key the key of the answer in the read cache */
function availabilityContent(
  context: AvailabilityContext,
  key: string | undefined,
  check: Check,
  headers: string[],
): PresentContent {
  const { answers, availability } = context;
  const ofVersion = latestContent(answers, key);
  return async ({ run }) => {
    const { tenant, tour, departure } = check;
    const facts = await availability.get(tour.id, departure.date, tenant.sandbox, tour.revision, run);
    const load = async (reads: CachedReads) =>
      jsonContent(await availabilityAnswer(reads, check, facts), headers);
    const { text, length, headers: constant } = await ofVersion(facts.id, run, load);
    const status = `availability; ${CACHE_STATUS[facts.source]}`;
    return { text, length, headers: [...constant, 'Age', facts.ageSeconds, 'Cache-Status', status] };
  };
}

async function availabilityAnswer(
  reads: CachedReads,
  { tenant, tour, departure, quantity }: Check,
  facts: SeatFacts,
): Promise<AvailabilityAnswer> {
  const availability = await availabilityOn(reads, tenant, tour, facts, { ...departure, quantity });
  const { status, seatsAvailable, available, quote, tour: priced } = availability;
  return {
    tour: { id: tour.id, slug: tour.slug },
    departure_date: departure.date,
    departure_time: availability.departureTime,
    available,
    status,
    seats_available: seatsAvailable,
    requested: quantity,
    currency: sellingCurrencyOf(tenant, priced).currency,
    platform_currency: platformCurrencyOf(tenant, priced),
    prices: quote ? pricesAnswer(quote.platform, priced.categories, priced.currencyDigits) : null,
    tenant_prices: quote ? tenantPricesAnswer(quote) : null,
    as_of: facts.asOf.toISOString(),
  };
}

/**
 * Returns the caching headers. `Vary: Authorization` keeps the answers to different API keys apart, because tenants have different prices.
 */
function availabilityHeaders(request: HttpRequest, cdnCache: boolean): string[] {
  const caching = cacheControl(request, 'private, max-age=0, stale-while-revalidate=60');
  const headers = ['Cache-Control', caching, 'Vary', 'Authorization'];
  if (cdnCache && caching !== NO_STORE)
    headers.push('CDN-Cache-Control', 'max-age=10, stale-while-revalidate=60');
  return headers;
}
