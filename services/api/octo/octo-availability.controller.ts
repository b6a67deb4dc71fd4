import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { isUuid } from '../../platform/text-forms';
import { shownUntil } from '../catalog/cached-catalog';
import type { Tour } from '../catalog/tour';
import type { AvailabilityCache } from '../departures/availability-cache';
import { listDepartures, type PricedDeparture } from '../departures/find-departures';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { versionedContent } from '../http/cached-answers';
import { jsonContent, NO_STORE, sendContent } from '../http/caching';
import { badInput } from '../http/http.errors';
import { dateInput } from '../http/input';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { tenantVersion } from '../tenants/tenant';
import {
  type AvailabilityView,
  type OctoAvailability,
  type OctoCalendarDay,
  toAvailabilities,
  toCalendar,
} from './availability.dto';
import { assertUnits, findRequestedTour, partyOfUnits } from './find-product';
import { badOctoRequest, invalidId } from './octo.errors';
import { capabilitiesOf, octoBody, octoEnvironment } from './octo.router';

/** @example {"id": "adult", "quantity": 2} */
export interface OctoUnitQuantity {
  id: string;
  /**
   * @isInt must be a whole number
   * @minimum 0 must be at least 0
   * @maximum 1000 must be at most 1000
   */
  quantity: number;
  [field: string]: unknown;
}

/**
 * @example {"productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "localDateStart": "2027-03-01", "localDateEnd": "2027-03-31", "units": [{"id": "adult", "quantity": 2}]}
 */
export interface OctoCalendarBody {
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** The first day, YYYY-MM-DD. */
  localDateStart?: string | null;
  /** The last day, YYYY-MM-DD; at most 366 days. */
  localDateEnd?: string | null;
  /**
   * The wanted units. `available` is true if all of them can be booked.
   * @maxItems 50 must have at most 50 items
   */
  units?: OctoUnitQuantity[] | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/**
 * Takes a range of days or the ids of availabilities, not both.
 * @example {"productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "availabilityIds": ["c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11"]}
 */
export interface OctoAvailabilityBody {
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** The first day, YYYY-MM-DD. */
  localDateStart?: string | null;
  /** The last day, YYYY-MM-DD; at most 366 days. */
  localDateEnd?: string | null;
  /**
   * The ids of departures.
   * @maxItems 366 must have at most 366 items
   */
  availabilityIds?: string[] | null;
  /**
   * The wanted units. `available` is true if all of them can be booked.
   * @maxItems 50 must have at most 50 items
   */
  units?: OctoUnitQuantity[] | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;
/** The most departures in one answer: 54 for each day of the longest range. */
const DEPARTURES_MAX = 20_000;
const TOO_MANY = 'The product has more than 20,000 departures in this range. Ask for fewer days.';
/** Approximate memory of a tour with its texts. */
const KIB_OF_TOUR = 8;

@Route('octo')
@Tags('OCTO')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('availability'), octoEnvironment, tolerantQuery, octoBody)
export class OctoAvailabilityController {
  constructor(private readonly context: ApiContext & { availability: AvailabilityCache }) {}

  /**
   * Returns the days of a range on which the product departs, including sold-out days.
   * @summary Read the calendar of a product
   */
  @Post('availability/calendar')
  async octoReadCalendar(
    @Request() request: HttpRequest,
    @Body() body: OctoCalendarBody,
  ): Promise<OctoCalendarDay[]> {
    const { tour, view } = await this.read(request, body);
    return this.send(request, tour, calendarRange(body), view, toCalendar);
  }

  /**
   * Returns the availabilities of a range of days, or the availabilities with the given ids.
   * @summary Check availability of a product
   */
  @Post('availability')
  async octoCheckAvailability(
    @Request() request: HttpRequest,
    @Body() body: OctoAvailabilityBody,
  ): Promise<OctoAvailability[]> {
    const { tour, view } = await this.read(request, body);
    return this.send(request, tour, askedDepartures(body), view, toAvailabilities);
  }

