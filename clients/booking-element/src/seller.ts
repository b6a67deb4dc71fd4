import { type Api, createApi, SiteError } from './api.ts';
import { bookingBody, type Contact } from './contact-rules.ts';
import { holdBody, type Purchase, type PurchaseEvent, type Task } from './purchase.ts';
import type { Booking, Departure, DeparturePage, Hold, Problem } from './wire.ts';

/** The values of the tag, and the functions of the element that a purchase calls. */
export interface Site {
  /** The absolute address of the proxy. */
  api: string;
  /** Undefined: no tour is named yet. */
  slug: string | undefined;
  /** Whether the visitor chose the tour in a list of this page. */
  isChosen: boolean;
  lang: string;
  /** The visitor holds seats of this tour, and no tour is named. */
  onTourFound(slug: string): void;
  /** The visitor has booked with this element. */
  onBooked(booking: Booking): void;
  /** Is called when the call that books begins and when it has ended: the page changes no purchase meanwhile. */
  onBooking(isUnderWay: boolean): void;
}

/** The calls that the visitor starts. */
export interface Actions {
  /** @param isAutomatic no click has started it, and so the page keeps its focus */
  load(isAutomatic?: boolean): void;
  hold(): void;
  extend(): void;
  /** Gives the seats back, and shows the calendar. */
  release(): void;
  /** @param contact as the form has it now. Absent: the one that was sent before */
  book(contact?: Contact): void;
  /** Shows the calendar, after a booking or after a hold that has ended. */
  startAgain(event: 'startedAgain' | 'returned'): void;
}

export interface Seller {
  actions: Actions;
  /** Reads what the visitor has. An error changes nothing, because the visitor has not asked. */
  look(): void;
  /** Looks after the page was away, or without a network. A tour that could not be read is tried again. */
  wake(): void;
  /** Reads the texts of the tour again, in another language. */
  translate(): void;
  /** Ends all calls. */
  end(): void;
}

type Latest = () => { site: Site; purchase: Purchase };
type Dispatch = (event: PurchaseEvent) => void;

/** The event of the document after which the elements of a page look again: one of them has changed what the visitor has. */
export const VISITOR_CHANGED = 'tour-booking-change';

/** Makes the calls of one purchase, for one tour. @param latest returns the tag and the state as they are now */
export function createSeller(latest: Latest, dispatch: Dispatch): Seller {
  const life = new AbortController();
  const { api: base, slug } = latest().site;
  const api = createApi({ base, signal: life.signal, onDelay: () => dispatch({ type: 'delayed' }) });
  const read = readerOf({ api, slug, latest, dispatch });
  let isBusy = false;
  /** Counts the looks and the calls: the answer to a look is old if another one has begun since. */
  let turn = 0;

  const look = () => {
    if (isBusy) return;
    const mine = (turn += 1);
    void read.visitor().then((events) => mine === turn && events.forEach(see), ignore);
  };
  /** The booking that the visitor asked for, whose answer was lost, is one of this element. */
  const see = (event: PurchaseEvent) => {
    const { purchase, site } = latest();
    const { stage, refusal } = purchase;
    dispatch(event);
    // The departure of a hold that leaves no seat free may be cancelled or closed: the departures tell it.
    if (event.type === 'holdSeen' && event.seats?.hold.seats_available === 0) read.departuresAgain();
    if (event.type !== 'bookingSeen' || stage.at !== 'held' || refusal?.task !== 'book') return;
    if (isOfHold(event.booking, stage.hold)) site.onBooked(event.booking);
  };
  /** Runs a call of the visitor, one at a time. After a refusal, reads what has changed. */
  const run = async (task: Task, work: () => Promise<PurchaseEvent[]>, isAutomatic?: boolean) => {
    if (isBusy) return;
    isBusy = true;
    turn += 1;
    dispatch({ type: 'started', task, isAutomatic });
    const events = await work().catch((error: unknown): PurchaseEvent[] => [
      { type: 'refused', task, problem: problemIn(error, base) },
    ]);
    if (life.signal.aborted) return;
    events.forEach(dispatch);
    const isRefused = events[0]?.type === 'refused';
    // This element is still busy, so it does not look itself.
    if (task !== 'load' && !isRefused) document.dispatchEvent(new Event(VISITOR_CHANGED));
    isBusy = false;
    if (task === 'load') return;
    if (isRefused) look();
    if (isRefused || task === 'release') read.departuresAgain();
  };

  const load = (isAutomatic?: boolean) => void run('load', read.all, isAutomatic);
  const { extendHold, placeHold, releaseHold, book } = writerOf(api, latest);
  const seller: Seller = {
    actions: {
      load,
      hold: () => void run('hold', placeHold),
      extend: () => void run('extend', extendHold),
      release: () => void run('release', releaseHold),
      book: (contact) => void run('book', () => book(contact)),
      startAgain: (type) => {
        dispatch({ type });
        read.departuresAgain();
      },
    },
    look,
    wake: () => (latest().purchase.stage.at === 'failed' ? load(true) : look()),
    translate: () => void read.tour().then((event) => dispatch(event), ignore),
    end: () => life.abort(),
  };
  return seller;
}

