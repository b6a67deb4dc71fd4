import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { shownUntil } from '../catalog/list-catalog';
import type { Tour } from '../catalog/tour';
import type { AvailabilityCache } from '../departures/availability-cache';
import { listDepartures, type PricedDeparture } from '../departures/find-departures';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { versionedContent } from '../http/cached-answers';
import { jsonContent, NO_STORE, sendContent } from '../http/caching';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { tenantVersion } from '../tenants/tenant';
import { type AvailabilityView, toAvailabilities, toCalendar } from './availability';
import type {
  OctoAvailability,
  OctoAvailabilityBody,
  OctoCalendarBody,
  OctoCalendarDay,
} from './availability.dto';
import {
  type AskedDepartures,
  askedDepartures,
  assertCurrency,
  assertOption,
  calendarRange,
  partyOfUnits,
} from './availability.request';
import { findProductTour } from './find-product';
import { invalidId } from './octo.errors';
import { capabilitiesOf, octoBody, octoEnvironment } from './octo.router';

/** More than the departures of the longest range: a tour has one a day. */
const DEPARTURES_MAX = 400;
/** Approximate memory of a tour with its texts. */
const KIB_OF_TOUR = 8;

@Route('octo')
@Tags('OCTO')
@Security('apiKey', ['catalog:read'])
@Middlewares(quota('availability'), octoEnvironment, tolerantQuery, octoBody)
export class OctoAvailabilityController {
  constructor(private readonly context: ApiContext & { availability: AvailabilityCache }) {}

  /**
   * The days of a range on which the product departs, sold-out ones included.
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
   * The availabilities of a range of days, or those with these ids.
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
    const { tenant } = apiKeyPrincipalOf(request);
    const tour = await findProductTour(this.context, tenant, body.productId);
    assertOption(body.optionId);
    assertCurrency(tour, body.currency);
    return { tour, view: { capabilities: capabilitiesOf(request), party: partyOfUnits(tour, body.units) } };
  }

  /** Sends the rows of the departures, which one query reads. Repeated requests get them from memory, as the list of departures. */
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
      const { items } = await listDepartures(context, tenant, tour, { ...asked, limit: DEPARTURES_MAX });
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

function assertAllFound(ids: string[], departures: PricedDeparture[]): void {
  const found = new Set(departures.map(({ departure }) => departure.id));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
}
