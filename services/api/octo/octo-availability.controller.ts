import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { isUuid } from '../../platform/forms/text-forms';
import { shownUntil } from '../catalog/cached-catalog';
import type { Tour } from '../catalog/tour';
import type { AvailabilityCache } from '../departures/availability-cache';
import { cachedDepartureCount, departureSlices, type PricedDeparture } from '../departures/find-departures';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { versionedContent } from '../http/cached-answers';
import { ALREADY_SENT, jsonContent, NO_STORE, sendContent } from '../http/caching';
import { badInput } from '../http/http.errors';
import { calendarDateForm, RANGE_DAYS_MAX, rangeIssue } from '../../platform/forms/days';
import { bodyInput } from '../http/input';
import { quota, ROWS_A_UNIT, spendForRows } from '../http/quota';
import { type RunRead, shareOf } from '../http/read-share';
import { tolerantQuery } from '../http/query-parameters';
import { unitCount } from '../parties/party-rules';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import {
  type AvailabilityView,
  type OctoAvailability,
  type OctoCalendarDay,
  toAvailabilities,
  toCalendar,
  type ToRows,
} from './availability.dto';
import { countUnits, findRequestedTour, requireUnits } from './find-product';
import { badOctoRequest, invalidId } from './octo.errors';
import { capabilitiesOf, octoBody, octoEnvironment, sendTexts } from './octo.router';

/** @example {"id": "adult", "quantity": 2} */
export interface OctoUnitQuantity {
  id: string;
  /**
   * @isInt
   * @minimum 0
   * @maximum 1000
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
   * @maxItems 50
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
   * @maxItems 366
   */
  availabilityIds?: string[] | null;
  /**
   * The wanted units. `available` is true if all of them can be booked.
   * @maxItems 50
   */
  units?: OctoUnitQuantity[] | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** The most departures in one answer: 54 for each day of the longest range. */
const DEPARTURES_MAX = 20_000;
/** The most pickup points of a list that is built as a whole: 3 MB. A list with more is streamed. */
const POINTS_MAX = 10_000;
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
   * Returns the days of a range on which the product departs, including sold-out days. Counts as one request for each 366 departures or part
   * of them. Each API key gets only one list of departures at a time.
   * @summary Read the calendar of a product
   */
  @Post('availability/calendar')
  async octoReadCalendar(
    @Request() request: HttpRequest,
    @Body() body: OctoCalendarBody,
  ): Promise<OctoCalendarDay[]> {
    const { tour, view } = await this.read(request, body);
    return this.send(request, { tour, departures: calendarRange(body), view }, toCalendar);
  }

  /**
   * Returns the availabilities of a range of days, or the availabilities with the given ids. Counts as one request for each 366 departures
   * or part of them. Each API key gets only one list of departures at a time.
   * @summary Check availability of a product
   */
  @Post('availability')
  async octoCheckAvailability(
    @Request() request: HttpRequest,
    @Body() body: OctoAvailabilityBody,
  ): Promise<OctoAvailability[]> {
    const { tour, view } = await this.read(request, body);
    return this.send(request, { tour, departures: requestedDepartures(body), view }, toAvailabilities);
  }

  private async read(
    request: HttpRequest,
    body: OctoCalendarBody,
  ): Promise<{ tour: Tour; view: AvailabilityView }> {
    const tour = await findRequestedTour(shareOf(request).cached(), apiKeyPrincipalOf(request).tenant, body);
    const party = requireUnits(tour, countUnits(body.units ?? []));
    return {
      tour,
      view: { capabilities: capabilitiesOf(request), party: unitCount(party) > 0 ? party : undefined },
    };
  }

  /** Sends the departures as JSON. Spends the quota by their number, and streams a list that costs more than one unit. */
  private async send<Row>(
    request: HttpRequest,
    requested: RequestedRows,
    toRows: ToRows<Row>,
  ): Promise<Row[]> {
    const { departures, tour } = requested;
    const { tenant } = apiKeyPrincipalOf(request);
    const share = shareOf(request);
    const rows =
      'ids' in departures
        ? departures.ids.length
        : await cachedDepartureCount(share.cached(), tour, departures);
    if (rows > DEPARTURES_MAX) throw badOctoRequest(TOO_MANY);
    await spendForRows(request, 'availability', rows);
    const sendLong = (reads: CachedReads) =>
      sendTexts(request, listTexts(rowsOf(reads, tenant, requested, toRows)), NO_STORE);
    await (rows > ROWS_A_UNIT || rows * pointsOf(requested) > POINTS_MAX
      ? share.runList('departures', sendLong)
      : this.sendShort(request, requested, toRows));
    return ALREADY_SENT;
  }