  private async read(
    request: HttpRequest,
    body: OctoCalendarBody,
  ): Promise<{ tour: Tour; view: AvailabilityView }> {
    const tour = await findRequestedTour(this.context, apiKeyPrincipalOf(request).tenant, body);
    const party = body.units?.length ? partyOfUnits(body.units) : undefined;
    if (party) assertUnits(tour, party);
    return { tour, view: { capabilities: capabilitiesOf(request), party } };
  }

  /** Sends the departures as JSON. Answers a repeat from memory while the seats, the tour and the tenant stay the same. */
  private async send<Row>(
    request: HttpRequest,
    tour: Tour,
    asked: AskedDepartures,
    view: AvailabilityView,
    toRows: (tour: Tour, departures: PricedDeparture[], view: AvailabilityView) => Row[],
  ): Promise<Row[]> {
    const { tenant } = apiKeyPrincipalOf(request);
    const { context } = this;
    const list = async () => {
      const { items, last } = await listDepartures(context, tenant, tour, {
        ...asked,
        limit: DEPARTURES_MAX,
      });
      if (last) throw badOctoRequest(TOO_MANY);
      if ('ids' in asked) assertAllFound(asked.ids, items);
      return jsonContent(toRows(tour, items, view), ['Cache-Control', NO_STORE]);
    };
    const key = JSON.stringify(['octo', tenantVersion(tenant), request.path, tour.id, asked, view]);
    const readVersion = () => context.availability.seatsVersion(tour.id, tenant.sandbox, tour.revision);
    const current = await context.answers.get(key, async () => ({
      value: versionedContent(context.answers, key, readVersion, list),
      until: shownUntil([tour]),
      size: KIB_OF_TOUR,
    }));
    sendContent(request, request.res!, await current());
    return undefined as unknown as Row[];
  }
}

interface DateRange {
  from: string;
  to: string;
}

/** The departures that a request asks for. */
type AskedDepartures = DateRange | { ids: string[] };

/** @throws BadInputError for a missing date, a range in reverse order, and a range of more than 366 days (400) */
function calendarRange({ localDateStart, localDateEnd }: OctoCalendarBody): DateRange {
  const from = requiredDate('localDateStart', localDateStart);
  const to = requiredDate('localDateEnd', localDateEnd);
  if (to < from)
    throw badInput('validation_failed', 'body', 'localDateEnd', 'must not be before localDateStart');
  if (Date.parse(to) - Date.parse(from) >= DAYS_MAX * DAY_MS)
    throw badInput(
      'validation_failed',
      'body',
      'localDateEnd',
      `must be at most ${DAYS_MAX} days from localDateStart`,
    );
  return { from, to };
}

function requiredDate(field: string, value: string | null | undefined): string {
  if (value == null) throw badInput('validation_failed', 'body', field, 'is required');
  return dateInput('body', field, value);
}

/**
 * Reads the range of days, or the ids.
 * @throws OctoRefusalError BAD_REQUEST for both, for an empty list, and for more than 366 ids; INVALID_AVAILABILITY_ID for an id that is
 *   not a UUID; errors of calendarRange for a request without a list
 */
function askedDepartures(body: OctoAvailabilityBody): AskedDepartures {
  const { availabilityIds, localDateStart, localDateEnd } = body;
  if (availabilityIds == null) return calendarRange(body);
  if (localDateStart != null || localDateEnd != null)
    throw badOctoRequest('Send availabilityIds, or localDateStart and localDateEnd, not both.');
  if (availabilityIds.length === 0 || availabilityIds.length > DAYS_MAX)
    throw badOctoRequest(`availabilityIds must have 1 to ${DAYS_MAX} ids.`);
  const unknown = availabilityIds.find((id) => !isUuid(id));
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
  return { ids: availabilityIds.map((id) => id.toLowerCase()) };
}

function assertAllFound(ids: string[], departures: PricedDeparture[]): void {
  const found = new Set(departures.map(({ departure }) => departure.id));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
}
