import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { useTestDatabase } from '../support/database';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { type Shop, startShop, type VisitorAnswer, VisitorBrowser } from './proxy-fixture';

/** `npm run lab -- visitors` has 1,000 visitors and 100 seats. */
const VISITORS = Number(process.env.VISITORS ?? 60);
const SEATS = Number(process.env.SEATS ?? 10);
/** Every third visitor who holds a seat vanishes with it. */
const VANISHING = 3;
/** The shortest hold of the platform, in minutes. */
const HOLD_MINUTES = 1;
/** Most milliseconds from the end of a hold to the answer that its seat is free. */
const FREE_WITHIN_MS = 5_000;
const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

const database = useTestDatabase();
let platform: ApiProcess;
let shop: Shop;
let tour: GivenTour;
let date: string;
const held: string[] = [];
const vanished = new Map<string, number>();
const booked: string[] = [];

beforeAll(async () => {
  const { db } = database;
  tour = await givenTour(db);
  date = await givenDeparture(db, tour, { seats: SEATS });
  const apiKey = await givenKey(db, await givenTenant(db));
  // Quotas are raised: all visitors share those of the key.
  platform = await startApiProcess(database.url);
  shop = await startShop({ baseUrl: platform.baseUrl, apiKey });
}, 60_000);
afterAll(async () => {
  await shop.stop();
  await platform.stop();
});

/** Sends a request again while there is no answer, or it says that it may succeed later, as a page does. */
async function patiently(visitor: VisitorBrowser, path: string, body?: object): Promise<VisitorAnswer> {
  const answer = await visitor.send(body ? 'POST' : 'GET', path, body).catch(() => undefined);
  if (answer && !answer.body.retryable) return answer;
  await sleep(1_000);
  return patiently(visitor, path, body);
}

/** Most milliseconds between the first arrivals, and between two looks of one visitor: so many visitors at once are no site's. */
const PAUSE_MS = 1_000 + VISITORS * 10;

/** A visitor looks at the calendar until the tour is sold. One who gets a seat books it, or closes the page without a word. */
async function visit(seed: number): Promise<void> {
  const visitor = new VisitorBrowser(shop.api);
  const wish = { tour_id: tour.slug, departure_date: date, quantity: 1, hold_minutes: HOLD_MINUTES };
  while (booked.length < SEATS) {
    await sleep(Math.random() * PAUSE_MS);
    const { body: calendar } = await patiently(visitor, calendarPath());
    if (calendar.items[0].seats_available === 0) continue;
    const hold = await patiently(visitor, '/hold', wish);
    if (hold.status !== 201) {
      expect(hold.body.code).toBe('insufficient_seats');
      continue;
    }
    const { hold_id, expires_at } = hold.body;
    held.push(hold_id);
    if (seed % VANISHING === 0 && vanished.size < SEATS / VANISHING) {
      vanished.set(hold_id, Date.parse(expires_at));
      return;
    }
    const booking = await patiently(visitor, '/booking', { ...CUSTOMER, hold_id });
    expect(booking.status).toBe(201);
    booked.push(booking.body.booking_ref);
    return;
  }
}

const calendarPath = () => `/tours/${tour.slug}/departures?from=${date}&to=${date}`;

/** Resolves when `count` seats of vanished visitors are free, or sold to others. */
async function seatsToComeBack(watcher: VisitorBrowser, count: number): Promise<void> {
  for (;;) {
    const { body } = await patiently(watcher, calendarPath());
    if (body.items[0].seats_available + held.length - SEATS >= count) return;
    await sleep(50);
  }
}

/** Watches each hold of a vanished visitor. @returns the most milliseconds from the end of one until its seat is free */
async function longestUntilFree(isOver: () => boolean): Promise<number> {
  const watcher = new VisitorBrowser(shop.api);
  let longest = 0;
  let seen = 0;
  while (seen < vanished.size || !isOver()) {
    const end = [...vanished.values()].sort((a, b) => a - b)[seen];
    if (end === undefined || Date.now() < end) {
      await sleep(50);
      continue;
    }
    seen += 1;
    await seatsToComeBack(watcher, seen);
    longest = Math.max(longest, Date.now() - end);
  }
  return longest;
}

describe('visitors of a site with the proxy', () => {
  it('all seats are booked in the end, no seat twice, and the seats of those who vanished come back in time', async () => {
    let isOver = false;
    const watch = longestUntilFree(() => isOver);
    await Promise.all(Array.from({ length: VISITORS }, (_none, seed) => visit(seed)));
    isOver = true;
    const freeAfterMs = await watch;
    const { db } = database;
    const [leads] = await db('booking_leads').sum('seats as seats').count('* as leads');
    expect({ seats: Number(leads!.seats), leads: Number(leads!.leads) }).toEqual({
      seats: SEATS,
      leads: SEATS,
    });
    expect(new Set(booked).size).toBe(SEATS);
    expect(vanished.size).toBeGreaterThan(0);
    process.stdout.write(
      `${VISITORS} visitors, ${SEATS} seats: ${booked.length} booked, ${vanished.size} vanished, each seat free after at most ${freeAfterMs} ms\n`,
    );
    expect(freeAfterMs).toBeLessThan(FREE_WITHIN_MS);
  }, 300_000);
});