  /** Sends a short list. Answers a repeat from memory while the seats, the tour and the tenant stay the same. */
  private async sendShort<Row>(
    request: HttpRequest,
    requested: RequestedRows,
    toRows: ToRows<Row>,
  ): Promise<void> {
    const { tour, departures, view } = requested;
    const { answers, availability } = this.context;
    const { tenant } = apiKeyPrincipalOf(request);
    // The cache keeps these functions, which must not refer to the request.
    const load = async (reads: CachedReads) =>
      jsonContent(await allOf(rowsOf(reads, tenant, requested, toRows)), ['Cache-Control', NO_STORE]);
    const key = JSON.stringify(['octo', tenantVersion(tenant), request.path, tour.id, departures, view]);
    const readVersion = (run: RunRead) =>
      availability.seatsVersion(tour.id, tenant.sandbox, tour.revision, run);
    const current = await answers.get(key, async () => ({
      value: versionedContent(answers, key, readVersion, load),
      until: shownUntil([tour]),
      size: KIB_OF_TOUR,
    }));
    sendContent(request, request.res!, await current(shareOf(request)));
  }
}

/** Returns the number of pickup points in one availability of the answer. */
function pointsOf({ tour, view }: RequestedRows): number {
  return view.capabilities.includes('octo/pickups') ? (tour.pickup?.points.length ?? 0) : 0;
}

function rowsOf<Row>(
  reads: CachedReads,
  tenant: Tenant,
  { tour, departures, view }: RequestedRows,
  toRows: ToRows<Row>,
): AsyncGenerator<Row[]> {
  return toRows(tour, slicesOf(reads, tenant, tour, departures), view);
}

/** @throws OctoRefusalError INVALID_AVAILABILITY_ID after the last slice, for an id that is not found */
async function* slicesOf(
  reads: CachedReads,
  tenant: Tenant,
  tour: Tour,
  requested: RequestedDepartures,
): AsyncGenerator<PricedDeparture[]> {
  const found = new Set<string>();
  const page = { ...requested, limit: DEPARTURES_MAX };
  for await (const { items } of departureSlices(reads, tenant, tour, page)) {
    for (const { departure } of items) found.add(departure.id);
    yield items;
  }
  const unknown = 'ids' in requested ? requested.ids.find((id) => !found.has(id)) : undefined;
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
}

async function allOf<Row>(parts: AsyncGenerator<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const rows of parts) all.push(...rows);
  return all;
}

/** Yields the rows as the texts of one JSON list. */
async function* listTexts(parts: AsyncGenerator<unknown[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const rows of parts) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => JSON.stringify(row)).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** The departures that a request asks for, and the values on which their rows depend. */
interface RequestedRows {
  tour: Tour;
  departures: RequestedDepartures;
  view: AvailabilityView;
}

interface DateRange {
  from: string;
  to: string;
}

/** The departures that a request asks for. */
type RequestedDepartures = DateRange | { ids: string[] };

/** @throws BadInputError for a missing date, a range in reverse order, and a range of more than 366 days (400) */
function calendarRange({ localDateStart, localDateEnd }: OctoCalendarBody): DateRange {
  const from = requiredDate('localDateStart', localDateStart);
  const to = requiredDate('localDateEnd', localDateEnd);
  const issue = rangeIssue(from, to, 'localDateStart');
  if (issue !== undefined) throw badInput('validation_failed', 'body', 'localDateEnd', issue);
  return { from, to };
}

function requiredDate(field: string, value: string | null | undefined): string {
  if (value == null) throw badInput('validation_failed', 'body', field, 'is required');
  return bodyInput(field, value, calendarDateForm);
}

/**
 * Reads the range of days, or the ids.
 * @throws OctoRefusalError BAD_REQUEST for both, for an empty list, and for more than 366 ids; INVALID_AVAILABILITY_ID for an id that is
 *   not a UUID; errors of calendarRange for a request without a list
 */
function requestedDepartures(body: OctoAvailabilityBody): RequestedDepartures {
  const { availabilityIds, localDateStart, localDateEnd } = body;
  if (availabilityIds == null) return calendarRange(body);
  if (localDateStart != null || localDateEnd != null)
    throw badOctoRequest('Send availabilityIds, or localDateStart and localDateEnd, not both.');
  if (availabilityIds.length === 0 || availabilityIds.length > RANGE_DAYS_MAX)
    throw badOctoRequest(`availabilityIds must have 1 to ${RANGE_DAYS_MAX} ids.`);
  const unknown = availabilityIds.find((id) => !isUuid(id));
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
  return { ids: availabilityIds.map((id) => id.toLowerCase()) };
}
