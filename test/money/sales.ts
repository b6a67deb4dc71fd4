import type { Response } from 'supertest';
import { expectProblem } from '../support/responses';
import { expectPricing } from './check-prices';
import {
  basePriceOf,
  type ByCategory,
  CATEGORIES,
  modelDeposit,
  type ModelPrice,
  priceOf,
  sumOf,
} from './model';
import { DATES, expectAmount, majorOf, numbersOf, type Shop } from './shop';

const PRICING = { 'octo-capabilities': 'octo/pricing' };

/** A hold or a booking of the API, and its price in the model. */
export interface Sale {
  /** The id of the hold, the UUID of OCTO, or the booking reference. */
  id: string;
  party: ByCategory;
  price: ModelPrice;
}

export interface Booking extends Sale {
  /** The type and the total of each event of the booking. */
  events: [type: string, total: number][];
  hasDate: boolean;
  isCancelled: boolean;
}

const seatsOf = ({ adult, child }: ByCategory) => Number(adult + child);
const withoutSupplements = (party: ByCategory): ByCategory => ({ ...party, single_supplement: 0n });
const totalOf = ({ party, price }: Sale) => sumOf(party, price.tenant);
const present = ({ model }: Shop, index = 0) => priceOf(model, index);

/** Returns the numbers of a party with the names of the API. */
function peopleOf(party: ByCategory) {
  const { adult, child, single_supplement } = numbersOf(party);
  return { adults: adult, children: child, single_supplements: single_supplement };
}

export async function placeHold(shop: Shop, wanted: ByCategory): Promise<Sale> {
  const party = withoutSupplements(wanted);
  const { adults, children } = peopleOf(party);
  const body = { departure_date: DATES[0], quantity: seatsOf(party), adults, children };
  const answer = await shop.website.hold(shop.tour, body);
  expect(answer.status).toBe(201);
  const hold = { id: answer.body.hold_id, party, price: present(shop) };
  expectHold(answer, hold);
  return hold;
}

function expectHold({ body }: Response, hold: Sale): void {
  const { currency, tenant } = hold.price;
  expect(body.currency).toBe(currency);
  expectAmount(body.unit_price, tenant.adult, currency);
  expectAmount(body.total_price, totalOf(hold), currency);
  for (const category of CATEGORIES) expectAmount(body.prices[category], tenant[category], currency);
}

export async function checkHold({ website }: Shop, hold: Sale): Promise<void> {
  expectHold(await website.get(`/api/gateway/holds/${hold.id}`), hold);
}

/** Adds an adult on the same date, which keeps the locked prices, then moves the hold to the other date. */
export async function changeHold(shop: Shop, hold: Sale): Promise<void> {
  const { website } = shop;
  const path = `/api/gateway/holds/${hold.id}`;
  hold.party = { ...hold.party, adult: hold.party.adult + 1n };
  const { adults, children } = peopleOf(hold.party);
  expectHold(await website.patch(path, { adults, children }), hold);
  const price = present(shop, 1);
  const moved = await website.patch(path, { departure_date: DATES[1] });
  if ((price.isBound || hold.price.isBound) && price.currency !== hold.price.currency)
    expectProblem(moved, 409, 'booking_state_conflict');
  else {
    hold.price = price;
    expectHold(moved, hold);
  }
  await checkHold(shop, hold);
}

/** Books a hold. Adds single supplements at their locked price. */
export async function bookHold(shop: Shop, hold: Sale, party: ByCategory): Promise<Booking> {
  return book(shop, { hold_id: hold.id }, { id: '', party, price: hold.price });
}

/** Books without a hold, after a refusal of another total. */
export async function bookNow(shop: Shop, party: ByCategory): Promise<Booking> {
  return book(shop, { departure_date: DATES[0] }, { id: '', party, price: present(shop) });
}

/** Books at the base price. */
export async function bookWithoutDate(shop: Shop): Promise<Booking> {
  const party = { adult: 2n, child: 0n, single_supplement: 0n };
  return book(shop, {}, { id: '', party, price: basePriceOf(shop.model) });
}

async function book(shop: Shop, by: object, sale: Sale): Promise<Booking> {
  const { website, tour } = shop;
  const { currency } = sale.price;
  const total = totalOf(sale);
  const order = { tour_id: tour.id, ...by, ...peopleOf(sale.party) };
  const refused = await website.book({ ...order, expected_total: majorOf(total + 1n, currency) });
  expectProblem(refused, 409, 'price_changed', { total_price: majorOf(total, currency), currency });
  const answer = await website.book({ ...order, expected_total: majorOf(total, currency) });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  const id = answer.body.booking_ref as string;
  const hasDate = answer.body.departure_date !== null;
  const booking = { ...sale, id, events: [event('booking.created', sale)], hasDate, isCancelled: false };
  expectBooking(shop, answer, booking);
  return booking;
}

const event = (type: string, sale: Sale): [string, number] => [
  type,
  majorOf(totalOf(sale), sale.price.currency),
];

