import type { Sale } from './cancellation-tiers.ts';
import { markUnnamed } from './category-names.ts';
import { type Contact, isAsked, isInForm, NO_CONTACT } from './contact-rules.ts';
import { isProblemForGood, problemOfHold } from './departure-problem.ts';
import { stateOf } from './departure-state.ts';
import { fitParty, startParty, totalOf } from './party-choice.ts';
import { digitsOf } from './formats.ts';
import { soldCategories } from './party-rules.ts';
import { textOf } from './problem-texts.ts';
import type {
  Booking,
  Category,
  Departure,
  TimedHold,
  Hold,
  HoldBody,
  Party,
  Problem,
  Tour,
} from './wire.ts';

/** The key of the words about the end of a hold. */
type EndReason = 'timeOver' | 'holdOver';

/** A total in major units of its currency. */
export type Price = Pick<Hold, 'total_price' | 'currency'>;

/** The stages of a purchase, with what the visitor sees. */
export type Stage =
  /** No tour is named yet: the children of the tag. */
  | { at: 'idle' }
  /** The tour is being read: the children of the tag, and "Loading". */
  | { at: 'loading' }
  /** The tour cannot be shown: the children of the tag, the problem, and "Try again". */
  | { at: 'failed' }
  /**
   * The calendar, the start times, the party and the total. Without any departure: the children of the tag, and words. An
   * offered departure was one of the alternatives of a problem, and takes the focus.
   */
  | { at: 'choosing'; isOffered?: boolean }
  /**
   * The seats are the visitor's until they end: the countdown, the contact form and the terms. With a seen price, the price has changed since
   * the visitor saw it: the new total comes first, and the form after the visitor has accepted it.
   */
  | (TimedHold & { at: 'held'; seen?: Price })
  /** The seats are free again: why, "Hold the seats again" and "Choose again". `holdOver`: another tab did it. */
  | { at: 'ended'; hold: Hold; reason: EndReason }
  /** The summary, the way to the payment, and "Book again". The contact is what this tab has booked with; a reload has none. */
  | { at: 'booked'; booking: Booking; contact?: Contact };

/** The call that runs for the visitor. */
export type Task = 'load' | 'hold' | 'extend' | 'release' | 'book';

export interface Refusal {
  task: Task;
  problem: Problem;
}

export interface Purchase {
  stage: Stage;
  tour?: Tour;
  departures: readonly Departure[];
  /** True: the departures are all of the tour, and not only its first pages. */
  hasAllDepartures: boolean;
  date?: string;
  /** The start time that the visitor has chosen on a date with several. */
  time?: string | null;
  party: Party;
  /** The categories that have left the party without a click on them, because they are no longer sold. */
  unsold: readonly Category[];
  contact: Contact;
  task?: Task;
  /** How the visitor waits for the call. `delayed`: for its next try. `slow`: so long that a button can stop it. */
  wait: 'short' | 'delayed' | 'slow';
  /** The refusal of the last call. */
  refusal?: Refusal;
  /** True: the visitor has acted. Before that, nothing takes the focus of the page. */
  isTouched: boolean;
  /** The reference of the booking after which the visitor has begun again. */
  pastBooking?: string;
  /** The visitor's live hold that this tab does not show: of another tour, or of another tab. A new hold releases it. */
  otherSeats?: TimedHold;
}

export type PurchaseEvent =
  /** No click has started an automatic call. */
  | { type: 'started'; task: Task; isAutomatic?: boolean }
  | { type: 'delayed' }
  | { type: 'slowed' }
  | { type: 'refused'; task: Task; problem: Problem }
  | { type: 'tourRead'; tour: Tour }
  | { type: 'departuresRead'; departures: readonly Departure[]; isComplete: boolean }
  /** The tour and its first departures can be shown. */
  | { type: 'loaded' }
  /** A date, or a departure. `time` undefined: the date may have several departures. */
  | { type: 'chosen'; date: string; time?: string | null; isOffered?: boolean }
  | { type: 'partyChanged'; party: Party }
  /** A call of the visitor has placed or extended the hold. */
  | { type: 'held'; seats: TimedHold }
  /** The hold of the cookie was read, after a load or in a tab that is shown again. Undefined: there is none. */
  | { type: 'holdSeen'; seats: TimedHold | undefined }
  | { type: 'totalAccepted' }
  /** The visitor goes on with the hold of another tab. */
  | { type: 'otherAccepted' }
  | { type: 'contactChanged'; changed: Partial<Contact> }
  | { type: 'timeOver' }
  /** The visitor goes back to the calendar. */
  | { type: 'returned' }
  /** A call of the visitor has booked. No contact: an earlier call has booked with another one, perhaps. */
  | { type: 'booked'; booking: Booking; contact?: Contact }
  /** The booking of the cookie was read. Undefined: there is none. */
  | { type: 'bookingSeen'; booking: Booking | undefined }
  | { type: 'startedAgain' };

