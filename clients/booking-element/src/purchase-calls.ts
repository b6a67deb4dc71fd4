import { type Api, CLICK_MS, createApi, SiteError } from './api.ts';
import { bookingBody, type Contact, isAsked } from './contact-rules.ts';
import { stateOf } from './departure-state.ts';
import { holdBody, isOfPurchase, type Purchase, type PurchaseEvent, type Task } from './purchase.ts';
import type { Booking, Departure, DeparturePage, Hold, Problem, Tour } from './wire.ts';

/** The values of the tag, and the functions of the element that a purchase calls. */
export interface Site {
  /** The absolute address of the proxy. */
  api: string;
  /** Undefined: no tour is named yet. */
  slug: string | undefined;
  /** True: the visitor chose the tour in a list of this page. */
  isChosen: boolean;
  /** True: the tag names no tour: a list of the page, or the visitor's hold, has named it. */
  isListed: boolean;
  lang: string;
  /** The name of who sells. */
  seller: string;
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
  /** Ends the call that runs. A hold or booking that it may have made is looked for. */
  stop(): void;
  /** Shows the calendar, after a booking or after a hold that has ended. */
  startAgain(event: 'startedAgain' | 'returned'): void;
}

export interface PurchaseCalls {
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

/** After so long the visitor reads that the network is slow, and can stop the call. */
const SLOW_MS = 5000;

type Latest = () => { site: Site; purchase: Purchase };
type Dispatch = (event: PurchaseEvent) => void;

/** The event of the document after which the elements of a page look again: one of them has changed what the visitor has. */
export const VISITOR_CHANGED = 'tour-booking-change';

/** Makes the calls of one purchase, for one tour. @param latest returns the tag and the state as they are now */
export function createPurchaseCalls(latest: Latest, dispatch: Dispatch): PurchaseCalls {
  const life = new AbortController();
  const { api: base, slug } = latest().site;
  /** Creates the API for calls that no click has started. */
  const backgroundApi = () => createApi({ base, signal: life.signal, onDelay: ignore });
  const unanswered: Unanswered = {};
  const read = readerOf({ slug, latest, unanswered });
  let isBusy = false;
  let stop = ignore;
  /** Counts the looks and the calls: the answer to a look is old if another one has begun since. */
  let turn = 0;

  const look = () => {
    if (isBusy) return;
    const mine = (turn += 1);
    void read.visitor(backgroundApi()).then((events) => mine === turn && events.forEach(see), ignore);
  };
  /** The booking that the visitor asked for, whose answer was lost, is one of this element. */
  const see = (event: PurchaseEvent) => {
    const { purchase, site } = latest();
    const { stage, refusal } = purchase;
    dispatch(event);
    // The departure of a hold that leaves no seat free may be cancelled or closed: the departures tell it.
    if (event.type === 'holdSeen' && event.seats?.hold.seats_available === 0) readAgain(read.departures);
    if (event.type !== 'bookingSeen' || stage.at !== 'held' || refusal?.task !== 'book') return;
    if (isOfHold(event.booking, stage.hold)) site.onBooked(event.booking);
  };
  /** Reads something again that a refusal or the visitor has made old. An error changes nothing. */
  const readAgain = (reading: Reading) =>
    void reading(backgroundApi()).then((events) => events.forEach(dispatch), ignore);
  /** Reads what a call has changed, or what its refusal has made old. A refused hold has been followed by a reading already. */
  const readAfter = (task: Task, problem: Problem | undefined) => {
    // A hold locks the terms and the deposit of its moment, which its answer does not have.
    if (!problem && (task === 'hold' || task === 'release')) readAgain(read.again);
    if (!problem) return;
    look();
    if (task !== 'hold') readAgain(read.departures);
  };
  /** Runs a call of the visitor, one at a time, for 30 s at most. After a refusal, reads what has changed. */
  const run = async (task: Task, work: Reading, isAutomatic?: boolean) => {
    if (isBusy) return;
    isBusy = true;
    turn += 1;
    dispatch({ type: 'started', task, isAutomatic });
    const click = startClick(base, life.signal, dispatch);
    stop = click.stop;
    const events = await work(click.api).catch(async (error: unknown): Promise<PurchaseEvent[]> => {
      const refused: PurchaseEvent = { type: 'refused', task, problem: problemIn(error, base) };
      // Shows the new questions together with the words about the refusal.
      const isOld = isFinal(refused.problem) && isOutdated(task, refused.problem);
      return [...(isOld ? await read.again(click.api).catch(() => []) : []), refused];
    });
    click.finish();
    const last = events.at(-1);
    const problem = last?.type === 'refused' ? last.problem : undefined;
    recordUnanswered(unanswered, task, problem);
    if (life.signal.aborted) return;
    events.forEach(dispatch);
    // This element is still busy, so it does not look itself.
    if (task !== 'load' && !problem) document.dispatchEvent(new Event(VISITOR_CHANGED));
    isBusy = false;
    if (task !== 'load') readAfter(task, problem);
  };

  const readOthers = (first: DeparturePage) => readAgain((api) => read.departures(api, first));
  const load = (isAutomatic?: boolean) => void run('load', (api) => read.all(api, readOthers), isAutomatic);
  const { extendHold, placeHold, releaseHold, book } = writerOf(read, latest, unanswered);
  const seller: PurchaseCalls = {
    actions: {
      load,
      hold: () => void run('hold', placeHold),
      extend: () => void run('extend', extendHold),
      release: () => void run('release', releaseHold),
      book: (contact) => void run('book', (api) => book(api, contact)),
      stop: () => stop(),
      startAgain: (type) => {
        dispatch({ type });
        readAgain(read.again);
      },
    },
    look,
    wake: () => (latest().purchase.stage.at === 'failed' ? load(true) : look()),
    translate: () => readAgain(read.tour),
    end: () => life.abort(),
  };
  return seller;
}

interface Click {
  api: Api;
  /** Ends the calls at the visitor's wish. */
  stop(): void;
  /** The click is answered. */
  finish(): void;
}

/** Makes the calls of one click. Says after 5 s that they are slow, and ends them after 30 s. @param life ends them too */
function startClick(base: string, life: AbortSignal, dispatch: Dispatch): Click {
  const ending = new AbortController();
  const end = (code: string) => ending.abort(new SiteError({ code, retryable: true }));
  const slow = setTimeout(() => dispatch({ type: 'slowed' }), SLOW_MS);
  const timer = setTimeout(() => end('network'), CLICK_MS);
  return {
    api: createApi({
      base,
      signal: AbortSignal.any([life, ending.signal]),
      onDelay: () => dispatch({ type: 'delayed' }),
    }),
    stop: () => end('stopped'),
    finish: () => {
      clearTimeout(slow);
      clearTimeout(timer);
    },
  };
}

/** Returns whether the site has answered, and would answer the same again. */
function isFinal({ status, retryable }: Problem): boolean {
  return status !== undefined && !retryable;
}

/** Returns whether the rules, the prices or the seats that the visitor has seen may be old, or the questions. */
function isOutdated(task: Task, { errors = [] }: Problem): boolean {
  return task === 'hold' || errors.some(({ field }) => isAsked(field));
}

/** Records whether a hold or booking may have happened all the same: no answer came, or one of a server that failed. */
function recordUnanswered(unanswered: Unanswered, task: Task, problem: Problem | undefined): void {
  if (task !== 'hold' && task !== 'book') return;
  const isOpen = problem?.retryable === true && (problem.status === undefined || problem.status >= 500);
  unanswered.task = isOpen ? task : undefined;
}

/** Makes calls of a click, or of the element itself. */
type Reading = (api: Api) => Promise<PurchaseEvent[]>;

/** The last hold or booking that may have happened although no answer came. */
interface Unanswered {
  task?: 'hold' | 'book';
}

interface ReaderOptions {
  slug: string | undefined;
  latest: Latest;
  unanswered: Unanswered;
}

function readerOf({ slug = '', latest, unanswered }: ReaderOptions) {
  /** @param isSoldOut a departure of a new page is sold out, perhaps to this visitor */
  const visitor = (api: Api, isSoldOut?: boolean) =>
    readVisitor(api, latest().purchase, unanswered, isSoldOut);
  /** Reads the tour, and once more if the language of the element has changed meanwhile. */
  const readTour = async (api: Api): Promise<Tour> => {
    const { lang } = latest().site;
    const read = await api.readTour(slug, lang);
    return lang === latest().site.lang ? read : readTour(api);
  };
  const tour: Reading = async (api) => [{ type: 'tourRead', tour: await readTour(api) }];
  const departures = async (api: Api, first?: DeparturePage): Promise<PurchaseEvent[]> => [
    { type: 'departuresRead', departures: await readDepartures(api, slug, first), isComplete: true },
  ];
  /** Reads the tour with its departures: the prices of the one belong to the categories of the other. */
  const again: Reading = async (api) => (await Promise.all([tour(api), departures(api)])).flat();
  /** Reads what the element shows first. @param readOthers is called if the departures have more pages */
  const all = async (api: Api, readOthers: (first: DeparturePage) => void): Promise<PurchaseEvent[]> => {
    if (!slug) return findTour(api, latest().site);
    const early = stateHint() && visitor(api).catch(() => []);
    const [read, page] = await Promise.all([readTour(api), api.readDepartures(slug)]);
    const isSoldOut = page.items.some((one) => stateOf(one, read) === 'soldOut');
    const seen = early || visitor(api, isSoldOut).catch(() => []);
    const isComplete = page.next_cursor === null;
    const events: PurchaseEvent[] = [
      { type: 'tourRead', tour: read },
      ...(await seen),
      { type: 'loaded' },
      { type: 'departuresRead', departures: page.items, isComplete },
    ];
    // The other pages come later than these events.
    if (!isComplete) readOthers(page);
    return events;
  };
  return { visitor, tour, departures, again, all };
}

function writerOf(read: { visitor: Reading }, latest: Latest, unanswered: Unanswered) {
  /** True: the browser has lost the cookie of a hold. Another hold would be lost too. */
  let hasLostCookie = false;
  const booked = (booking: Booking, contact?: Contact): PurchaseEvent[] => {
    latest().site.onBooked(booking);
    return [{ type: 'booked', booking, contact }];
  };
  const placeHold: Reading = async (api) => {
    if (hasLostCookie || !navigator.cookieEnabled) throw new SiteError({ code: 'no_cookies' });
    const { purchase } = latest();
    const body = holdBody(purchase);
    if (!body) return [];
    // A booking whose answer never came is found before other seats are held: nothing is booked twice.
    const [seen] = unanswered.task === 'book' ? await read.visitor(api) : [];
    if (seen?.type === 'bookingSeen' && isOfPurchase(purchase, seen.booking)) return booked(seen.booking);
    // Gives a new visitor the cookie, so that a repeat after a lost answer releases the hold of the first try.
    if (stateHint() === undefined) await api.greet().catch(ignore);
    const seats = await api.hold(body).catch(async (error: unknown) => {
      if (!isUnknownVisitor(error)) throw error;
      // The site has changed its secret: the seats of the old cookie end by their time.
      await api.greet();
      return api.hold(body);
    });
    hasLostCookie = stateHint() !== 'held' && !(await unlessMissing(api.readHold()));
    if (hasLostCookie) throw new SiteError({ code: 'no_cookies' });
    return [{ type: 'held', seats }];
  };
  const extendHold: Reading = async (api) => {
    const { stage } = latest().purchase;
    if (stage.at !== 'held') return [];
    return [{ type: 'held', seats: await api.extendHold() }];
  };
  const releaseHold: Reading = async (api) => {
    // A hold that cannot be released now ends by its time, or is released by the next one.
    await api.releaseHold().catch(ignore);
    return [{ type: 'returned' }];
  };
  const book = async (api: Api, contact = latest().purchase.contact): Promise<PurchaseEvent[]> => {
    const { purchase, site } = latest();
    const { stage, tour } = purchase;
    if (stage.at !== 'held' || !tour) return [];
    const body = bookingBody(stage.hold, contact, tour, site.lang);
    site.onBooking(true);
    try {
      return await api.book(body).then(
        (booking) => booked(booking, contact),
        async (error: unknown) => booked(await findBooked(api, stage.hold, error)),
      );
    } finally {
      site.onBooking(false);
    }
  };
  return { placeHold, extendHold, releaseHold, book };
}

function isUnknownVisitor(error: unknown): boolean {
  return error instanceof SiteError && error.problem.code === 'invalid_visitor';
}

/** Reads all pages of the departures. @param first the first page, if it has been read */
async function readDepartures(api: Api, slug: string, first?: DeparturePage): Promise<Departure[]> {
  let { items, next_cursor: cursor } = first ?? (await api.readDepartures(slug));
  while (cursor !== null) {
    const page: DeparturePage = await api.readDepartures(slug, cursor);
    // A cache before the proxy that ignores the query answers each time with the first page.
    if (page.next_cursor === cursor) throw new SiteError({ code: 'not_found' });
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
 * may have removed, asks where seats are at stake: a hold is shown, a departure is sold out, perhaps to this visitor, or an answer never came.
 */
async function readVisitor(
  api: Api,
  { stage }: Purchase,
  unanswered: Unanswered,
  isSoldOut = false,
): Promise<PurchaseEvent[]> {
  const hint = stateHint();
  const isHeld = stage.at === 'held';
  const mayHold = [hint === 'held', unanswered.task, isHeld, isSoldOut].some(Boolean);
  const seats = hint !== 'booked' && mayHold ? await unlessMissing(api.readHold()) : undefined;
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
  const { problem } = error;
  const advice: Record<string, string | undefined> = {
    not_found: `${base} does not answer like the proxy. Check the attribute api and the option path.`,
    origin_not_allowed: problem.detail,
  };
  const text = advice[problem.code];
  if (text) reportError(new Error(`<tour-booking>: ${text}`));
  return problem;
}

function ignore(): void {}
