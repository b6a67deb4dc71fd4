import {
  Body,
  Middlewares,
  Patch,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { mayReadBookings } from '../credentials/credential';
import type { RefusedRequest } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { ReadsBody } from '../http/body-schema';
import { bookingBody, jsonBody } from '../http/json-body';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import type { Write, WriteOperation } from '../http/write-request';
import { byKey } from '../tenants/actor';
import { changeBooking } from '../seats/changes/change-booking';
import { cancelBooking } from '../seats/changes/cancel-booking';
import { confirmBooking } from '../seats/changes/confirm-booking';
import type { SeatChange, Seller } from '../seats/seat-change';
import {
  bookingAnswer,
  type BookingAnswer,
  type BookingPatch,
  type CancelBody,
  type ConfirmBody,
  changedBookingDetail,
  type ChangedBookingDetail,
} from './booking.dto';
import { comparedBookingChange, bookingAmendment, cancelRequest, confirmRequest } from './booking.request';
import { performRequest } from '../http/perform-request';
import { bookingWithoutPeople, type SentPeople } from './people-of-answers';
import { type ChangedBooking, isBookingRef, type NamedBooking } from '../bookings/booking-lead';

const KEEP = { status: 200, keepHours: 7 * 24 };
const CONFIRM: WriteOperation = { name: 'booking.confirm', ...KEEP };
const CHANGE: WriteOperation = { name: 'booking.change', ...KEEP };
const CANCEL: WriteOperation = { name: 'booking.cancel', ...KEEP };

/** The changes of a booking after its creation. */
@Route('api/tenant/bookings')
@Tags('Bookings')
@Security('apiKey', ['booking:manage'])
export class BookingChangesController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Confirms a paid booking. An expired booking takes its seats again like a new booking: you must still see the tour, and the departure
   * must be open and have free seats. A booking that lacks required answers is refused, with what is missing. A confirmed booking stays
   * unchanged.
   * @summary Confirm a booking
   */
  @Post('{booking_ref}/confirm')
  @Response<ProblemDocument>(404, 'booking_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, answers_missing, departure_busy',
  )
  @Middlewares(quota('booking'), jsonBody, strictQuery)
  @ReadsBody(confirmRequest)
  async confirmBooking(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
    @Body() body?: ConfirmBody,
  ): Promise<BookingAnswer> {
    const confirmation = confirmRequest(body);
    return this.change(request, booking_ref, ofStatus, {
      sent: () => ({}),
      // Answers stored before a confirmation had a body are compared by null.
      operation: { ...CONFIRM, validated: () => (confirmation.despiteMissingAnswers ? confirmation : null) },
      prepare: (seller, named) => confirmBooking(this.context.db, seller, { ...named, ...confirmation }),
    });
  }

  /**
   * Cancels a booking; its seats become free. The answer says what the policy refunds, which your website pays back. A cancelled booking
   * stays unchanged.
   * @summary Cancel a booking
   */
  @Post('{booking_ref}/cancel')
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Response<ProblemDocument>(409, 'booking_state_conflict, refund_changed, departure_busy')
  @Middlewares(quota('booking'), jsonBody, strictQuery)
  @ReadsBody(cancelRequest)
  async cancelBooking(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
    @Body() body?: CancelBody,
  ): Promise<BookingAnswer> {
    const cancellation = cancelRequest(body);
    return this.change(request, booking_ref, ofStatus, {
      // A second cancellation keeps the first reason.
      sent: ({ before, after }) => (before === after ? {} : { reason: cancellation.reason }),
      operation: { ...CANCEL, validated: () => cancellation },
      prepare: (seller, named) => cancelBooking(this.context.db, seller, { ...named, ...cancellation }),
    });
  }

  /**
   * Changes a booking that is pending payment or confirmed: its date or time, its party, its customer, or other fields. Fields that
   * are left out stay as they are. On the same departure, a category that is already booked keeps its unit price, also for additional
   * travellers. A new category, and each category on another departure, gets the present price. Until the booking is confirmed, the
   * deposit changes with the total. If the total of a confirmed booking falls, `reduction` says what is refunded of the difference. More
   * seats, or another departure, need a tour that the tenant still sees. A change to the values that the booking has already records no
   * event.
   * @summary Change a booking
   */
  @Patch('{booking_ref}')
  @Response<ProblemDocument>(404, 'booking_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, hold_limit_reached, price_changed, departure_busy',
  )
  @Middlewares(quota('booking'), bookingBody, strictQuery)
  @ReadsBody(bookingAmendment)
  async changeBooking(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
    @Body() body: BookingPatch,
  ): Promise<ChangedBookingDetail> {
    const amendment = bookingAmendment(body, apiKeyPrincipalOf(request).tenant);
    return this.change(request, booking_ref, changedBookingDetail, {
      sent: () => amendment,
      operation: { ...CHANGE, validated: (reading) => comparedBookingChange(body, reading) },
      prepare: (seller, named) => changeBooking(this.context.db, seller, { ...named, ...amendment }),
    });
  }

  private change<Changed extends ChangedBooking, A extends BookingAnswer>(
    request: HttpRequest,
    bookingRef: string,
    toAnswer: (changed: Changed) => A,
    { operation, prepare, sent }: BookingChange<Changed>,
  ): Promise<A> {
    const principal = apiKeyPrincipalOf(request);
    const named = { bookingRef, by: byKey(principal) };
    return performRequest<Changed, A>(this.context, request, {
      operation: { ...operation, subject: () => ({ booking: bookingRef }) },
      prepare: (seller) => prepare(seller, named),
      toAnswer: (changed) => {
        const answer = toAnswer(changed);
        return mayReadBookings(principal) ? answer : bookingWithoutPeople(answer, sent(changed));
      },
      withoutPeople: bookingWithoutPeople,
      named: () => validReference(bookingRef),
    });
  }
}

interface BookingChange<Changed extends ChangedBooking> {
  operation: Omit<Write, 'subject'>;
  prepare(seller: Seller<Changed>, named: NamedBooking): Promise<SeatChange<Changed>>;
  /** Returns the personal data that the request has stored. */
  sent(changed: Changed): SentPeople;
}

function ofStatus({ after }: ChangedBooking): BookingAnswer {
  return bookingAnswer(after);
}

/** Returns the booking reference if its form is valid. The refusal log stores the text, so it must not contain any other text. */
function validReference(bookingRef: string): Partial<RefusedRequest> {
  return isBookingRef(bookingRef) ? { bookingRef } : {};
}
