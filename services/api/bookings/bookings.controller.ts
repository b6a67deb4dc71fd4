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
import type { AskedSeats } from '../departures/note-refusal';
import { refuseWithAlternatives } from '../departures/reserve-seats';
import type { SeatsContext } from '../departures/seats-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import {
  emailInput,
  optional,
  optionalDate,
  phoneInput,
  proseInput,
  readAll,
  textInput,
} from '../http/input';
import { emptyBody, jsonBody } from '../http/json-body';
import { pageAnswer, pageStart } from '../http/list-answer';
import type { ProblemDocument } from '../http/problem-document';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { answerWrite, type WriteOperation } from '../http/write-request';
import { byKey } from '../tenants/actor';
import { bookingAnswer, bookingDetail, bookingItem } from './booking-answer';
import type { ChangedBooking } from './booking-lead';
import type { BookingAnswer, BookingBody, BookingDetail, BookingPage } from './booking.dto';
import { cancelBooking } from './cancel-booking';
import { confirmBooking } from './confirm-booking';
import { type BookingRequest, createBooking } from './create-booking';
import { isBookingRef } from './booking-ref';
import { getBooking, listBookings } from './find-booking';

const WEEK_HOURS = 7 * 24;
const CREATE: WriteOperation = {
  ...{ name: 'booking.create', status: 201, keepHours: WEEK_HOURS },
  ids: ['tour_id', 'hold_id'],
};
const CONFIRM: WriteOperation = { name: 'booking.confirm', status: 200, keepHours: WEEK_HOURS };
const CANCEL: WriteOperation = { name: 'booking.cancel', status: 200, keepHours: WEEK_HOURS };

@Route('api/tenant/bookings')
@Tags('Bookings')
export class BookingsController {
  constructor(private readonly context: SeatsContext) {}

