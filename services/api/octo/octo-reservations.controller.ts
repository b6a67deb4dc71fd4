import { randomUUID } from 'node:crypto';
import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { Tour } from '../catalog/tour';
import type { PricedDeparture } from '../departures/list-departures';
import { OctoUuidTakenError } from '../holds/hold.errors';
import { type HoldRequest, prepareHold } from '../holds/place-hold';
import type { SeatHold } from '../holds/seat-hold';
import { apiKeyPrincipalOf } from '../http/authentication';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { readsBody } from '../http/validation-issues';
import { answerCreation, type WriteOperation } from '../http/write-request';
import { digestOf, isRepeat } from '../idempotency/run-idempotent';
import { seatsOf } from '../pricing/party';
import { cachedQuoter, type Quoter } from '../pricing/quote-tenant-price';
import { refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import { byKey } from '../tenants/actor';
import { assertCurrency, assertOption } from './availability.request';
import { toOctoBooking } from './booking';
import type { OctoBooking, OctoReservationBody } from './booking.dto';
import { customerOf, detailsOf, holdMinutesOf, partyOfItems, uuidInput, withUuids } from './booking.request';
import { findProductDeparture, findProductTour } from './find-product';
import { bookingViewOf, octoBody, octoEnvironment } from './octo.router';
import { getRepeated, isUuidTaken, withItsCatalog } from './octo-state';

const RESERVE: WriteOperation = {
  ...{ name: 'octo.reserve', status: 200, keepHours: 24 },
  ids: ['uuid', 'productId', 'availabilityId'],
};

interface Reservation {
  /** Chosen by the caller; null: by us. */
  uuid: string | null;
  /** SHA-256 of the validated body. */
  requestDigest: Buffer;
  wanted: HoldRequest;
  tour: Tour;
  priced: PricedDeparture;
  quote: Quoter;
}

@Route('octo')
@Tags('OCTO')
@Security('apiKey', ['booking:create'])
export class OctoReservationsController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Holds seats at a locked price. The same UUID with the same body answers the booking as it is now.
   * @summary Reserve
   */
  @Post('bookings')
  @Middlewares(quota('hold'), octoEnvironment, tolerantQuery, octoBody, readsBody(detailsOf))
  async reserve(@Request() request: HttpRequest, @Body() body: OctoReservationBody): Promise<OctoBooking> {
    const { tenant } = apiKeyPrincipalOf(request);
    const reservation = await this.read(request, body);
    const { uuid } = reservation;
    if (uuid === null) return this.place(request, reservation);
    return this.context.singleFlight(`octo ${tenant.id} ${uuid}`, async () => {
      try {
        return await this.place(request, reservation);
      } catch (error) {
        if (error instanceof OctoUuidTakenError) return this.repeat(request, uuid, reservation);
        throw error;
      }
    });
  }

  private async read(request: HttpRequest, body: OctoReservationBody): Promise<Reservation> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const uuid = uuidInput('uuid', body.uuid);
    const { contact = {}, unitItems, notes = null, resellerReference: externalRef = null } = detailsOf(body);
    const tour = await findProductTour(this.context, tenant, body.productId);
    assertOption(body.optionId);
    assertCurrency(tour, body.currency);
    const party = partyOfItems(tour, unitItems);
    const priced = await findProductDeparture(this.context, tenant, tour, body.availabilityId);
    const { departure } = priced;
    const requestDigest = digestOf({
      ...{ uuid, contact, unitItems, notes, externalRef, departure: departure.id },
      expirationMinutes: body.expirationMinutes ?? undefined,
    });
    const octo = {
      uuid: uuid ?? randomUUID(),
      contact,
      unitItems: withUuids(unitItems!),
      notes,
      requestDigest,
    };
    const wanted = {
      ...{ departureDate: departure.departureDate, party, externalRef, octo, by: byKey(principal) },
      ...{ holdMinutes: holdMinutesOf(body, tenant), customer: customerOf(contact, tenant) },
    };
    const quote = await cachedQuoter(this.context, tenant, tour);
    return { uuid, requestDigest, wanted, tour, priced, quote };
  }

  /** @throws OctoUuidTakenError and the refusals of a hold */
  private async place(
    request: HttpRequest,
    { uuid, wanted, tour, priced, quote }: Reservation,
  ): Promise<OctoBooking> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const { availability, db, sales } = this.context;
    const { departure } = priced;
    const view = bookingViewOf(request, this.context);
    const toAnswer = (hold: SeatHold) => {
      const seatsTaken = departure.seatsTotal - hold.seatsAvailable;
      const now = { ...priced, departure: { ...departure, seatsTaken } };
      return toOctoBooking({ hold, octo: hold.octo!, lead: null, tour, departure: now, quote }, view);
    };
    const answer = await answerCreation<SeatHold, OctoBooking>(
      request,
      RESERVE,
      async (claimFor) => {
        const claim = claimFor({ uuid, departure: departure.id });
        const isReplay = claim !== null && (await isRepeat(db, claim));
        if (uuid && !isReplay && (await isUuidTaken(db, tenant.id, uuid))) throw new OctoUuidTakenError();
        return sales.sell({ ...prepareHold(tenant, tour, wanted), principal, claim });
      },
      toAnswer,
      (refused, refusal) => {
        if (refusal instanceof OctoUuidTakenError) throw refusal;
        const attempt = { ...wanted, people: [wanted.customer], quantity: seatsOf(wanted.party) };
        return refuseWithAlternatives(this.context, { ...attempt, ...refused }, refusal);
      },
    );
    await availability.drop(tour.id, departure.departureDate, tenant.sandbox);
    return answer;
  }

  private async repeat(
    request: HttpRequest,
    uuid: string,
    { requestDigest }: Reservation,
  ): Promise<OctoBooking> {
    const { tenant } = apiKeyPrincipalOf(request);
    const { db } = this.context;
    const state = await getRepeated(db, tenant.id, uuid, requestDigest);
    return toOctoBooking(await withItsCatalog(db, tenant, state), bookingViewOf(request, this.context));
  }
}
