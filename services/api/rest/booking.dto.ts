import { type PickupAnswer, pickupOfBooking } from '../bookings/pickup-of-booking';
import { type AdjustmentAnswer, adjustmentAnswer } from '../bookings/adjustment';
import type { TourRef } from '../catalog/tour';
import {
  cancellationAnswer,
  type CancellationAnswer,
  reductionAnswer,
  type ReductionAnswer,
  type RefundAnswer,
  shownRefund,
} from '../bookings/refund-answer';
import { toMajor } from '../pricing/currency';
import { namedNumbers } from '../parties/party';
import {
  type BookingLead,
  type PriceBreakdown,
  priceBreakdown,
  type Traveller,
} from '../bookings/booking-lead';
import { answersOfBooking, type AnswerValue, type QuestionAnswer } from '../questions/answers';
import type { AmendedBooking } from '../seats/changes/change-booking';
import { type CustomerAnswer, customerAnswer } from '../customers/customer';

/**
 * @example {"tour_id": "ha-long-bay-cruise", "departure_date": "2027-03-06", "adults": 2, "name": "Ana Lima",
 *   "phone": "+49 30 901820", "email": "ana@example.com", "external_ref": "cart-81"}
 */
export interface BookingBody {
  /** UUID or slug of the tour. */
  tour_id: string;
  /** YYYY-MM-DD. By default the date of the hold that the booking consumes. A booking without a date reserves no seats. */
  departure_date?: string;
  /** Start time, HH:MM: chooses one of several departures of the date. */
  departure_time?: string;
  /** The customer's name. */
  name: string;
  phone: string;
  /** ISO 3166 alpha-2 country of a phone number without a country code; by default the tenant's. */
  phone_country?: string;
  /** The customer's e-mail address. A name before it, and signs around it, are dropped: `Ana Lima <ana@example.com>;`. */
  email: string;
  /**
   * Number of adults; by default 1. May be 0 if there are children. At most 50 adults and children together.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  adults?: number;
  /**
   * Number of children; by default 0. The departure, or the hold, must have a price for children.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  children?: number;
  /**
   * Number of adults with a room alone; by default 0. The departure, or the hold, must have a price for it.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  single_supplements?: number;
  /**
   * The units of each category, by its code. `adults`, `children` and `single_supplements` mean three of them; each category comes in one
   * spelling.
   * @example {"adult": 2, "child": 1}
   */
  party?: { [code: string]: number };
  /**
   * The travellers that are known: of each category at most as many as its units have people.
   * @maxItems 200
   */
  travellers?: TravellerBody[];
  /**
   * The answers to the questions of the tour that are asked once for the booking, by the code of the question: at most 32 KiB together with
   * those of the travellers. Null: not answered.
   * @example {"allergies": "Nuts"}
   */
  answers?: AnswersBody;
  /**
   * Where the guests are fetched: a point of the tour, or a place of their own where the tour offers `elsewhere`. Null: nowhere.
   * @example {"point": "central_station"}
   */
  pickup?: PickupBody | null;
  /**
   * The language in which the customer saw the questions: a tag. The booking keeps them in this language; by default in the tour's own.
   * @example "en"
   */
  lang?: string;
  /** By default the tenant's setting. `reserve` takes no deposit. */
  payment_method?: 'bank' | 'reserve' | 'card';
  /**
   * The website's own reference; by default the reference of the hold. Without `hold_id`, the booking consumes the active hold that has
   * the same reference, if there is exactly one: on `departure_date`, or on any date of the tour if `departure_date` is left out.
   */
  external_ref?: string;
  /** An active hold to turn into this booking, at its locked price. */
  hold_id?: string;
  /** The total that the customer saw, in major units. A different total is refused. */
  expected_total?: number;
  notes?: string;
}

/** @example {"category": "child", "first_name": "Rui", "last_name": "Lima", "birth_date": "2019-05-04"} */
export interface TravellerBody {
  /** The code of a category of the tour. */
  category: string;
  first_name: string;
  last_name: string;
  /** YYYY-MM-DD, from 1900 to today in UTC. Null: not named. */
  birth_date?: string | null;
  /** For example a diet. Null: none. */
  note?: string | null;
  /**
   * The answers to the questions of the tour that are asked of each traveller, by the code of the question. Null: not answered.
   * @example {"weight": 72}
   */
  answers?: AnswersBody;
}

/** A point of the tour, or a place: one of the two. */
export interface PickupBody {
  /**
   * The code of a point of the tour.
   * @example "central_station"
   */
  point?: string;
  /**
   * A place in the guest's words, at most 200 characters.
   * @example "Hotel Adlon"
   */
  place?: string;
}

