import { randomUUID } from 'node:crypto';
import { Body, Middlewares, Post, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { showTour } from '../catalog/cached-catalog';
import type { Tour } from '../catalog/tour';
import type { PreferredLanguages } from '../catalog/tour-text';
import { type ApiKeyPrincipal, mayReadBookings } from '../credentials/credential';
import type { PricedDeparture } from '../departures/find-departures';
import { OctoUuidTakenError } from '../holds/hold.errors';
import { type HoldRequest, placeHold } from '../seats/changes/place-hold';
import type { NewOctoDetails } from '../holds/octo-booking';
import type { SeatHold } from '../holds/seat-hold';
import { apiKeyPrincipalOf } from '../http/authentication';
import { quota } from '../http/quota';
import { tolerantQuery } from '../http/query-parameters';
import { ReadsBody } from '../http/body-schema';
import { performRequest } from '../http/perform-request';
import { isReplayed, type WriteOperation } from '../http/write-request';
import { isRepeat } from '../idempotency/key-claim';
import { type ComparedRequest, fingerprintOf } from '../idempotency/fingerprint';
import { type Party, seatsOf } from '../parties/party-rules';
import { cachedQuoter, type Quoter } from '../pricing/quote-tenant-price';
import type { SalesContext } from '../sales-context';
import { byKey } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { type BookingView, type OctoBooking, toOctoBooking } from './booking.dto';
import {
  comparableDetails,
  customerOf,
  detailsOf,
  holdMinutesOf,
  type OctoReservationBody,
  unitsOfItems,
  uuidInput,
  withoutNull,
  withUuids,
} from './booking.request';
import {
  assertMaxUnits,
  assertOption,
  findProductDeparture,
  findRequestedTour,
  languageOfStoredProduct,
  requireUnits,
} from './find-product';
import { pickupAfter, type SentPickup } from './pickup.request';
import { octoBookingWithoutPeople } from './people-of-answers';
import { answerBooking, bookingViewOf, octoBody, octoEnvironment, setLanguageOfTour } from './octo.router';
import { getRepeated, isUuidTaken } from './stored-octo-booking';

const RESERVE: WriteOperation = {
  name: 'octo.reserve',
  status: 200,
  keepHours: 24,
};

/**
 * A reservation as the client sent it, checked by rules that are the same for all products. So a repeat is the same reservation, however
 * the catalog has changed since.
 */
interface Reservation {
  /** Null: the caller has chosen none. */
  uuid: string | null;
  /** As sent, in lower case. */
  productId: string;
  departureId: string;
  /** The content of the request, by which a repeat is recognized. */
  compared: ComparedRequest;
  /** The units of the unit items. */
  units: Party;
  /** The pickup that it names. */
  pickup: SentPickup | undefined;
  wanted: Omit<HoldRequest, 'departureDate' | 'party' | 'octo'> & { octo: Omit<NewOctoDetails, 'pickup'> };
}

/** The parts of the catalog on which a new reservation depends. */
interface Offer {
  tour: Tour;
  party: Party;
  priced: PricedDeparture;
  quote: Quoter;
  /** The tour with its texts in the preferred languages. */
  shown: Tour;
  language: string;
}

@Route('octo')
@Tags('OCTO')
@Security('apiKey', ['booking:create'])
export class OctoReservationsController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Holds seats at a locked price. A repeat with the same UUID and the same body gets the booking as it is now, whatever has changed in
   * the catalog. A key without `booking:read` gets a confirmed booking without its contacts, its notes and the reason of its cancellation.
   * @summary Reserve
   */
  @Post('bookings')
  @Middlewares(quota('hold'), octoEnvironment, tolerantQuery, octoBody)
  @ReadsBody(detailsOf)
  async octoReserveBooking(
    @Request() request: HttpRequest,
    @Body() body: OctoReservationBody,
  ): Promise<OctoBooking> {
    const { tenant } = apiKeyPrincipalOf(request);
    const reservation = readReservation(body, apiKeyPrincipalOf(request));
    const place = () => this.place(request, body, reservation);
    const { uuid } = reservation;
    if (uuid === null) return place();
    return this.context.inTurn(`octo ${tenant.id} ${uuid}`, async () => {
      try {
        return await place();
      } catch (error) {
        if (error instanceof OctoUuidTakenError) return this.repeat(request, uuid, reservation);
        throw error;
      }
    });
  }

  /**
   * Looks for a booking with the UUID before it looks for the product. A stored answer of the Idempotency-Key comes before both.
   * @throws OctoUuidTakenError and the refusals of a hold
   */
  private async place(
    request: HttpRequest,
    body: OctoReservationBody,
    { uuid, departureId, compared, units, pickup: sent, wanted }: Reservation,
  ): Promise<OctoBooking> {
    const { context } = this;
    const { tenant } = apiKeyPrincipalOf(request);
    const view = await bookingViewOf(request, context);
    // Stays undefined for a request whose product or availability is refused.
    let offer: Offer | undefined;
    const answer = await performRequest<SeatHold, OctoBooking>(context, request, {
      operation: {
        ...RESERVE,
        subject: () => ({ uuid, departure: departureId }),
        validated: compared.read,
      },
      prepare: async (seller) => {
        const isReplay = seller.claim !== null && (await isRepeat(context.db, seller.claim));
        if (uuid && !isReplay && (await isUuidTaken(context.db, tenant.id, uuid)))
          throw new OctoUuidTakenError();
        offer = await this.findOffer(tenant, body, { units, preferred: view.preferred });
        const { tour, party, priced } = offer;
        const { departureDate } = priced.departure;
        const pickup = pickupAfter(null, sent, tour.pickup);
        return placeHold(
          seller,
          tour,
          { departureId, times: [] },
          {
            ...wanted,
            octo: { ...wanted.octo, pickup },
            party: { party },
            departureDate,
          },
        );
      },
      toAnswer: (hold) => toReservation(hold, offer!, view),
      withoutPeople: octoBookingWithoutPeople,
      named: (refusal) =>
        offer && !(refusal instanceof OctoUuidTakenError) ? attemptOf(wanted, offer) : null,
    });
    const answered = isReplayed(request)
      ? await languageOfStoredProduct(context, answer.product)
      : offer!.language;
    setLanguageOfTour(request, view.preferred, answered);
    return answer;
  }

  /**
   * Finds the product and the availability of a new reservation.
   * @throws errors of findRequestedTour, requireUnits, assertMaxUnits and findProductDeparture
   */
  private async findOffer(
    tenant: Tenant,
    body: OctoReservationBody,
    { units, preferred }: { units: Party; preferred: PreferredLanguages | undefined },
  ): Promise<Offer> {
    const { context } = this;
    const tour = await findRequestedTour(context, tenant, body);
    const party = requireUnits(tour, units);
    assertMaxUnits(tour, party);
    const priced = await findProductDeparture(context, tenant, tour, body.availabilityId);
    const quote = await cachedQuoter(context, tenant, tour);
    const { tour: shown, shown: languages } = await showTour(context, tour, preferred);
    return { tour, party, priced, quote, shown, language: languages?.name ?? tour.language };
  }

  /**
   * Answers the booking that the same reservation has placed earlier, as it is now. A key that may not read bookings gets a confirmed one
   * without its people.
   */
  private async repeat(request: HttpRequest, uuid: string, reservation: Reservation): Promise<OctoBooking> {
    const principal = apiKeyPrincipalOf(request);
    const placed = await getRepeated(this.context.db, principal.tenant, uuid, reservation);
    const booking = await answerBooking(request, this.context, placed);
    return placed.lead && !mayReadBookings(principal) ? octoBookingWithoutPeople(booking) : booking;
  }
}

