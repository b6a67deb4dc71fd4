import type { components } from '../../typescript/src/openapi.ts';
import type { Visible } from '../../typescript/src/proxy/visible.ts';

/** The answers of the site's server, `{api}/…`: those of the platform, without the fields that a visitor must not see. */
type Schemas = components['schemas'];

/**
 * A tour, with the most seats of one hold on this site (undefined: the site does not say), and by how many milliseconds the visitor's clock is
 * ahead of the site's.
 */
export type Tour = Schemas['TourDetail'] & { seatsMax?: number; clockAhead: number };
export type Category = Schemas['Category'];
export type CancellationTier = Schemas['CancellationTier'];
export type DeparturePage = Visible<Schemas['DeparturePage'], 'departures'>;
export type Departure = DeparturePage['items'][number];
export type Hold = Schemas['HoldDetail'];
export type HoldBody = Omit<Schemas['HoldBody'], 'external_ref'> & { tour_id: string };
export type Booking = Omit<Visible<Schemas['BookingDetail'], 'booking'>, 'answers' | 'pickup'> & {
  answers: VisitorAnswer[];
  pickup: VisitorPickup | null;
};
/** A question of the booking, and whether it is answered. The site's server sends no values. */
interface VisitorAnswer {
  code: string;
  /** The number of the person in the party, from 0. Null: asked once for the booking. */
  traveller: number | null;
  answered: boolean;
}
/** Where the guests are fetched. Null as the name: a place of the guest. */
type VisitorPickup = Omit<Schemas['PickupAnswer'], 'name'> & { name: string | null };
export type BookingBody = Partial<Schemas['BookingBody']> & { name: string; phone: string; email: string };
export type Traveller = Schemas['TravellerBody'];
export type Question = Schemas['Question'];
export type AnswerValue = string | number | boolean;
export type PickupOffer = Schemas['PickupOfferAnswer'];
export type PickupPoint = Schemas['PickupPointAnswer'];
export type Alternative = Schemas['ProblemAlternative'];
type ProblemDocument = Schemas['ProblemDocument'];

/** The units of each category, by its code. */
export type Party = Record<string, number>;
/** The price of one unit of each category in major units, by its code. */
export type Prices = Record<string, number>;

/**
 * The problem of a call: the document of the answer, or a code of the element. `network`: no answer came. `not_found`: the answer is not
 * the one of the proxy, or the proxy has another path. `no_cookies`: the browser refuses cookies. `stopped`: the visitor has stopped the
 * call. `tour_changed`: the tour does not sell the party any more.
 */
export interface Problem extends Partial<ProblemDocument> {
  code: string;
  /** Seconds to wait before the next try. */
  retryAfter?: number;
}

/** A hold with the end of its time by the clock of this browser, in milliseconds. */
export interface TimedHold {
  hold: Hold;
  endsAt: number;
}