interface ReaderOptions {
  api: Api;
  slug: string | undefined;
  latest: Latest;
  dispatch: Dispatch;
}

function readerOf({ api, slug = '', latest, dispatch }: ReaderOptions) {
  /** @param departures those that a new page shows. Absent: the page has been shown before */
  const visitor = (departures?: readonly Departure[]) => readVisitor(api, latest().purchase, departures);
  /** Reads the tour, and once more if the language of the element has changed meanwhile. */
  const tour = async (): Promise<PurchaseEvent> => {
    const { lang } = latest().site;
    const event: PurchaseEvent = { type: 'tourRead', tour: await api.readTour(slug, lang) };
    return lang === latest().site.lang ? event : tour();
  };
  /** Reads the departures again, or from the second page on. An error changes nothing. */
  const departuresAgain = (first?: DeparturePage) =>
    void readDepartures(api, slug, first).then(
      (departures) => dispatch({ type: 'departuresRead', departures, isComplete: true }),
      ignore,
    );
  const all = async (): Promise<PurchaseEvent[]> => {
    if (!slug) return findTour(api, latest().site);
    const early = stateHint() && visitor().catch(() => []);
    const [read, page] = await Promise.all([tour(), api.readDepartures(slug)]);
    const seen = early || visitor(page.items).catch(() => []);
    const isComplete = page.next_cursor === null;
    const departures: PurchaseEvent = { type: 'departuresRead', departures: page.items, isComplete };
    const events: PurchaseEvent[] = [read, ...(await seen), { type: 'loaded' }, departures];
    // The other pages come later than these events.
    if (!isComplete) departuresAgain(page);
    return events;
  };
  return { visitor, tour, departuresAgain, all };
}

function writerOf(api: Api, latest: Latest) {
  /** Whether the browser has lost the cookie of a hold. Another hold would be lost too. */
  let hasLostCookie = false;
  const placeHold = async (): Promise<PurchaseEvent[]> => {
    if (hasLostCookie || !navigator.cookieEnabled) throw new SiteError({ code: 'no_cookies' });
    const body = holdBody(latest().purchase);
    if (!body) return [];
    // Gives a new visitor the cookie, so that a repeat after a lost answer releases the hold of the first try.
    if (stateHint() === undefined) await api.greet().catch(ignore);
    const seats = await api.hold(body);
    hasLostCookie = stateHint() !== 'held' && !(await unlessMissing(api.readHold()));
    if (hasLostCookie) throw new SiteError({ code: 'no_cookies' });
    return [{ type: 'held', seats }];
  };
  const extendHold = async (): Promise<PurchaseEvent[]> => {
    const { stage } = latest().purchase;
    if (stage.at !== 'held') return [];
    return [{ type: 'held', seats: await api.extendHold() }];
  };
  const releaseHold = async (): Promise<PurchaseEvent[]> => {
    // A hold that cannot be released now ends by its time, or is released by the next one.
    await api.releaseHold().catch(ignore);
    return [{ type: 'returned' }];
  };
  const book = async (contact = latest().purchase.contact): Promise<PurchaseEvent[]> => {
    const { purchase, site } = latest();
    const { stage, tour } = purchase;
    if (stage.at !== 'held' || !tour) return [];
    const body = bookingBody(stage.hold, contact, tour.categories);
    site.onBooking(true);
    try {
      const booking = await api.book(body).catch((error: unknown) => findBooked(api, stage.hold, error));
      site.onBooked(booking);
      return [{ type: 'booked', booking }];
    } finally {
      site.onBooking(false);
    }
  };
  return { placeHold, extendHold, releaseHold, book };
}