/** @throws BadInputError; OctoRefusalError INVALID_OPTION_ID; errors of unitsOfItems */
function readReservation(body: OctoReservationBody, principal: ApiKeyPrincipal): Reservation {
  const { tenant } = principal;
  assertOption(body.optionId);
  const uuid = uuidInput('uuid', body.uuid);
  const details = detailsOf(body);
  const { contact = {}, unitItems, notes = null, resellerReference: externalRef = null, pickup } = details;
  const units = unitsOfItems(unitItems);
  const departureId = body.availabilityId.toLowerCase();
  const { expirationMinutes, currency } = body;
  const sent = { uuid, departure: departureId, expirationMinutes, currency };
  const compared = comparedReservation(tenant, sent, body);
  const octo = {
    uuid: uuid ?? randomUUID(),
    contact,
    unitItems: withUuids(unitItems!),
    notes,
    fingerprint: fingerprintOf(compared),
  };
  const wanted = {
    externalRef,
    octo,
    by: byKey(principal),
    holdMinutes: holdMinutesOf(body, tenant),
    customer: customerOf(contact, tenant),
  };
  return { uuid, productId: body.productId.toLowerCase(), departureId, compared, units, pickup, wanted };
}

/** Returns the refused attempt, for the log of refusals and the search for alternatives. */
function attemptOf(wanted: Reservation['wanted'], { party, priced, tour }: Offer) {
  const { departureDate, startTime } = priced.departure;
  return {
    ...wanted,
    party,
    departureDate,
    departureTime: startTime ?? undefined,
    people: [wanted.customer],
    quantity: seatsOf(party, tour.categories),
  };
}

/** Returns the answer of a new reservation. */
function toReservation(hold: SeatHold, offer: Offer, view: BookingView): OctoBooking {
  const { departure } = offer.priced;
  // hold.seatsAvailable is the least that the departure and its resources leave after the sale.
  const seatsTaken = departure.seatsTotal - hold.seatsAvailable;
  const now = { ...offer.priced, departure: { ...departure, seatsTaken, seatsOfResources: null } };
  return toOctoBooking({ ...offer, hold, octo: hold.octo!, lead: null, departure: now }, view);
}

/**
 * Returns the content of a reservation for the comparison with a repeat. Uses the minutes and the currency that the client sent, because
 * the tenant's limit and its selling currency may change before a repeat. The departure stands for its product (getRepeated).
 * @param sentIds the ids in lower case
 */
function comparedReservation(
  { country }: Tenant,
  sentIds: {
    uuid: string | null;
    departure: string;
    expirationMinutes: number | null | undefined;
    currency: string | null | undefined;
  },
  body: OctoReservationBody,
): ComparedRequest {
  const { expirationMinutes, currency } = sentIds;
  return {
    phoneCountry: country,
    read: (reading) => {
      const { contact = {}, unitItems, pickup, ...texts } = comparableDetails(body, reading);
      const { notes = null, resellerReference: externalRef = null } = texts;
      // Release 0.1.0 did not compare the currency.
      const sold = reading.release === undefined ? (currency ?? undefined) : undefined;
      return {
        ...sentIds,
        expirationMinutes: expirationMinutes ?? undefined,
        notes,
        externalRef,
        currency: sold,
        contact: withoutNull(contact),
        unitItems,
        pickup,
      };
    },
  };
}