  /**
   * Creates a booking lead with status pending payment and, where there is a date, reserves its seats. The event
   * booking.created is recorded with it.
   * @summary Create a booking
   */
  @Post()
  @Security('apiKey', ['booking:create'])
  @SuccessResponse(201, 'Created')
  @Response<ProblemDocument>(404, 'tour_not_found, hold_not_found')
  @Response<ProblemDocument>(
    409,
    'departure_gone, departure_cancelled, insufficient_seats, hold_expired, hold_state_conflict, price_changed, departure_busy',
  )
  @Middlewares(quota('booking'), jsonBody, strictQuery)
  async createBooking(@Request() request: HttpRequest, @Body() body: BookingBody): Promise<BookingAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const wanted = { ...bookingRequest(body, tenant.country), by: byKey(principal) };
    const answer = await answerWrite(
      request,
      CREATE,
      (trx, once) => createBooking(trx, tenant, wanted, once),
      bookingAnswer,
      (refused, refusal) =>
        refuseWithAlternatives(this.context.db, { ...wanted, quantity: wanted.adults, ...refused }, refusal),
    );
    await this.dropAvailability(answer);
    return answer;
  }

  /**
   * The tenant's bookings, newest first.
   * @summary List bookings
   * @param external_ref The website's own reference.
   * @param from First day of creation, YYYY-MM-DD, UTC.
   * @param to Last day of creation, YYYY-MM-DD, UTC.
   * @param status Only bookings in this state.
   * @param limit Bookings a page.
   * @isInt limit must be a whole number
   * @minimum limit 1 must be at least 1
   * @maximum limit 100 must be at most 100
   * @param cursor `next_cursor` of the page before.
   */
  @Get()
  @Security('apiKey', ['booking:read'])
  @Middlewares(quota('catalog'), strictQuery)
  async listBookings(
    @Request() request: HttpRequest,
    @Query() external_ref?: string,
    @Query() status?: 'pending_payment' | 'confirmed' | 'cancelled' | 'expired',
    @Query() from?: string,
    @Query() to?: string,
    @Query() limit: number = 24,
    @Query() cursor?: string,
  ): Promise<BookingPage> {
    setCaching(request, NO_STORE);
    const filters = {
      externalRef:
        external_ref === undefined ? undefined : textInput('external_ref', external_ref, 128, 'query'),
      status,
      from: optionalDate('query', 'from', from),
      to: optionalDate('query', 'to', to),
    };
    const beforeId = pageStart<number>(request, cursor, filters);
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    const { items, lastId } = await listBookings(this.context.db, tenantId, { ...filters, beforeId, limit });
    return pageAnswer(request, items.map(bookingItem), lastId, filters);
  }

  /**
   * The booking with its customer and notes.
   * @summary Read a booking
   */
  @Get('{booking_ref}')
  @Security('apiKey', ['booking:read'])
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Middlewares(quota('catalog'), strictQuery)
  async readBooking(@Request() request: HttpRequest, @Path() booking_ref: string): Promise<BookingDetail> {
    setCaching(request, NO_STORE);
    return bookingDetail(
      await getBooking(this.context.db, apiKeyPrincipalOf(request).tenant.id, booking_ref),
    );
  }

  /**
   * The customer has paid. An expired booking takes its seats again if they are free.
   * @summary Confirm a booking
   */
  @Post('{booking_ref}/confirm')
  @Security('apiKey', ['booking:manage'])
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Response<ProblemDocument>(
    409,
    'booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, departure_busy',
  )
  @Middlewares(quota('booking'), emptyBody, strictQuery)
  async confirmBooking(@Request() request: HttpRequest, @Path() booking_ref: string): Promise<BookingAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const named = { bookingRef: booking_ref, by: byKey(principal) };
    const answer = await answerWrite(
      request,
      CONFIRM,
      (trx, once) => confirmBooking(trx, principal.tenant.id, named, once),
      ({ after }: ChangedBooking) => bookingAnswer(after),
      (refused, refusal) =>
        refuseWithAlternatives(this.context.db, { ...known(booking_ref), ...refused }, refusal),
    );
    await this.dropAvailability(answer);
    return answer;
  }

  /**
   * Ends a booking; its seats come back.
   * @summary Cancel a booking
   */
  @Post('{booking_ref}/cancel')
  @Security('apiKey', ['booking:manage'])
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Response<ProblemDocument>(409, 'booking_state_conflict, departure_busy')
  @Middlewares(quota('booking'), emptyBody, strictQuery)
  async cancelBooking(@Request() request: HttpRequest, @Path() booking_ref: string): Promise<BookingAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const named = { bookingRef: booking_ref, by: byKey(principal) };
    const answer = await answerWrite(
      request,
      CANCEL,
      (trx, once) => cancelBooking(trx, principal.tenant.id, named, once),
      ({ after }: ChangedBooking) => bookingAnswer(after),
      (refused, refusal) =>
        refuseWithAlternatives(this.context.db, { ...known(booking_ref), ...refused }, refusal),
    );
    await this.dropAvailability(answer);
    return answer;
  }

  private async dropAvailability({ tour, departure_date }: BookingAnswer): Promise<void> {
    if (departure_date !== null) await this.context.availability.drop(tour.id, departure_date);
  }
}

/** What is no reference at all is not written down. */
function known(bookingRef: string): Partial<AskedSeats> {
  return isBookingRef(bookingRef) ? { bookingRef } : {};
}

function bookingRequest(body: BookingBody, country: string): Omit<BookingRequest, 'by'> {
  const { departureDate, name, phone, email, holdId, externalRef, notes } = readAll({
    departureDate: () => optionalDate('body', 'departure_date', body.departure_date) ?? null,
    name: () => textInput('name', body.name, 200),
    phone: () => phoneInput('phone', body.phone, country),
    email: () => emailInput('email', body.email),
    holdId: () => optional(body.hold_id, (id) => textInput('hold_id', id, 128)),
    externalRef: () => optional(body.external_ref, (ref) => textInput('external_ref', ref, 128)),
    notes: () => optional(body.notes, (notes) => proseInput('notes', notes, 2000)),
  });
  return {
    tour: body.tour_id,
    departureDate,
    adults: body.adults ?? 1,
    customer: { name, phone, email },
    paymentMethod: body.payment_method ?? null,
    holdId,
    expectedTotal: body.expected_total ?? null,
    externalRef,
    notes,
  };
}
