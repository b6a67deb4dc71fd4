import { Get, Middlewares, Path, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { assertScope } from '../credentials/verify-credential';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { toOctoBooking } from './booking';
import type { OctoBooking } from './booking.dto';
import { filterOf } from './booking-list.request';
import { bookingTexts, findBookings } from './find-octo-bookings';
import { anyScope, bookingViewOf, octoEnvironment } from './octo.router';
import { getState, withItsCatalog } from './octo-state';
import { inTurnOfKey, sendTexts } from './stream-list.request';

/** The most bookings of a list that does not wait for other lists of its key. */
const SHORT_LIST = 100;

@Route('octo')
@Tags('OCTO')
@Security('apiKey', [])
@Middlewares(quota('catalog'), octoEnvironment, tolerantQuery)
export class OctoBookingsController {
  constructor(private readonly context: ApiContext) {}

  /**
   * A reservation or a booking as it is now.
   * @summary Read a booking by OCTO
   */
  @Get('bookings/{uuid}')
  @Middlewares(anyScope('booking:create', 'booking:read'))
  async octoReadBooking(@Request() request: HttpRequest, @Path() uuid: string): Promise<OctoBooking> {
    setCaching(request, NO_STORE);
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const { db } = this.context;
    const state = await getState(db, tenant.id, uuid);
    assertScope(principal, state.lead ? 'booking:read' : 'booking:create');
    return toOctoBooking(await withItsCatalog(db, tenant, state), bookingViewOf(request, this.context));
  }

  /**
   * The bookings of OCTO clients that match all given parameters, newest first; at least one is needed, and 1,000 bookings match at most.
   * The answer is streamed; of more than 100 bookings, one at a time for each key.
   * @summary List bookings by OCTO
   * @param resellerReference The caller's own reference.
   * @param supplierReference The booking reference.
   * @param localDate Date of departure, YYYY-MM-DD.
   * @param localDateStart First date of departure, with `localDateEnd`.
   * @param localDateEnd Last date of departure; at most 366 days.
   */
  @Get('bookings')
  async octoListBookings(
    @Request() request: HttpRequest,
    @Query() resellerReference?: string,
    @Query() supplierReference?: string,
    @Query() localDate?: string,
    @Query() localDateStart?: string,
    @Query() localDateEnd?: string,
  ): Promise<OctoBooking[]> {
    const filter = filterOf({
      resellerReference,
      supplierReference,
      localDate,
      localDateStart,
      localDateEnd,
    });
    const { db } = this.context;
    const holdIds = await findBookings(db, apiKeyPrincipalOf(request), filter);
    const texts = bookingTexts(db, holdIds, bookingViewOf(request, this.context));
    const send = () => sendTexts(request, texts, NO_STORE);
    await (holdIds.length > SHORT_LIST ? inTurnOfKey(request, 'bookings', send) : send());
    return undefined as unknown as OctoBooking[];
  }
}
