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
import type { Trx, Turn } from '../../platform/database/database';
import { type RefusedRequest, refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import type { DepartureKey } from '../departures/departure';
import { findDepartureAfterChange } from '../departures/find-departures';
import { apiKeyPrincipalOf } from '../http/authentication';
import { emptyBody, jsonBody, readsBody } from '../http/json-body';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { answerChange, type Write, type WriteOperation } from '../http/write-request';
import { ReplayedResponse, type RunIdempotent } from '../idempotency/run-idempotent';
import { byKey } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { amendBooking } from '../seats/amend-booking';
import {
  bookingAnswer,
  type BookingAnswer,
  bookingDetail,
  type BookingDetail,
  type BookingFields,
  type BookingPatch,
  type CancelBody,
} from './booking.dto';
import { bookingAmendment, cancelRequest } from './booking.request';
import {
  type BookingLead,
  type ChangedBooking,
  isBookingRef,
  type NamedBooking,
} from '../bookings/booking-lead';
import { cancelBooking, confirmBooking } from '../bookings/change-booking';
import { getBooking } from '../bookings/find-booking';

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
   * must be open and have free seats. A confirmed booking stays unchanged.
   * @summary Confirm a booking
   */
  @Post('{booking_ref}/confirm')
  @Response<ProblemDocument>(404, 'booking_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, departure_busy',
  )
  @Middlewares(quota('booking'), emptyBody, strictQuery)
  async confirmBooking(@Request() request: HttpRequest, @Path() booking_ref: string): Promise<BookingAnswer> {
    const operation = { ...CONFIRM, validated: () => null };
    return this.change(request, booking_ref, operation, bookingAnswer, (trx, tenant, named, runIdempotent) =>
      confirmBooking(trx, tenant, named, runIdempotent),
    );
  }

  /**
   * Cancels a booking; its seats become free. A cancelled booking stays unchanged.
   * @summary Cancel a booking
   */
  @Post('{booking_ref}/cancel')
  @Response<ProblemDocument>(404, 'booking_not_found')
  @Response<ProblemDocument>(409, 'booking_state_conflict, departure_busy')
  @Middlewares(quota('booking'), jsonBody, readsBody(cancelRequest), strictQuery)
  async cancelBooking(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
    @Body() body?: CancelBody,
  ): Promise<BookingAnswer> {
    const reason = cancelRequest(body);
    const operation = { ...CANCEL, validated: () => reason };
    return this.change(request, booking_ref, operation, bookingAnswer, (trx, { id }, named, runIdempotent) =>
      cancelBooking(trx, id, { ...named, ...reason }, runIdempotent),
    );
  }

  /**
   * Changes a booking that is pending payment or confirmed: its date or time, its party, its customer, or other fields. Fields that
   * are left out stay as they are. On the same departure, a category that is already booked keeps its unit price, also for additional
   * travellers. A new category, and each category on another departure, gets the present price. Until the booking is confirmed, the
   * deposit changes with the total. More seats, or another departure, need a tour that the tenant still sees. A change to the values
   * that the booking has already records no event.
   * @summary Change a booking
   */
  @Patch('{booking_ref}')
  @Response<ProblemDocument>(404, 'booking_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, hold_limit_reached, price_changed, departure_busy',
  )
  @Middlewares(quota('booking'), jsonBody, readsBody(bookingAmendment), strictQuery)
  async changeBooking(
    @Request() request: HttpRequest,
    @Path() booking_ref: string,
    @Body() body: BookingPatch,
  ): Promise<BookingDetail> {
    const amendment = bookingAmendment(body, apiKeyPrincipalOf(request).tenant);
    const { departureDate, departureTime } = amendment;
    const use: UseOfBooking = (trx, tenant, named, runIdempotent) =>
      amendBooking(trx, tenant, { ...named, ...amendment }, runIdempotent);
    const operation = {
      ...CHANGE,
      validated: (country: string) => bookingAmendment(body, { country }),
    };
    return this.change(request, booking_ref, operation, bookingDetail, use, { departureDate, departureTime });
  }

  /** @param to the date and time to which the booking moves; without them, the booking keeps its departure */
  private async change<A extends BookingFields>(
    request: HttpRequest,
    bookingRef: string,
    operation: Omit<Write, 'subject'>,
    toAnswer: (lead: BookingLead) => A,
    use: UseOfBooking,
    to?: Partial<DepartureKey>,
  ): Promise<A> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const named = { bookingRef, by: byKey(principal) };
    let left: BookingLead | undefined;
    const answer = await answerChange<ChangedBooking, A>(
      request,
      {
        ...operation,
        subject: () => ({ booking: bookingRef }),
        turn: this.turnOfBooking(tenant, bookingRef, to),
      },
      async (trx, caller, runIdempotent) => {
        const changed = await use(trx, caller.tenant, named, runIdempotent);
        if (!(changed instanceof ReplayedResponse)) left = changed.before;
        return changed;
      },
      ({ after }) => toAnswer(after),
      (refused, refusal) =>
        refuseWithAlternatives(this.context, { ...validReference(bookingRef), ...refused }, refusal),
    );
    const dates = new Set(
      [left?.departureDate, answer.departure_date].filter((date) => typeof date === 'string'),
    );
    for (const date of dates) await this.context.availability.drop(answer.tour.id, date, tenant.sandbox);
    return answer;
  }

  /** @param to the date and time to which the booking moves; without them, the booking keeps its departure */
  private turnOfBooking(tenant: Tenant, bookingRef: string, to: Partial<DepartureKey> = {}): Turn {
    return this.context.departureQueue.turnFor(async () => {
      const { db } = this.context;
      const lead = await getBooking(db, tenant.id, bookingRef);
      return [lead.departureId, (await findDepartureAfterChange(db, lead, to)).departureId];
    });
  }
}

type UseOfBooking = (
  trx: Trx,
  tenant: Tenant,
  named: NamedBooking,
  runIdempotent: RunIdempotent<ChangedBooking>,
) => Promise<ChangedBooking | ReplayedResponse>;

/** Returns the booking reference if its form is valid. The refusal log stores the text, so it must not contain any other text. */
function validReference(bookingRef: string): Partial<RefusedRequest> {
  return isBookingRef(bookingRef) ? { bookingRef } : {};
}