/** Reads all pages of the departures. @param first the first page, if it has been read */
async function readDepartures(api: Api, slug: string, first?: DeparturePage): Promise<Departure[]> {
  let { items, next_cursor: cursor } = first ?? (await api.readDepartures(slug));
  while (cursor !== null) {
    const page: DeparturePage = await api.readDepartures(slug, cursor);
    items = items.concat(page.items);
    cursor = page.next_cursor;
  }
  return items;
}

/** Finds the tour whose seats the visitor holds, after a reload of a page that names no tour. */
async function findTour(api: Api, site: Site): Promise<PurchaseEvent[]> {
  const seats = stateHint() === 'held' ? await unlessMissing(api.readHold()) : undefined;
  if (seats?.hold.status === 'active') site.onTourFound(seats.hold.tour.slug);
  return [{ type: 'loaded' }];
}

/** Returns what the readable cookie says of the visitor. It only saves requests: the answers decide. */
function stateHint(): string | undefined {
  return /(?:^|; )tour_state=(held|booked)/.exec(document.cookie)?.[1];
}

/**
 * Reads what the visitor has: in this tab, in another one, or from before a reload. Without the readable cookie, which a program of the page
 * may have removed, asks where seats are at stake: a hold is shown, or a departure is sold out, perhaps to this visitor.
 */
async function readVisitor(
  api: Api,
  { stage }: Purchase,
  departures: readonly Departure[] = [],
): Promise<PurchaseEvent[]> {
  const hint = stateHint();
  const isHeld = stage.at === 'held';
  const isAsked = hint === 'held' || isHeld || departures.some(({ status }) => status === 'sold_out');
  const seats = hint !== 'booked' && isAsked ? await unlessMissing(api.readHold()) : undefined;
  if (hint === 'booked' || seats?.hold.status === 'converted')
    return [{ type: 'bookingSeen', booking: await unlessMissing(api.readBooking()) }];
  const isOver = !seats && isHeld && stage.endsAt <= Date.now();
  return [isOver ? { type: 'timeOver' } : { type: 'holdSeen', seats }];
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SiteError && error.problem.status === 404) return undefined;
    throw error;
  }
}

/**
 * Returns the booking that the hold has become, if an answer was lost and the visitor then changed the form, or if another tab has booked.
 * @throws the error, if there is none
 */
async function findBooked(api: Api, hold: Hold, error: unknown): Promise<Booking> {
  if (!(error instanceof SiteError)) throw error;
  const { code, hold_status } = error.problem;
  const isBooked = code === 'idempotency_key_reused' || hold_status === 'converted';
  const booking = isBooked ? await unlessMissing(api.readBooking()) : undefined;
  if (isOfHold(booking, hold)) return booking;
  throw error;
}

function isOfHold(booking: Booking | undefined, hold: Hold): booking is Booking {
  return (
    booking?.tour.id === hold.tour.id &&
    booking.departure_date === hold.departure_date &&
    booking.departure_time === hold.departure_time
  );
}

/** Returns the problem of an error. An error of the site, or of this script itself, goes to the console too. @param base the proxy's address */
function problemIn(error: unknown, base: string): Problem {
  if (!(error instanceof SiteError)) {
    // An aborted call is a DOMException.
    if (!(error instanceof DOMException)) reportError(error);
    return { code: 'internal_error' };
  }
  if (error.problem.code === 'foreign_answer')
    reportError(
      new Error(`<tour-booking>: ${base} does not answer like the proxy. Check the attribute api.`),
    );
  return error.problem;
}

function ignore(): void {}
