import { Body, Delete, Middlewares, Patch, Path, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest, RequestHandler } from 'express';
import { isCancelled } from '../bookings/booking-status';
import { mayReadBookings } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { contextOf } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { ReadsBody } from '../http/body-schema';
import { performRequest } from '../http/perform-request';
import type { Write, WriteOperation } from '../http/write-request';
import type { RequestReading } from '../idempotency/fingerprint';
import type { SalesContext } from '../sales-context';
import type { SeatChange } from '../seats/seat-change';
import type { Tenant } from '../tenants/tenant';
import { type OctoBooking, toOctoBooking } from './booking.dto';
import {
  comparableDetails,
  detailsOf,
  holdMinutesOf,
  type OctoCancellationBody,
  type OctoChangeBody,
  type OctoConfirmationBody,
  type OctoExtensionBody,
  reasonOf,
  unitsOfItems,
} from './booking.request';
import {
  cancelOctoBooking,
  changeOctoBooking,
  confirmOctoBooking,
  extendOctoHold,
  type OctoChange,
  type OctoRequest,
  scopeOf,
} from './change-octo-booking';
import { namingProduct } from './octo.errors';
import { octoBookingWithoutPeople, type SentOctoPeople } from './people-of-answers';
import { assertOption, findProductTour, findTargetDeparture, languageOfStoredProduct } from './find-product';
import { anyScope, bookingViewOf, octoBody, octoEnvironment, setLanguageOfTour } from './octo.router';
import {
  findOctoBooking,
  getOctoBooking,
  placeOf,
  type ShownOctoBooking,
  type StoredOctoBooking,
} from './stored-octo-booking';

const WEEK_HOURS = 7 * 24;
const EXTEND: WriteOperation = { name: 'octo.extend', status: 200, keepHours: 24 };
const CONFIRM: WriteOperation = { name: 'octo.confirm', status: 200, keepHours: WEEK_HOURS };
const CHANGE: WriteOperation = { name: 'octo.change', status: 200, keepHours: WEEK_HOURS };
const CANCEL: WriteOperation = { name: 'octo.cancel', status: 200, keepHours: WEEK_HOURS };

/**
 * Refuses a key that lacks the scope which the booking needs now. Reads the booking only if the key has one scope of the two, so that a key
 * with neither gets the same answer for every UUID. The change checks the scope again under its locks.
 */
const NEEDED_SCOPE: RequestHandler = (request, _response, next) => {
  assertScopeOfBooking(request).then(() => next(), next);
};

async function assertScopeOfBooking(request: HttpRequest): Promise<void> {
  const principal = apiKeyPrincipalOf(request);
  const missing = BOOKING_SCOPES.filter((scope) => !principal.scopes.includes(scope));
  if (missing.length === BOOKING_SCOPES.length) assertScope(principal, missing[0]!);
  if (missing.length !== 1) return;
  const found = await findOctoBooking(
    contextOf(request).db,
    principal.tenant.id,
    String(request.params.uuid),
  );
  if (found) assertScope(principal, scopeOf(found));
}

/** The scope of a reservation, and the scope of a booking. */
const BOOKING_SCOPES = ['booking:create', 'booking:manage'] as const;
/** The second scope of a confirmation. Its @Security checks the first, booking:create. */
const MANAGE_SCOPE = anyScope('booking:manage');

