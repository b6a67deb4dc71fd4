import { Get, Middlewares, Path, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import { setImmediate } from 'node:timers/promises';
import type { Request as HttpRequest } from 'express';
import type { Db } from '../../platform/database/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { assertScope } from '../credentials/verify-credential';
import { apiKeyPrincipalOf } from '../http/authentication';
import { ALREADY_SENT, NO_STORE, setCaching } from '../http/caching';
import { calendarDateForm, rangeIssue } from '../../platform/forms/days';
import { referenceForm } from '../../platform/forms/texts';
import { queryInput } from '../http/input';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { tolerantQuery } from '../http/query-parameters';
import { type BookingView, createSharedParts, type OctoBooking, toOctoBooking } from './booking.dto';
import { badOctoRequest } from './octo.errors';
import {
  answerBooking,
  anyScope,
  bookingViewOf,
  octoEnvironment,
  sendTexts,
  setContentLanguages,
} from './octo.router';
import {
  findBookings,
  findOctoBookings,
  getOctoBooking,
  type RequestedFilter,
  withCatalog,
} from './stored-octo-booking';

/** The most bookings in a short list. Each API key gets only one longer list at a time. */
const SHORT_LIST = 100;

@Route('octo')
@Tags('OCTO')
@Security('apiKey', [])
@Middlewares(quota('catalog'), octoEnvironment, tolerantQuery)
export class OctoBookingsController {
  /**
   * Returns a reservation or a booking with its present status.
   * @summary Read a booking by OCTO
   */
  @Get('bookings/{uuid}')
  @Middlewares(anyScope('booking:create', 'booking:read'))
  async octoReadBooking(@Request() request: HttpRequest, @Path() uuid: string): Promise<OctoBooking> {
    setCaching(request, NO_STORE);
    const principal = apiKeyPrincipalOf(request);
    return shareOf(request).run(async (reads) => {
      const booking = await getOctoBooking(reads.db, principal.tenant.id, uuid);
      assertScope(principal, booking.lead ? 'booking:read' : 'booking:create');
      return answerBooking(request, reads, booking);
    });
  }

  /**
   * Returns the bookings of OCTO clients that match all given parameters, newest first. At least one parameter is needed, and at most 1,000
   * bookings may match. The answer is streamed. Each API key gets only one list of more than 100 bookings at a time.
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
    const share = shareOf(request);
    const holdIds = await share.run(({ db }) => findBookings(db, apiKeyPrincipalOf(request), filter));
    const view = await bookingViewOf(request, share.cached());
    if (view.preferred) await setContentLanguages(request, view.preferred);
    const send = ({ db }: CachedReads) => sendTexts(request, bookingTexts(db, holdIds, view), NO_STORE);
    await (holdIds.length > SHORT_LIST ? share.runList('bookings', send) : share.run(send));
    return ALREADY_SENT;
  }
}

interface ListQuery {
  resellerReference?: string;
  supplierReference?: string;
  localDate?: string;
  localDateStart?: string;
  localDateEnd?: string;
}

/**
 * @throws OctoRefusalError BAD_REQUEST without a parameter, for dates that do not belong together, and for more than 366 days;
 *   InvalidInputError for a malformed parameter (400)
 */
function filterOf(query: ListQuery): RequestedFilter {
  const { localDate, localDateStart: start, localDateEnd: end } = query;
  if (Object.values(query).every((value) => value === undefined))
    throw badOctoRequest(
      'Send resellerReference, supplierReference, localDate, or localDateStart with localDateEnd.',
    );
  if ((start === undefined) !== (end === undefined))
    throw badOctoRequest('localDateStart and localDateEnd come together.');
  if (localDate !== undefined && start !== undefined)
    throw badOctoRequest('Send localDate, or localDateStart and localDateEnd, not both.');
  const [from, to] = [start ?? localDate, end ?? localDate];
  for (const name of ['localDate', 'localDateStart', 'localDateEnd'] as const)
    queryInput(name, query[name], calendarDateForm);
  const issue = from === undefined ? undefined : rangeIssue(from, to!, 'localDateStart');
  if (issue !== undefined) throw badOctoRequest(`localDateEnd ${issue}.`);
  return {
    resellerReference: queryInput('resellerReference', query.resellerReference, referenceForm),
    supplierReference: queryInput('supplierReference', query.supplierReference, referenceForm),
    from,
    to,
  };
}

const BOOKINGS_A_TEXT = 20;

/** Yields the JSON of the bookings of these holds, in the order of the ids. Other requests can run between two texts. */
export async function* bookingTexts(db: Db, holdIds: string[], view: BookingView): AsyncGenerator<string> {
  const bookings = await withCatalog(db, view, await findOctoBookings(db, view.tenant.id, holdIds));
  const parts = createSharedParts(view);
  const toText = (from: number) =>
    bookings
      .slice(from, from + BOOKINGS_A_TEXT)
      .map((booking) => JSON.stringify(toOctoBooking(booking, view, parts)))
      .join(',');
  yield `[${toText(0)}`;
  for (let from = BOOKINGS_A_TEXT; from < bookings.length; from += BOOKINGS_A_TEXT) {
    await setImmediate();
    yield `,${toText(from)}`;
  }
  yield ']';
}