/** The choice of a visitor. */
export type Choice = Partial<Pick<Purchase, 'date' | 'time' | 'party'>>;

/**
 * @param hasTour whether a tour is named
 * @param isTouched whether the visitor has chosen the tour on this page
 * @param choice what the visitor has chosen before a reload
 */
export function startPurchase(hasTour: boolean, isTouched = false, choice: Choice = {}): Purchase {
  return {
    stage: { at: hasTour ? 'loading' : 'idle' },
    departures: [],
    hasAllDepartures: false,
    date: choice.date,
    time: choice.time,
    party: choice.party ?? {},
    unsold: [],
    contact: NO_CONTACT,
    wait: 'short',
    isTouched,
  };
}

/**
 * Returns the purchase after an event.
 * @rule what a purchase in the element does next: test/unit/purchase.test.ts
 */
export function reduce(purchase: Purchase, event: PurchaseEvent): Purchase {
  const reducer = REDUCERS[event.type] as (purchase: Purchase, event: PurchaseEvent) => Purchase;
  return reducer(purchase, event);
}

type Reducers = {
  [Type in PurchaseEvent['type']]: (
    purchase: Purchase,
    event: Extract<PurchaseEvent, { type: Type }>,
  ) => Purchase;
};

const REDUCERS: Reducers = {
  // The last refusal stays until the answer, so that the button of the new try keeps the focus.
  started: (purchase, { task, isAutomatic }) => ({
    ...purchase,
    task,
    wait: 'short',
    isTouched: purchase.isTouched || !isAutomatic,
    stage: purchase.stage.at === 'failed' ? { at: 'loading' } : purchase.stage,
  }),
  delayed: (purchase) => (purchase.wait === 'slow' ? purchase : { ...purchase, wait: 'delayed' }),
  slowed: (purchase) => ({ ...purchase, wait: 'slow' }),
  refused: (purchase, { task, problem }) => refuse(purchase, { task, problem }),
  tourRead: (purchase, { tour: read }) => {
    const tour = { ...read, categories: markUnnamed(read.categories) };
    return { ...(purchase.tour ? fittedTo(tour.categories, purchase, purchase.tour) : purchase), tour };
  },
  departuresRead: (purchase, { departures, isComplete }) =>
    checked(fitted({ ...purchase, departures, hasAllDepartures: isComplete })),
  loaded: (purchase) => ({
    ...resting(purchase),
    stage: purchase.stage.at === 'loading' ? { at: 'choosing' } : purchase.stage,
  }),
  // Changes nothing while a call runs: its answer is the one to the earlier choice.
  chosen: (purchase, { date, time, isOffered }) =>
    isActing(purchase)
      ? purchase
      : started(
          fitted({ ...choosing(purchase), date, time, unsold: [], stage: { at: 'choosing', isOffered } }),
        ),
  partyChanged: (purchase, { party }) =>
    isActing(purchase) ? purchase : { ...choosing(purchase), party, unsold: [] },
  held: (purchase, { seats }) => ({ ...holding(purchase, seats), isTouched: true }),
  holdSeen: (purchase, { seats }) => seeHold(purchase, seats),
  totalAccepted: (purchase) => ({ ...purchase, stage: { ...purchase.stage, seen: undefined } as Stage }),
  otherAccepted: (purchase) => holding({ ...purchase, stage: { at: 'loading' } }, purchase.otherSeats!),
  contactChanged: (purchase, { changed }) => ({
    ...purchase,
    contact: { ...purchase.contact, ...changed },
    isTouched: true,
  }),
  // A booking that is under way may still succeed: its answer decides.
  timeOver: (purchase) => (purchase.task ? purchase : endHold(purchase, 'timeOver')),
  returned: choosing,
  booked: (purchase, { booking, contact }) => ({
    ...resting(purchase),
    stage: { at: 'booked', booking, contact },
  }),
  bookingSeen: (purchase, { booking }) => seeBooking(purchase, booking),
  startedAgain: ({ stage, tour, departures, hasAllDepartures, contact }) => ({
    ...startPurchase(true, true),
    stage: { at: 'choosing' },
    tour,
    departures,
    hasAllDepartures,
    contact: { ...NO_CONTACT, name: contact.name, phone: contact.phone, email: contact.email },
    pastBooking: stage.at === 'booked' ? stage.booking.booking_ref : undefined,
  }),
};

/** Returns the departures of the chosen date. */
export function departuresOnDate({ departures, date }: Purchase): Departure[] {
  return departures.filter(({ departure_date }) => departure_date === date);
}