@Route('octo/bookings/{uuid}')
@Tags('OCTO')
export class OctoBookingChangesController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Extends the hold to `expirationMinutes` from now. Never shortens it.
   * @summary Extend a reservation
   */
  @Post('extend')
  @Security('apiKey', ['booking:create'])
  @Middlewares(quota('booking'), octoEnvironment, tolerantQuery, octoBody)
  async octoExtendBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoExtensionBody,
  ): Promise<OctoBooking> {
    const minutes = holdMinutesOf(body ?? {}, apiKeyPrincipalOf(request).tenant);
    const validated = () => ({ expirationMinutes: body?.expirationMinutes ?? undefined });
    return this.write(request, { ...EXTEND, validated }, uuid, (write) => extendOctoHold(write, minutes));
  }

  /**
   * Turns a reservation into a booking, so that its seats are sold. A confirmed booking stays unchanged.
   * @summary Confirm a reservation
   */
  @Post('confirm')
  @Security('apiKey', ['booking:create'])
  @Middlewares(quota('booking'), octoEnvironment, MANAGE_SCOPE, tolerantQuery, octoBody)
  @ReadsBody(detailsOf)
  async octoConfirmBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoConfirmationBody,
  ): Promise<OctoBooking> {
    const currency = body?.currency ?? undefined;
    const details = detailsOf(body ?? {});
    const validated = (reading: RequestReading) => {
      const { contact, unitItems, pickup } = comparableDetails(body ?? {}, reading);
      return {
        contact,
        unitItems,
        pickup,
        resellerReference: details.resellerReference ?? undefined,
        currency,
      };
    };
    const units = details.unitItems && unitsOfItems(details.unitItems);
    return this.write(request, { ...CONFIRM, validated }, uuid, (write) =>
      confirmOctoBooking(write, { ...details, units, currency }),
    );
  }

  /**
   * Changes a reservation or a booking: its departure, its units, its contact. A reservation may change its product too.
   * @summary Update a booking
   */
  @Patch()
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, NEEDED_SCOPE, tolerantQuery, octoBody)
  @ReadsBody(detailsOf)
  async octoUpdateBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body: OctoChangeBody,
  ): Promise<OctoBooking> {
    const { tenant } = apiKeyPrincipalOf(request);
    const details = detailsOf(body);
    const { productId, optionId, availabilityId, expirationMinutes, currency } = body;
    if (optionId != null) assertOption(optionId);
    const change = {
      ...details,
      units: details.unitItems && unitsOfItems(details.unitItems),
      currency,
      holdMinutes: expirationMinutes == null ? undefined : holdMinutesOf(body, tenant),
    };
    const validated = (reading: RequestReading) => ({
      ...comparableDetails(body, reading),
      tour: productId?.toLowerCase(),
      departure: availabilityId?.toLowerCase(),
      expirationMinutes: expirationMinutes ?? undefined,
      currency: currency ?? undefined,
    });
    return this.write(
      request,
      { ...CHANGE, validated },
      uuid,
      async (write) =>
        changeOctoBooking(write, { ...change, ...(await this.moveOf(tenant, write.found, body)) }),
      () => details,
    );
  }

  /**
   * Cancels a reservation or a booking; its seats become free.
   * @summary Cancel a booking
   */
  @Post('cancel')
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, NEEDED_SCOPE, tolerantQuery, octoBody)
  @ReadsBody(reasonOf)
  async octoCancelBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoCancellationBody,
  ): Promise<OctoBooking> {
    const reason = reasonOf(body);
    return this.write(
      request,
      { ...CANCEL, validated: () => reason },
      uuid,
      (write) => cancelOctoBooking(write, reason),
      // A second cancellation keeps the first reason.
      ({ lead }) => (lead && isCancelled(lead) ? {} : { reason }),
    );
  }

  /**
   * Cancels a booking like `POST …/cancel`, for older clients.
   * @summary Cancel a booking by DELETE
   */
  @Delete()
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, NEEDED_SCOPE, tolerantQuery, octoBody)
  @ReadsBody(reasonOf)
  async octoDeleteBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoCancellationBody,
  ): Promise<OctoBooking> {
    return this.octoCancelBooking(request, uuid, body);
  }

  /**
   * Finds the tour and the departure that a change names. A booking keeps its own tour, also if the tenant does not see the tour any more.
   */
  private async moveOf(
    tenant: Tenant,
    found: StoredOctoBooking,
    { productId, availabilityId }: OctoChangeBody,
  ): Promise<OctoMove> {
    const { tour: present } = found.lead ?? found.hold;
    const stays = productId == null || productId.toLowerCase() === present.id;
    const tour = stays ? present : await findProductTour(this.context, tenant, productId);
    if (availabilityId == null) return { tour };
    const { id, departureDate } = await findTargetDeparture(this.context.db, tenant, tour, availabilityId);
    return { tour, departureId: id, departureDate };
  }

  /**
   * Performs one change of a booking.
   * @param prepare builds the change of the booking that was found
   * @param sentOf returns the personal data that the request stores in the confirmed booking that was found
   */
  private async write(
    request: HttpRequest,
    operation: Omit<Write, 'subject'>,
    uuid: string,
    prepare: (write: OctoRequest) => Promise<SeatChange<ShownOctoBooking>>,
    sentOf: (found: StoredOctoBooking) => SentOctoPeople = () => ({}),
  ): Promise<OctoBooking> {
    const { context } = this;
    const principal = apiKeyPrincipalOf(request);
    const { db } = context;
    const view = await bookingViewOf(request, context);
    let found: StoredOctoBooking | undefined;
    let productId = '';
    let language: string | undefined;
    const perform = () =>
      performRequest<ShownOctoBooking, OctoBooking>(context, request, {
        operation: { ...operation, subject: () => ({ booking: uuid.toLowerCase() }) },
        prepare: async (seller) => {
          found = await getOctoBooking(db, principal.tenant.id, uuid);
          productId = placeOf(found).tourId;
          const change = await prepare({ db, seller: { ...seller, principal }, found, reader: view });
          productId = change.reads.tourId ?? productId;
          return change;
        },
        toAnswer: (shown) => {
          language = shown.language;
          const booking = toOctoBooking(shown, view);
          // Each key that changes a reservation may read it, until it is confirmed.
          const mayRead = found!.lead === null || mayReadBookings(principal);
          return mayRead ? booking : octoBookingWithoutPeople(booking, sentOf(found!));
        },
        withoutPeople: octoBookingWithoutPeople,
        named: () => (found?.lead ? { bookingRef: found.lead.bookingRef } : { holdId: found?.hold.id }),
      });
    const answer = await namingProduct(() => productId, perform);
    language ??= await languageOfStoredProduct(context, answer.product);
    setLanguageOfTour(request, view.preferred, language);
    return answer;
  }
}

/** The place that a change names. Undefined parts stay as they are. */
type OctoMove = Pick<OctoChange, 'tour' | 'departureId' | 'departureDate'>;