/** Answers by the code of the question. */
export interface AnswersBody {
  [code: string]: AnswerValue | null;
}

/** One traveller. */
export interface TravellerAnswer {
  /** The code of a category of the tour. */
  category: string;
  first_name: string;
  last_name: string;
  /** YYYY-MM-DD */
  birth_date: string | null;
  note: string | null;
}

/**
 * @example {"departure_date": "2027-03-13", "adults": 2, "children": 1, "expected_total": 1201}
 */
export interface BookingPatch {
  /** YYYY-MM-DD. Another date of the same tour. Seats are reserved there, and each category gets the present price. */
  departure_date?: string;
  /** HH:MM. Start time of the departure to move to, on `departure_date` or on the present date. Each category gets the present price. */
  departure_time?: string;
  /**
   * Number of adults. May be 0 if there are children. At most 50 adults and children together.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  adults?: number;
  /**
   * Number of children. If none is booked yet, the departure must have a price for children.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  children?: number;
  /**
   * Number of adults with a room alone.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  single_supplements?: number;
  /**
   * The new units of the named categories, by their codes; 0 removes a category, and the others stay. `adults`, `children` and `single_supplements` mean three of them; each category comes in one
   * spelling.
   * @example {"adult": 2, "child": 1}
   */
  party?: { [code: string]: number };
  /** The customer's name. */
  name?: string;
  phone?: string;
  /** ISO 3166 alpha-2 country of a phone number without a country code; by default the tenant's. */
  phone_country?: string;
  email?: string;
  /** Null clears it. */
  notes?: string | null;
  /** The website's own reference. Null clears it. */
  external_ref?: string | null;
  /**
   * All travellers that are known: of each category at most as many as its units have people. Null clears the list.
   * @maxItems 200
   */
  travellers?: TravellerBody[] | null;
  /**
   * The answers to questions that are asked once for the booking, by the code of the question: those that are left out stay. Null clears an
   * answer. The answers of travellers come with `travellers`, whose list replaces them.
   * @example {"allergies": "Nuts"}
   */
  answers?: AnswersBody;
  /**
   * Where the guests are fetched: a point of the tour, or a place of their own where the tour offers `elsewhere`. Null: nowhere.
   * @example {"point": "central_station"}
   */
  pickup?: PickupBody | null;
  /**
   * The language of the words of a pickup that the change names: a tag. The questions stay in the language in which the booking was made, so a
   * change of the language alone is refused.
   * @example "en"
   */
  lang?: string;
  /** The new total that the customer saw, in major units. A different total is refused. */
  expected_total?: number;
}

export interface ConfirmBody {
  /**
   * True: confirms the booking although required answers are missing. By default false.
   * @example true
   */
  despite_missing_answers?: boolean;
}

export interface CancelBody {
  /** Why the booking is cancelled. A second cancellation keeps the first reason. An anonymised booking stores none. */
  reason?: string;
  /**
   * The refund that the customer saw, in major units. A different refund is refused. Where nothing was paid or nothing is stated, nothing
   * is refunded: name 0.
   * @minimum 0
   * @example 489.5
   */
  expected_refund?: number;
}

export interface TenantRef {
  id: string;
  /** @example "acme" */
  slug: string;
}

