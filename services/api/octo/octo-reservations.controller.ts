import { randomUUID } from 'node:crypto';
import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { showTour } from '../catalog/cached-catalog';
import type { Tour } from '../catalog/tour';
import type { PricedDeparture } from '../departures/find-departures';
import { OctoUuidTakenError } from '../holds/hold.errors';
import { type HoldRequest, prepareHold } from '../sales/prepare-sale';
import type { SeatHold } from '../holds/seat-hold';
import { apiKeyPrincipalOf } from '../http/authentication';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { readsBody } from '../http/json-body';
import { answerOnce, isReplayed, type WriteOperation } from '../http/write-request';
import { type ComparedRequest, fingerprintOf } from '../idempotency/fingerprint';
import { claimOf, isRepeat } from '../idempotency/run-idempotent';
import { seatsOf } from '../pricing/party';
import { cachedQuoter, type Quoter } from '../pricing/quote-tenant-price';
import { refuseWithAlternatives } from '../refusals/refusal-log';
import type { SalesContext } from '../sales-context';
import { byKey } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { type OctoBooking, toOctoBooking } from './booking.dto';
import {
  comparableDetails,
  customerOf,
  detailsOf,
  holdMinutesOf,
  type OctoReservationBody,
  partyOfItems,
  type SentDetails,
  uuidInput,
  withoutNull,
  withUuids,
} from './booking.request';
import { findProductDeparture, findRequestedTour, languageOfStoredProduct } from './find-product';
import { answerBooking, bookingViewOf, octoBody, octoEnvironment, setLanguageOfTour } from './octo.router';
import { getRepeated, isUuidTaken } from './octo-state';
import { traceparentOf } from '../../platform/traces';

const RESERVE: WriteOperation = {
  name: 'octo.reserve',
  status: 200,
  keepHours: 24,
  ids: ['uuid', 'productId', 'availabilityId'],
};

interface Reservation {
  /** Null: the caller has chosen none. */
  uuid: string | null;
  /** The content of the request, by which a repeat is recognized. */
  compared: ComparedRequest;
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
   * Holds seats at a locked price. A repeat with the same UUID and the same body gets the booking as it is now.
   * @summary Reserve
   */
  @Post('bookings')
  @Middlewares(quota('hold'), octoEnvironment, tolerantQuery, octoBody, readsBody(detailsOf))
  async octoReserveBooking(
    @Request() request: HttpRequest,
    @Body() body: OctoReservationBody,
  ): Promise<OctoBooking> {
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
    const details = detailsOf(body);
    const { contact = {}, unitItems, notes = null, resellerReference: externalRef = null } = details;
    const tour = await findRequestedTour(this.context, tenant, body);
    const party = partyOfItems(tour, unitItems);
    const priced = await findProductDeparture(this.context, tenant, tour, body.availabilityId);
    const { departure } = priced;
    const { expirationMinutes } = body;
    const compared = comparedReservation(
      tenant,
      { uuid, departure: departure.id, expirationMinutes },
      details,
    );
    const octo = {
      uuid: uuid ?? randomUUID(),
      contact,
      unitItems: withUuids(unitItems!),
      notes,
      fingerprint: fingerprintOf(compared),
    };
    const wanted = {
      departureDate: departure.departureDate,
      party,
      externalRef,
      octo,
      by: byKey(principal),
      holdMinutes: holdMinutesOf(body, tenant),
      customer: customerOf(contact, tenant),
    };
    const quote = await cachedQuoter(this.context, tenant, tour);
    return { uuid, compared, wanted, tour, priced, quote };
  }

  /** @throws OctoUuidTakenError and the refusals of a hold */
  private async place(
    request: HttpRequest,
    { uuid, compared, wanted, tour, priced, quote }: Reservation,
  ): Promise<OctoBooking> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const { availability, db, sales } = this.context;
    const { departure } = priced;
    const view = await bookingViewOf(request, this.context);
    const { tour: shown, shown: languages } = await showTour(this.context, tour, view.wished);
    const language = languages?.name ?? tour.language;
    const toAnswer = (hold: SeatHold) => {
      const seatsTaken = departure.seatsTotal - hold.seatsAvailable;
      const now = { ...priced, departure: { ...departure, seatsTaken } };
      return toOctoBooking(
        { hold, octo: hold.octo!, lead: null, tour, shown, language, departure: now, quote },
        view,
      );
    };
    const answer = await answerOnce<SeatHold, OctoBooking>(
      request,
      { ...RESERVE, subject: () => ({ uuid, departure: departure.id }), validated: compared.read },
      async (keyed) => {
        const claim = keyed && claimOf(keyed, { uuid, departure: departure.id });
        const isReplay = keyed !== null && (await isRepeat(db, keyed));
        if (uuid && !isReplay && (await isUuidTaken(db, tenant.id, uuid))) throw new OctoUuidTakenError();
        return sales.sell(
          prepareHold(
            { tenant, principal, claim, traceparent: traceparentOf(request) },
            tour,
            { departureId: departure.id, times: [] },
            wanted,
          ),
        );
      },
      toAnswer,
      (refused, refusal) => {
        if (refusal instanceof OctoUuidTakenError) throw refusal;
        const attempt = {
          ...wanted,
          departureTime: departure.startTime ?? undefined,
          people: [wanted.customer],
          quantity: seatsOf(wanted.party),
        };
        return refuseWithAlternatives(this.context, { ...attempt, ...refused }, refusal);
      },
    );
    await availability.drop(tour.id, departure.departureDate, tenant.sandbox);
    const answered = isReplayed(request)
      ? await languageOfStoredProduct(this.context, answer.product)
      : language;
    setLanguageOfTour(request, view.wished, answered);
    return answer;
  }

  private async repeat(request: HttpRequest, uuid: string, { compared }: Reservation): Promise<OctoBooking> {
    const { tenant } = apiKeyPrincipalOf(request);
    const state = await getRepeated(this.context.db, tenant.id, uuid, compared);
    return answerBooking(request, this.context, state);
  }
}

/**
 * Returns the content of a reservation for the comparison with a repeat. Uses the minutes that the client sent, because the tenant's limit
 * may change before a repeat.
 * @param sentIds the ids in lower case
 */
function comparedReservation(
  { country }: Tenant,
  sentIds: { uuid: string | null; departure: string; expirationMinutes: number | null | undefined },
  details: SentDetails,
): ComparedRequest {
  const { contact = {}, unitItems, notes = null, resellerReference: externalRef = null } = details;
  const { expirationMinutes } = sentIds;
  const sent = { ...sentIds, expirationMinutes: expirationMinutes ?? undefined, notes, externalRef };
  return {
    phoneCountry: country,
    read: (phoneCountry) => {
      const comparable = comparableDetails({ ...details, contact: withoutNull(contact) }, phoneCountry);
      return { ...sent, contact: comparable.contact, unitItems: comparable.unitItems };
    },
    earlierForm: { ...sent, contact, unitItems },
  };
}
