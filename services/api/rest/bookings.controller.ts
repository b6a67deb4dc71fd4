import {
  Body,
  Get,
  Middlewares,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { SalesContext } from '../sales-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { calendarDateForm, instantForm } from '../../platform/forms/days';
import { referenceForm } from '../../platform/forms/texts';
import { queryInput } from '../http/input';
import { ReadsBody } from '../http/body-schema';
import { bookingBody } from '../http/json-body';
import { pageAnswer, pageStart } from '../http/paging';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { strictQuery } from '../http/query-parameters';
import { isPresentReading } from '../idempotency/fingerprint';
import { performRequest } from '../http/perform-request';
import type { WriteOperation } from '../http/write-request';
import { cachedTourId } from '../catalog/cached-catalog';
import { createBooking } from '../seats/changes/create-booking';
import { requestedNumber } from '../parties/requested-party';
import { byKey } from '../tenants/actor';
import {
  bookingAnswer,
  type BookingAnswer,
  type BookingBody,
  bookingDetail,
  type BookingDetail,
  type BookingFields,
  bookingItem,
  type BookingPage,
} from './booking.dto';
import { bookingWithoutPeople } from './people-of-answers';
import { comparedBooking, bookingRequest } from './booking.request';
import { type BookingLead, type LeadPosition, peopleOf } from '../bookings/booking-lead';
import { getBooking, listBookings } from '../bookings/find-booking';
import { findTourToBook } from '../bookings/find-tour-to-book';
import { cancellationQuote, type CancellationQuote } from '../bookings/refund-answer';

const WEEK_HOURS = 7 * 24;
const CREATE: WriteOperation = {
  name: 'booking.create',
  status: 201,
  keepHours: WEEK_HOURS,
};

@Route('api/tenant/bookings')
@Tags('Bookings')
export class BookingsController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Creates a booking lead with the status `pending_payment`. If it has a date, reserves its seats. Records the event `booking.created`
   * with the lead.
   * @summary Create a booking
   */
  @Post()
  @Security('apiKey', ['booking:create'])
  @SuccessResponse(201, 'Created')
  @Response<ProblemDocument>(404, 'tour_not_found, hold_not_found')
  @Response<ProblemDocument>(
    409,
    'departure_gone, departure_cancelled, insufficient_seats, hold_expired, hold_state_conflict, hold_limit_reached, price_changed, departure_busy',
  )
  @Middlewares(quota('booking'), bookingBody, strictQuery)
  @ReadsBody(bookingRequest)
  async createBooking(@Request() request: HttpRequest, @Body() body: BookingBody): Promise<BookingAnswer> {
    const { context } = this;
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const read = bookingRequest(body, tenant);
    const wanted = { ...read, by: byKey(principal) };
    return performRequest<BookingLead, BookingAnswer>(context, request, {
      operation: {
        ...CREATE,
        subject: async () => ({
          tour: await cachedTourId(context, tenant, body.tour_id),
          hold: wanted.holdId,
        }),
        validated: (reading) =>
          comparedBooking(isPresentReading(reading, tenant) ? read : bookingRequest(body, reading)),
      },
      prepare: async (seller) => {
        const tour = await findTourToBook(context, tenant, body.tour_id, wanted);
        return createBooking(context.db, seller, tour, wanted, (date, time) =>
          context.departureIds.find(tour, date, time),
        );
      },
      toAnswer: bookingAnswer,
      withoutPeople: bookingWithoutPeople,
      named: () => ({ ...wanted, people: peopleOf(wanted), quantity: requestedNumber(wanted.party) }),
    });
  }

  /**
   * Lists the tenant's bookings, newest first. With `departure_from` or `departure_to`, lists them by date of departure. With
   * `updated_since`, lists them by time of change.
   * @summary List bookings
   * @param external_ref The website's own reference.
   * @param from First day of creation, YYYY-MM-DD, UTC.
   * @param to Last day of creation, YYYY-MM-DD, UTC.
   * @param departure_from First date of departure, YYYY-MM-DD. Bookings without a date are left out.
   * @param departure_to Last date of departure, YYYY-MM-DD.
   * @param updated_since RFC 3339. Only bookings whose `updated_at` is this time or later, the earliest change first. Cancelling or
   *   reopening a departure also sets `updated_at` of its bookings.
   * @param status Only bookings in this state.
   * @param limit Bookings per page.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @param cursor `next_cursor` of the previous page.
   */
  @Get()
  @Security('apiKey', ['booking:read'])
  @Middlewares(quota('catalog'), strictQuery)
  async listBookings(
    @Request() request: HttpRequest,
    @Query() external_ref?: string,
    @Query() status?: BookingFields['status'],
    @Query() from?: string,
    @Query() to?: string,
    @Query() departure_from?: string,
    @Query() departure_to?: string,
    @Query() updated_since?: string,
    @Query() limit: number = 24,
    @Query() cursor?: string,
  ): Promise<BookingPage> {
    setCaching(request, NO_STORE);
    const filters = {
      externalRef: queryInput('external_ref', external_ref, referenceForm),
      status,
      from: queryInput('from', from, calendarDateForm),
      to: queryInput('to', to, calendarDateForm),
      departureFrom: queryInput('departure_from', departure_from, calendarDateForm),
      departureTo: queryInput('departure_to', departure_to, calendarDateForm),
      updatedSince: queryInput('updated_since', updated_since, instantForm),
    };
    const start = pageStart<LeadPosition | number>(request, cursor, filters);
    // Also accepts a cursor of the previous release, which contains only the id if the list is by creation.
    const after = typeof start === 'number' ? { id: start } : start;
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    const page = { ...filters, after, limit };
    const { items, last } = await shareOf(request).run(({ db }) => listBookings(db, tenantId, page));
    return pageAnswer(request, items.map(bookingItem), last, filters);
  }

  /**
   * Returns the booking with its customer and notes.
   * @summary Read a booking
   */
  @Get('{booking_ref}')
  @Security('apiKey', ['booking:read'])
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Middlewares(quota('catalog'), strictQuery)
  async readBooking(@Request() request: HttpRequest, @Path() booking_ref: string): Promise<BookingDetail> {
    setCaching(request, NO_STORE);
    return bookingDetail(await readBooking(request, booking_ref));
  }

  /**
   * Says what a cancellation of the booking would refund now, and in each tier of the policy that the booking has locked. For a cancelled
   * booking, what its cancellation refunded.
   * @summary Quote a cancellation
   */
  @Get('{booking_ref}/cancellation')
  @Security('apiKey', ['booking:read'])
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Middlewares(quota('catalog'), strictQuery)
  async quoteCancellation(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
  ): Promise<CancellationQuote> {
    setCaching(request, NO_STORE);
    return cancellationQuote(await readBooking(request, booking_ref));
  }
}

function readBooking(request: HttpRequest, bookingRef: string): Promise<BookingLead> {
  const { tenant } = apiKeyPrincipalOf(request);
  return shareOf(request).run(({ db }) => getBooking(db, tenant.id, bookingRef));
}
