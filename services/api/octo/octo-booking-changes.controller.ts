import { Body, Delete, Middlewares, Patch, Path, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { assertScope } from '../credentials/verify-credential';
import type { DepartureMove } from '../departures/departure';
import { apiKeyPrincipalOf } from '../http/authentication';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { readsBody } from '../http/json-body';
import { answerChange, type Write, type WriteOperation } from '../http/write-request';
import { refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
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
  partyOfItems,
  reasonOf,
} from './booking.request';
import {
  cancelOctoBooking,
  changeOctoBooking,
  confirmOctoBooking,
  extendOctoBooking,
  namingProduct,
  type OctoMove,
  type OctoWrite,
} from './change-octo-booking';
import { assertOption, findProductTour, findTargetDeparture, languageOfStoredProduct } from './find-product';
import { anyScope, bookingViewOf, octoBody, octoEnvironment, setLanguageOfTour } from './octo.router';
import {
  assertKnown,
  departuresOf,
  findState,
  getState,
  lockState,
  type OctoState,
  type ShownState,
  placeOf,
  tourOf,
  withItsCatalog,
} from './octo-state';

const WEEK_HOURS = 7 * 24;
const EXTEND: WriteOperation = { name: 'octo.extend', status: 200, keepHours: 24 };
const CONFIRM: WriteOperation = { name: 'octo.confirm', status: 200, keepHours: WEEK_HOURS };
const CHANGE: WriteOperation = { name: 'octo.change', status: 200, keepHours: WEEK_HOURS };
const CANCEL: WriteOperation = { name: 'octo.cancel', status: 200, keepHours: WEEK_HOURS };

const EITHER_SCOPE = anyScope('booking:create', 'booking:manage');
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
    return this.write(request, { ...EXTEND, validated }, uuid, (write) => extendOctoBooking(write, minutes));
  }

  /**
   * Turns a reservation into a booking, so that its seats are sold. A confirmed booking stays unchanged.
   * @summary Confirm a reservation
   */
  @Post('confirm')
  @Security('apiKey', ['booking:create'])
  @Middlewares(quota('booking'), octoEnvironment, MANAGE_SCOPE, tolerantQuery, octoBody, readsBody(detailsOf))
  async octoConfirmBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoConfirmationBody,
  ): Promise<OctoBooking> {
    const currency = body?.currency ?? undefined;
    const details = detailsOf(body ?? {});
    const validated = (country: string) => {
      const { contact, unitItems } = comparableDetails(details, country);
      return { contact, unitItems, resellerReference: details.resellerReference ?? undefined, currency };
    };
    const party = details.unitItems && partyOfItems(details.unitItems);
    return this.write(request, { ...CONFIRM, validated }, uuid, (write) =>
      confirmOctoBooking(write, { ...details, party, currency }),
    );
  }

  /**
   * Changes a reservation or a booking: its departure, its units, its contact. A reservation may change its product too.
   * @summary Update a booking
   */
  @Patch()
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, EITHER_SCOPE, tolerantQuery, octoBody, readsBody(detailsOf))
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
      party: details.unitItems && partyOfItems(details.unitItems),
      currency,
      holdMinutes: expirationMinutes == null ? undefined : holdMinutesOf(body, tenant),
    };
    const validated = (country: string) => ({
      ...comparableDetails(details, country),
      tour: productId?.toLowerCase(),
      departure: availabilityId?.toLowerCase(),
      expirationMinutes: expirationMinutes ?? undefined,
      currency: currency ?? undefined,
    });
    return this.write(
      request,
      { ...CHANGE, validated },
      uuid,
      (write, move) => changeOctoBooking(write, { ...change, ...move }),
      () => this.moveOf(tenant, uuid, body),
    );
  }

  /**
   * Cancels a reservation or a booking; its seats become free.
   * @summary Cancel a booking
   */
  @Post('cancel')
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, EITHER_SCOPE, tolerantQuery, octoBody, readsBody(reasonOf))
  async octoCancelBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoCancellationBody,
  ): Promise<OctoBooking> {
    const reason = reasonOf(body);
    return this.write(request, { ...CANCEL, validated: () => reason }, uuid, (write) =>
      cancelOctoBooking(write, reason),
    );
  }

  /**
   * Cancels a booking like `POST …/cancel`, for older clients.
   * @summary Cancel a booking by DELETE
   */
  @Delete()
  @Security('apiKey', [])
  @Middlewares(quota('booking'), octoEnvironment, EITHER_SCOPE, tolerantQuery, octoBody, readsBody(reasonOf))
  async octoDeleteBooking(
    @Request() request: HttpRequest,
    @Path() uuid: string,
    @Body() body?: OctoCancellationBody,
  ): Promise<OctoBooking> {
    return this.octoCancelBooking(request, uuid, body);
  }

  /** Finds the tour and the departure that a change names. */
  private async moveOf(
    tenant: Tenant,
    uuid: string,
    { productId, availabilityId }: OctoChangeBody,
  ): Promise<OctoMove> {
    const { db } = this.context;
    if (productId == null && availabilityId == null) return {};
    const now = await getState(db, tenant.id, uuid);
    // A booking keeps its own tour, also if the tenant does not see the tour any more.
    const stays = productId == null || productId.toLowerCase() === placeOf(now).tourId;
    const tour = stays
      ? await tourOf(db, tenant, now)
      : await findProductTour(this.context, tenant, productId);
    if (availabilityId == null) return { tour };
    const { id, departureDate } = await findTargetDeparture(db, tenant, tour, availabilityId);
    return { tour, departureId: id, departureDate };
  }

  /**
   * Runs one change of a booking in one transaction.
   * @param findMove is not called for a repeat, so that the stored answer is found before the tour
   */
  private async write(
    request: HttpRequest,
    operation: Omit<Write, 'subject'>,
    uuid: string,
    use: (write: OctoWrite, move: OctoMove) => Promise<void>,
    findMove: () => Promise<OctoMove> = async () => ({}),
  ): Promise<OctoBooking> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const { db, departureQueue } = this.context;
    const found = await findState(db, tenant.id, uuid);
    // Checks the scope here too, because a repeat with the same Idempotency-Key skips the check in the transaction.
    if (found && operation.name !== EXTEND.name)
      assertScope(principal, found.lead ? 'booking:manage' : 'booking:create');
    const view = await bookingViewOf(request, this.context);
    let move: Promise<OctoMove> | undefined;
    const findMoveOnce = () => (move ??= findMove());
    // Stays undefined for a repeat, which changes no seats and whose answer is stored.
    let changed: ChangedOctoBooking | undefined;
    const answer = await answerChange<ChangedOctoBooking, OctoBooking>(
      request,
      {
        ...operation,
        subject: () => ({ booking: uuid.toLowerCase() }),
        turn: departureQueue.turnFor(async () =>
          departuresOf(db, assertKnown(found, uuid), placeAfter(await findMoveOnce())),
        ),
      },
      (trx, caller, runIdempotent) => {
        // Refuses an unknown booking here, because the stored answer of the key comes first.
        assertKnown(found, uuid);
        return runIdempotent(async () => {
          const to = await findMoveOnce();
          const before = await lockState(trx, tenant.id, uuid, placeAfter(to));
          const tourId = to.tour?.id ?? placeOf(before).tourId;
          await namingProduct(tourId, () => use({ trx, principal: caller, state: before }, to));
          const after = await withItsCatalog(trx, view, await getState(trx, tenant.id, uuid));
          changed = { before, after };
          return changed;
        });
      },
      ({ after }) => toOctoBooking(after, view),
      (refused, refusal) => {
        const attempt = found?.lead ? { bookingRef: found.lead.bookingRef } : { holdId: found?.hold.id };
        return refuseWithAlternatives(this.context, { ...attempt, ...refused }, refusal);
      },
    );
    if (changed) await this.dropAvailability(tenant, changed);
    const language = changed
      ? changed.after.language
      : await languageOfStoredProduct(this.context, answer.product);
    setLanguageOfTour(request, view.wished, language);
    return answer;
  }

  private async dropAvailability({ sandbox }: Tenant, { before, after }: ChangedOctoBooking): Promise<void> {
    for (const { tourId, departureDate } of [placeOf(before), placeOf(after)])
      await this.context.availability.drop(tourId, departureDate, sandbox);
  }
}

/** The booking as it was when its departure was locked, and after the change. */
interface ChangedOctoBooking {
  before: OctoState;
  after: ShownState;
}

function placeAfter({ tour, departureId, departureDate }: OctoMove): DepartureMove {
  return { tourId: tour?.id, departureId, departureDate };
}