function expectBooking({ model }: Shop, { body }: Response, booking: Booking): void {
  const { party, price } = booking;
  const { currency, platform, tenant, converted, isBound } = price;
  expect(body.currency).toBe(currency);
  expectAmount(body.total_price, totalOf(booking), currency);
  expectAmount(body.deposit_total, modelDeposit(totalOf(booking), model.depositPercent), currency);
  const breakdown = body.price_breakdown;
  expectAmount(breakdown.platform_unit_price, platform.adult, currency);
  expectAmount(breakdown.unit_price, tenant.adult, currency);
  const unconverted = isBound ? null : undefined;
  expect([breakdown.converted_from, breakdown.rate]).toEqual([
    converted ? converted.from : unconverted,
    converted ? converted.rate : unconverted,
  ]);
  const booked = CATEGORIES.filter((category) => party[category] > 0n);
  expect(breakdown.categories.map(({ category }: { category: string }) => category)).toEqual(booked);
  for (const [index, category] of booked.entries()) {
    const shown = breakdown.categories[index];
    expect(BigInt(shown.number)).toBe(party[category]);
    expectAmount(shown.unit_price, tenant[category], currency);
    expectAmount(shown.total, party[category] * tenant[category], currency);
  }
}

export async function checkBooking(shop: Shop, booking: Booking): Promise<void> {
  expectBooking(shop, await shop.website.get(`/api/tenant/bookings/${booking.id}`), booking);
}

/**
 * Changes the party of a booking on its date. A category that the booking has keeps its price. A new category has the present price, which
 * must be in the currency of the booking.
 */
export async function changeParty(shop: Shop, booking: Booking, more: Partial<ByCategory>): Promise<void> {
  const { party, price } = booking;
  const wanted = {
    adult: party.adult + (more.adult ?? 0n),
    child: party.child + (more.child ?? 0n),
    single_supplement: party.single_supplement + (more.single_supplement ?? 0n),
  };
  const added = CATEGORIES.filter((category) => party[category] === 0n && wanted[category] > 0n);
  const today = present(shop);
  const [platform, tenant] = [{ ...price.platform }, { ...price.tenant }];
  for (const category of added) {
    platform[category] = today.platform[category];
    tenant[category] = today.tenant[category];
  }
  const isRefused = added.length > 0 && today.currency !== price.currency;
  await change(
    shop,
    booking,
    peopleOf(wanted),
    { party: wanted, price: { ...price, platform, tenant } },
    isRefused,
  );
}

/** Moves a booking to the other date, at the present prices, which must be in the currency of the booking. */
export async function moveBooking(shop: Shop, booking: Booking): Promise<void> {
  const price = present(shop, 1);
  const isRefused = price.currency !== booking.price.currency;
  await change(shop, booking, { departure_date: DATES[1] }, { party: booking.party, price }, isRefused);
}

async function change(
  shop: Shop,
  booking: Booking,
  fields: object,
  after: Pick<Sale, 'party' | 'price'>,
  isRefused: boolean,
): Promise<void> {
  const expected_total = majorOf(sumOf(after.party, after.price.tenant), after.price.currency);
  const answer = await shop.website.patch(`/api/tenant/bookings/${booking.id}`, {
    ...fields,
    expected_total,
  });
  if (isRefused) expectProblem(answer, 409, 'booking_state_conflict');
  else {
    Object.assign(booking, after);
    booking.events.push(event('booking.updated', booking));
    expectBooking(shop, answer, booking);
  }
  await checkBooking(shop, booking);
}

export async function cancelBooking(shop: Shop, booking: Booking): Promise<void> {
  const answer = await shop.website.post(`/api/tenant/bookings/${booking.id}/cancel`, {});
  expect(answer.body.status).toBe('cancelled');
  booking.isCancelled = true;
  booking.events.push(event('booking.cancelled', booking));
  expectBooking(shop, answer, booking);
}

export async function reserveByOcto(shop: Shop, wanted: ByCategory): Promise<Sale> {
  const { website, tour, departureIds } = shop;
  const party = withoutSupplements(wanted);
  const { adult, child } = numbersOf(party);
  const price = present(shop);
  const unitItems = [...Array(adult).fill('adult'), ...Array(child).fill('child')].map((unitId) => ({
    unitId,
  }));
  const body = {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureIds[0],
    unitItems,
    currency: price.currency,
  };
  const answer = await website.post('/octo/bookings', body, PRICING);
  const reservation = { id: answer.body.uuid, party, price };
  expectOctoBooking(answer, reservation);
  return reservation;
}

/** Confirms a reservation at its locked price. */
export async function confirmByOcto(shop: Shop, reservation: Sale): Promise<Booking> {
  const { website } = shop;
  const body = { contact: { fullName: 'Ana Lima' }, currency: reservation.price.currency };
  const answer = await website.post(`/octo/bookings/${reservation.id}/confirm`, body, PRICING);
  expectOctoBooking(answer, reservation);
  const events = [event('booking.created', reservation), event('booking.confirmed', reservation)];
  const booking = {
    ...reservation,
    id: answer.body.supplierReference,
    events,
    hasDate: true,
    isCancelled: false,
  };
  await checkBooking(shop, booking);
  return booking;
}

export async function checkOctoBooking({ website }: Shop, uuid: string, sale: Sale): Promise<void> {
  expectOctoBooking(await website.get(`/octo/bookings/${uuid}`).set(PRICING), sale);
}

function expectOctoBooking({ status, body }: Response, sale: Sale): void {
  expect([status, body.errorMessage]).toEqual([200, undefined]);
  const { party, price } = sale;
  const { currency, platform, tenant } = price;
  expectPricing(body.pricing, { net: sumOf(party, platform), retail: totalOf(sale), currency });
  for (const { unitId, pricing } of body.unitItems as { unitId: 'adult' | 'child'; pricing: never }[])
    expectPricing(pricing, { net: platform[unitId], retail: tenant[unitId], currency });
}