/** Returns the chosen departure. Undefined: none is chosen, or it can no longer be booked. */
export function departureOf(purchase: Purchase): Departure | undefined {
  const { time, tour } = purchase;
  if (!tour) return undefined;
  const open = departuresOnDate(purchase).filter((departure) => stateOf(departure, tour) === 'open');
  if (time !== undefined) return open.find(({ start_time }) => start_time === time);
  return open.length === 1 ? open[0] : undefined;
}

/** Returns what the choice costs. Undefined: no departure is chosen. */
export function saleOf(purchase: Purchase): Sale | undefined {
  const departure = departureOf(purchase);
  if (!departure) return undefined;
  const { departure_date, start_time, tenant_prices, currency } = departure;
  const digits = digitsOf(currency);
  const total_price = totalOf(purchase.party, tenant_prices, digits) / 10 ** digits;
  return { departure_date, departure_time: start_time, total_price, currency };
}

/** Returns the body that holds seats for the choice, or for the hold that has ended. */
export function holdBody(purchase: Purchase): HoldBody | undefined {
  const { stage, tour, party } = purchase;
  if (stage.at === 'ended') return bodyOfHold(stage.hold);
  const departure = departureOf(purchase);
  return departure && bodyOfHold({ ...departure, tour: tour!, departure_time: departure.start_time, party });
}

type Wanted = Pick<Hold, 'departure_date' | 'departure_time' | 'party'> & { tour: { slug: string } };

/** Returns the body that asks for the seats of a hold. */
function bodyOfHold({ tour, departure_date, departure_time, party }: Wanted): HoldBody {
  return { tour_id: tour.slug, departure_date, departure_time: departure_time ?? undefined, party };
}

/**
 * Returns whether the hold ends its minutes after its placing. One that ends later was extended before; one that ends earlier ends when its
 * departure closes, and an extension would gain nothing.
 */
export function endsByMinutes({ created_at, expires_at, hold_minutes }: Hold): boolean {
  return Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 60_000) === hold_minutes;
}

/** Ends the call that runs, and clears its refusal. */
function resting(purchase: Purchase): Purchase {
  return { ...purchase, task: undefined, wait: 'short', refusal: undefined };
}

/** Shows the calendar to a visitor who has acted. */
function choosing(purchase: Purchase): Purchase {
  return { ...resting(purchase), stage: { at: 'choosing' }, isTouched: true };
}

/** Removes the categories that the chosen departure does not sell from the party. */
function fitted(purchase: Purchase): Purchase {
  const departure = departureOf(purchase);
  const { tour } = purchase;
  return departure
    ? fittedTo(soldCategories(tour!.categories, departure.tenant_prices), purchase, tour!)
    : purchase;
}

function fittedTo(sold: readonly Category[], purchase: Purchase, before: Tour): Purchase {
  const { party, unsold } = fitParty(purchase.party, before.categories, sold);
  return { ...purchase, party, unsold: [...purchase.unsold, ...unsold] };
}

/**
 * Names the time of the departure that the click has chosen, and begins with a party if there is none. Follows a click alone: the visitor has
 * seen the departure and the party that the next click holds.
 */
function started(purchase: Purchase): Purchase {
  const departure = departureOf(purchase);
  if (!departure) return purchase;
  const { start_time: time, tenant_prices, seats_available } = departure;
  const isEmpty = Object.keys(purchase.party).length === 0;
  const party = isEmpty
    ? startParty(purchase.tour!.categories, tenant_prices, seats_available)
    : purchase.party;
  return { ...purchase, time, party };
}

function refuse(purchase: Purchase, { task, problem }: Refusal): Purchase {
  const refusal = { task, problem: problemFor(purchase, task, problem) };
  const refused = { ...resting(purchase), refusal };
  const { code } = refusal.problem;
  if (task === 'load' || code === 'tour_not_found') return { ...refused, stage: { at: 'failed' } };
  // The party of a hold that has ended is checked by the present rules, so the visitor may have to change it.
  if (task === 'hold' && code === 'tour_changed') return { ...refused, stage: { at: 'choosing' } };
  const text = textOf(refusal.problem);
  return text === 'timeOver' || text === 'holdOver' ? endHold(refused, text) : refused;
}

/**
 * Returns the problem as the visitor meets it. Only the fields of the form can be checked; a choice, and an answer to a question that is asked no
 * more, is refused because the tour has changed, and the date of a booking because the operator has moved its departure.
 */
function problemFor({ tour }: Purchase, task: Task, problem: Problem): Problem {
  const { code, errors = [] } = problem;
  if (code !== 'validation_failed') return problem;
  if (task === 'hold' || errors.some(({ field }) => field.startsWith('departure')))
    return { code: 'tour_changed' };
  if (tour && errors.some(({ field }) => isInForm(field, tour))) return problem;
  return { code: errors.some(({ field }) => isAsked(field)) ? 'tour_changed' : 'internal_error' };
}