export interface BookingFields {
  /** The tenant's prefix, a dash, and `lead_id`: ACME-1042. For a sandbox tenant: ACME-TEST-1042. */
  booking_ref: string;
  /** @isInt */
  lead_id: number;
  tenant: TenantRef;
  /** The sum of the categories and the adjustment. */
  total_price: number;
  /** A line of the price beside the categories, which only the operator writes. Null: none. */
  adjustment: AdjustmentAnswer | null;
  deposit_total: number;
  status: 'pending_payment' | 'confirmed' | 'cancelled' | 'expired';
  currency: string;
  tour: TourRef;
  /** YYYY-MM-DD */
  departure_date: string | null;
  /** HH:MM, local. Null: the departure has no start time, or the booking has no date. */
  departure_time: string | null;
  /** @isInt */
  adults: number;
  /** @isInt */
  children: number;
  /** @isInt */
  single_supplements: number;
  /**
   * The units of each category, by its code: the categories with at least one unit.
   * @example {"adult": 2}
   */
  party: { [code: string]: number };
  /** Every question that the booking was asked when it was made, with its answer. Empty: nothing was asked. */
  answers: QuestionAnswer[];
  /** Where the guests are fetched, in the words of the time when it was chosen. Null: nowhere, or not said yet. */
  pickup: PickupAnswer | null;
  external_ref: string | null;
  /** `cash`: the operator sold the booking at its desk, or imported it. */
  payment_method: 'bank' | 'reserve' | 'card' | 'cash';
  /** `tenant_api`, `octo`, or the operator's `desk` or `import`. */
  source: string;
  created_at: string;
  /** @example "2027-01-12T09:30:00.000Z" */
  updated_at: string;
  /** @example "2027-01-12T10:00:00.000Z" */
  confirmed_at: string | null;
  /** @example null */
  cancelled_at: string | null;
  /** @example "The customer is ill." */
  cancel_reason: string | null;
  /** The refund of a cancellation now. Null: nothing is stated, or the booking was never confirmed, or is cancelled. */
  cancellation: CancellationAnswer | null;
  /**
   * The refund of the cancellation. Only in a cancelled booking with a stated policy or a refund by the operator. Null: the booking was never
   * confirmed.
   */
  refund?: RefundAnswer | null;
  /** When an unpaid booking expires: at the end of its payment window, or when its departure is past. Null: it has no payment window. */
  payment_due_at: string | null;
  /** The tenant's present text about how to pay: plain text of one or several lines. Null: none. */
  payment_note: string | null;
  /**
   * `cancelled`: the departure does not take place; the booking keeps its own status. Null: a booking without a date.
   * @example "scheduled"
   */
  departure_status: 'scheduled' | 'cancelled' | null;
  price_breakdown: PriceBreakdown;
}

export interface BookingAnswer extends BookingFields {
  ok: true;
}

export interface BookingItem extends BookingFields {
  /** All null after the booking was anonymised. */
  customer: CustomerAnswer;
  notes: string | null;
  /** Null: not named, or anonymised. */
  travellers: TravellerAnswer[] | null;
}

export interface BookingDetail extends BookingItem {
  ok: true;
}

export interface ChangedBookingDetail extends BookingDetail {
  /**
   * The amount that the change of a confirmed booking frees, by its terms before the change. Null: the booking is not confirmed, or its
   * total did not fall.
   */
  reduction: ReductionAnswer | null;
}

export interface BookingPage {
  items: BookingItem[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

export function bookingAnswer(lead: BookingLead): BookingAnswer {
  return { ok: true, ...fields(lead) };
}

export function bookingItem(lead: BookingLead): BookingItem {
  const { customer, notes, travellers } = lead;
  return {
    ...fields(lead),
    customer: customerAnswer(customer),
    notes,
    travellers: travellers && travellers.map(travellerAnswer),
  };
}

/** Returns the documented fields of a traveller. A field of Traveller that is missing here does not compile. */
function travellerAnswer({ category, first_name, last_name, birth_date, note }: Traveller): TravellerAnswer {
  return { category, first_name, last_name, birth_date, note } satisfies Traveller;
}

export function bookingDetail(lead: BookingLead): BookingDetail {
  return { ok: true, ...bookingItem(lead) };
}

export function changedBookingDetail({ after, reduction }: AmendedBooking): ChangedBookingDetail {
  return { ...bookingDetail(after), reduction: reductionAnswer(reduction, after) };
}

function fields(lead: BookingLead): BookingFields {
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.id,
    tenant: lead.tenant,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    adjustment: adjustmentAnswer(lead.adjustment, lead),
    deposit_total: toMajor(lead.depositMinor, lead.currencyDigits),
    status: lead.status,
    currency: lead.currency,
    tour: lead.tour,
    departure_date: lead.departureDate,
    departure_time: lead.departureTime,
    ...namedNumbers(lead.party),
    party: lead.party,
    answers: answersOfBooking(lead.asked, lead),
    pickup: pickupOfBooking(lead),
    external_ref: lead.externalRef,
    payment_method: lead.paymentMethod,
    source: lead.source,
    created_at: lead.createdAt.toISOString(),
    updated_at: lead.updatedAt.toISOString(),
    confirmed_at: lead.confirmedAt?.toISOString() ?? null,
    cancelled_at: lead.cancelledAt?.toISOString() ?? null,
    cancel_reason: lead.cancelReason,
    cancellation: cancellationAnswer(lead),
    refund: shownRefund(lead),
    payment_due_at: lead.paymentDueAt?.toISOString() ?? null,
    payment_note: lead.paymentNote,
    departure_status: lead.departureStatus,
    price_breakdown: priceBreakdown(lead),
  };
}