/** Returns whether the departure of the choice, or of the hold, was refused for good. */
export function isRefusedForGood({ refusal }: Purchase): boolean {
  return refusal !== undefined && isProblemForGood(refusal.problem);
}

/** Refuses the hold that is shown if the departures tell that it can no longer be booked. */
function checked(purchase: Purchase): Purchase {
  const { stage } = purchase;
  if (stage.at !== 'held' || isActing(purchase) || isRefusedForGood(purchase)) return purchase;
  const problem = problemOfHold(purchase.departures, stage.hold);
  return problem ? { ...purchase, refusal: { task: 'book', problem } } : purchase;
}

function endHold(purchase: Purchase, reason: EndReason): Purchase {
  const { stage } = purchase;
  if (stage.at !== 'held') return purchase;
  const { hold } = stage;
  const problem = problemOfHold(purchase.departures, hold, reason === 'timeOver');
  return {
    ...resting(purchase),
    refusal: problem && { task: 'hold', problem },
    stage: { at: 'ended', hold, reason },
  };
}

/** Shows the hold, and its total as new if the visitor has seen another one. */
function holding(purchase: Purchase, seats: TimedHold): Purchase {
  const { hold } = seats;
  const seen = priceSeen(purchase);
  const isNew = seen && (seen.total_price !== hold.total_price || seen.currency !== hold.currency);
  return {
    ...resting(purchase),
    stage: { at: 'held', ...seats, seen: isNew ? seen : undefined },
    date: hold.departure_date,
    time: hold.departure_time,
    party: hold.party,
    otherSeats: undefined,
  };
}

/** Returns the price that the visitor has seen last. Undefined: none that differs from the hold's. */
function priceSeen(purchase: Purchase): Price | undefined {
  const { stage } = purchase;
  if (stage.at === 'held') return stage.seen;
  if (stage.at === 'ended') return stage.hold;
  return stage.at === 'choosing' ? saleOf(purchase) : undefined;
}

/** Returns whether a call of the visitor runs, whose answer tells more than what was seen. */
function isActing({ task }: Purchase): boolean {
  return task !== undefined && task !== 'load';
}

/** Shows a hold that this tab has not placed only in place of nothing else: a click never books what the visitor has not seen. */
function seeHold(purchase: Purchase, seats: TimedHold | undefined): Purchase {
  const { stage } = purchase;
  if (isActing(purchase)) return purchase;
  const isLive = seats?.hold.status === 'active';
  if (seats && 'hold' in stage && stage.hold.hold_id === seats.hold.hold_id) {
    if (isLive) return { ...purchase, stage: { ...stage, ...seats, at: 'held' } };
    if (seats.hold.status === 'expired') return endHold(purchase, 'timeOver');
  }
  if (isLive && isExpected(purchase, seats.hold)) return holding(purchase, seats);
  return { ...endHold(purchase, 'holdOver'), otherSeats: isLive ? seats : undefined };
}

/** Returns whether a hold of the tour was found by a load, before the first act of the visitor, or is the one that the visitor asked for. */
function isExpected(purchase: Purchase, hold: Hold): boolean {
  const { stage, tour, isTouched } = purchase;
  if (hold.tour.id !== tour?.id) return false;
  if (stage.at !== 'choosing') return stage.at === 'loading';
  return !isTouched || JSON.stringify(bodyOfHold(hold)) === JSON.stringify(holdBody(purchase));
}

/** Returns whether a booking that was read stands, and is one of this purchase: of its tour, and not the one after which the visitor began again. */
export function isOfPurchase(
  { tour, pastBooking }: Purchase,
  booking: Booking | undefined,
): booking is Booking {
  const stands = booking?.status === 'pending_payment' || booking?.status === 'confirmed';
  return stands && booking.tour.id === tour?.id && booking.booking_ref !== pastBooking;
}

/** Shows a booking of this purchase. The one that is shown stays in any status: the operator may have cancelled it, or its time to pay is over. */
function seeBooking(purchase: Purchase, booking: Booking | undefined): Purchase {
  const { stage } = purchase;
  if (isActing(purchase)) return purchase;
  const isShown = stage.at === 'booked' && stage.booking.booking_ref === booking?.booking_ref;
  if (booking && (isShown || isOfPurchase(purchase, booking)))
    return {
      ...resting(purchase),
      stage: { at: 'booked', booking, contact: isShown ? stage.contact : undefined },
    };
  return { ...endHold(purchase, 'holdOver'), otherSeats: undefined };
}
