import type { Response } from 'supertest';
import { expectProblem } from '../support/responses';
import { expectPricing, unitOf } from './check-prices';
import {
  basePriceOf,
  type ByCategory,
  CATEGORIES,
  decimalOf,
  DIGITS,
  modelDeposit,
  type ModelPrice,
  priceOf,
  sumOf,
} from './model';
import {
  type ModelTerms,
  modelPercent,
  modelRefund,
  modelTermsAfterMove,
  modelTermsAfterOperator,
} from './refunds';
import { byCode, holdFields, partyFields, seatsOf, shownParty } from './shapes';
import { DATES, expectAmount, majorOf, type Shop } from './shop';

const PRICING = { 'octo-capabilities': 'octo/pricing' };

/** A hold or a booking of the API, and its price in the model. */
export interface Sale {
  /** The id of the hold, the UUID of OCTO, or the booking reference. */
  id: string;
  party: ByCategory;
  price: ModelPrice;
  terms: ModelTerms;
  /** The line of the operator, in minor units. Undefined: none. */
  adjustment?: bigint;
}

/** The amount is in minor units. */
export interface ModelRefund {
  percent: bigint;
  amount: bigint;
}

export interface Booking extends Sale {
  /** The type and the total of each event of the booking, and what a cancellation refunded. */
  events: [type: string, total: number, refund?: { percent: number; amount: number } | null][];
  isConfirmed: boolean;
  isCancelled: boolean;
  /** Null: none. */
  refund: ModelRefund | null;
  /** In minor units. It follows the total until the booking is confirmed. */
  deposit: bigint;
  /** The refunds of the changes that lowered the total while the booking was confirmed. */
  reductions: ModelRefund[];
}

const withoutSupplements = (party: ByCategory): ByCategory => ({ ...party, single_supplement: 0n });
/** Returns the terms of a sale on the date now. */
const termsOn = ({ policy }: Shop, index: number): ModelTerms => ({
  date: DATES[index]!,
  policy,
  ceiling: 100n,
  floor: null,
});
export const totalOf = ({ party, price, adjustment = 0n }: Omit<Sale, 'id'>) =>
  sumOf(party, price.tenant) + adjustment;
const present = ({ model }: Shop, index = 0) => priceOf(model, index);

export async function placeHold(shop: Shop, wanted: ByCategory): Promise<Sale> {
  const party = withoutSupplements(wanted);
  const body = { departure_date: DATES[0], ...holdFields(shop.shape, party) };
  const answer = await shop.website.hold(shop.tour, body);
  expect(answer.status).toBe(201);
  const hold = { id: answer.body.hold_id, party, price: present(shop), terms: termsOn(shop, 0) };
  expectHold(shop, answer, hold);
  return hold;
}

function expectHold({ shape }: Shop, { body }: Response, hold: Sale): void {
  expect([body.party, body.quantity]).toEqual([shownParty(shape, hold.party), seatsOf(shape, hold.party)]);
  const { currency, tenant } = hold.price;
  expect(body.currency).toBe(currency);
  expectAmount(body.unit_price, tenant.adult, currency);
  expectAmount(body.total_price, totalOf(hold), currency);
  for (const category of CATEGORIES)
    expectAmount(body.prices[shape.codes[category]], tenant[category], currency);
}

export async function checkHold(shop: Shop, hold: Sale): Promise<void> {
  expectHold(shop, await shop.website.get(`/api/gateway/holds/${hold.id}`), hold);
}

/** Adds a unit of the first category on the same date, which keeps the locked prices, then moves the hold to the other date. */
export async function changeHold(shop: Shop, hold: Sale): Promise<void> {
  const { website } = shop;
  const path = `/api/gateway/holds/${hold.id}`;
  hold.party = { ...hold.party, adult: hold.party.adult + 1n };
  expectHold(shop, await website.patch(path, holdFields(shop.shape, hold.party)), hold);
  const price = present(shop, 1);
  const moved = await website.patch(path, { departure_date: DATES[1] });
  if ((price.isBound || hold.price.isBound) && price.currency !== hold.price.currency)
    expectProblem(moved, 409, 'booking_state_conflict');
  else {
    hold.price = price;
    hold.terms = termsOn(shop, 1);
    expectHold(shop, moved, hold);
  }
  await checkHold(shop, hold);
}

/** Books a hold. Adds single supplements at their locked price. */
export async function bookHold(shop: Shop, hold: Sale, party: ByCategory): Promise<Booking> {
  return book(shop, { hold_id: hold.id }, { id: '', party, price: hold.price, terms: hold.terms });
}

/** Books without a hold, after a refusal of another total. */
export async function bookNow(shop: Shop, party: ByCategory): Promise<Booking> {
  return book(
    shop,
    { departure_date: DATES[0] },
    { id: '', party, price: present(shop), terms: termsOn(shop, 0) },
  );
}

/** Books at the base price. */
export async function bookWithoutDate(shop: Shop): Promise<Booking> {
  const party = { adult: 2n, child: 0n, single_supplement: 0n };
  const terms = { date: null, policy: null, ceiling: 100n, floor: null };
  return book(shop, {}, { id: '', party, price: basePriceOf(shop.model), terms });
}

/** Sells on the date now at the desk, with the line of the operator, or without it where it would leave less than nothing. */
export async function sellAtDesk(shop: Shop, party: ByCategory, adjustment: bigint): Promise<Booking> {
  const { website, terminal, tour, shape } = shop;
  const plain: Sale = { id: '', party, price: present(shop), terms: termsOn(shop, 0) };
  const adjusted = adjustment === 0n ? plain : { ...plain, adjustment };
  const units = Object.entries(byCode(shape, party)).map((unit) => unit.join('='));
  const line = `booking add ${tour.slug} ${DATES[0]} --tenant ${website.tenant.slug} --party ${units.join()} --name Ana --phone +4930901820 --yes`;
  const isBelowZero = totalOf(adjusted) < 0n;
  const lineOf = (sale: Sale) => (sale.adjustment === undefined ? line : `${line} ${adjustFlags(sale)}`);
  if (isBelowZero) expect(await terminal.refusal(lineOf(adjusted))).toBe('1 booking_state_conflict');
  const sale = isBelowZero ? plain : adjusted;
  const { booking_ref: id } = await terminal.json(lineOf(sale));
  const booking = newBooking(shop, { ...sale, id });
  await checkBooking(shop, booking);
  return booking;
}

/** Returns the flags of the line of the operator. */
function adjustFlags(sale: Sale): string {
  return `--adjust ${adjustmentText(sale)} --reason Model`;
}

/** Returns the line of the operator as a decimal text. */
function adjustmentText({ price: { currency }, adjustment = 0n }: Sale): string {
  const size = adjustment < 0n ? -adjustment : adjustment;
  return `${adjustment < 0n ? '-' : ''}${decimalOf(size, DIGITS[currency])}`;
}

async function book(shop: Shop, by: object, sale: Sale): Promise<Booking> {
  const { website, tour, shape } = shop;
  const { currency } = sale.price;
  const total = totalOf(sale);
  const order = { tour_id: tour.id, ...by, ...partyFields(shape, sale.party) };
  const refused = await website.book({ ...order, expected_total: majorOf(total + 1n, currency) });
  expectProblem(refused, 409, 'price_changed', { total_price: majorOf(total, currency), currency });
  const answer = await website.book({ ...order, expected_total: majorOf(total, currency) });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  const booking = newBooking(shop, { ...sale, id: answer.body.booking_ref as string });
  expectBooking(shop, answer, booking);
  return booking;
}

function newBooking(shop: Shop, sale: Sale): Booking {
  return {
    ...sale,
    events: [event('booking.created', sale)],
    isConfirmed: false,
    isCancelled: false,
    refund: null,
    deposit: modelDeposit(totalOf(sale), shop.model.depositPercent),
    reductions: [],
  };
}

const event = (type: string, sale: Sale): [string, number] => [
  type,
  majorOf(totalOf(sale), sale.price.currency),
];

function expectBooking({ shape }: Shop, { body }: Response, booking: Booking): void {
  const { party, price } = booking;
  const { currency, platform, tenant, converted, isBound } = price;
  expect([body.currency, body.party]).toEqual([currency, shownParty(shape, party)]);
  expectAmount(body.total_price, totalOf(booking), currency);
  expectAmount(body.deposit_total, booking.deposit, currency);
  expectCancellation(body, booking);
  const breakdown = body.price_breakdown;
  expectAmount(breakdown.platform_unit_price, platform.adult, currency);
  expectAmount(breakdown.unit_price, tenant.adult, currency);
  const unconverted = isBound ? null : undefined;
  expect([breakdown.converted_from, breakdown.rate]).toEqual([
    converted ? converted.from : unconverted,
    converted ? converted.rate : unconverted,
  ]);
  const booked = CATEGORIES.filter((category) => party[category] > 0n);
  const shownCodes = breakdown.categories.map(({ category }: { category: string }) => category);
  expect(shownCodes).toEqual(booked.map((category) => shape.codes[category]));
  for (const [index, category] of booked.entries()) {
    const shown = breakdown.categories[index];
    expect(BigInt(shown.number)).toBe(party[category]);
    expectAmount(shown.unit_price, tenant[category], currency);
    expectAmount(shown.total, party[category] * tenant[category], currency);
  }
}

export async function checkBooking(shop: Shop, booking: Booking): Promise<void> {
  const path = `/api/tenant/bookings/${booking.id}`;
  expectBooking(shop, await shop.website.get(path), booking);
  const { body } = await shop.website.get(`${path}/cancellation`);
  const percent = booking.isCancelled ? (booking.refund?.percent ?? null) : paidPercent(booking);
  const { floor } = booking.terms;
  expect(body.floor_percent).toBe(floor === null ? null : Number(floor));
  expect(body.refund_percent).toBe(percent === null ? null : Number(percent));
  if (percent !== null)
    expectAmount(body.refund_amount, modelRefund(totalOf(booking), percent), booking.price.currency);
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
    partyFields(shop.shape, wanted),
    { party: wanted, price: { ...price, platform, tenant }, terms: booking.terms },
    isRefused,
  );
}

/** Moves a booking to the other date, at the present prices, which must be in the currency of the booking. */
export async function moveBooking(shop: Shop, booking: Booking): Promise<void> {
  const price = present(shop, 1);
  const isRefused = price.currency !== booking.price.currency;
  const terms =
    booking.terms.date === DATES[1]
      ? booking.terms
      : modelTermsAfterMove(booking.terms, DATES[1], shop.policy);
  await change(
    shop,
    booking,
    { departure_date: DATES[1] },
    { party: booking.party, price, terms },
    isRefused,
  );
}

async function change(
  shop: Shop,
  booking: Booking,
  fields: object,
  after: Pick<Sale, 'party' | 'price' | 'terms'>,
  isRefused: boolean,
): Promise<void> {
  const total = totalOf({ ...after, adjustment: booking.adjustment });
  const expected_total = majorOf(total < 0n ? 0n : total, after.price.currency);
  const answer = await shop.website.patch(`/api/tenant/bookings/${booking.id}`, {
    ...fields,
    expected_total,
  });
  if (isRefused || total < 0n) expectProblem(answer, 409, 'booking_state_conflict');
  else {
    expectReduction(answer.body, booking, total);
    Object.assign(booking, after);
    if (!booking.isConfirmed) booking.deposit = modelDeposit(total, shop.model.depositPercent);
    booking.events.push(event('booking.updated', booking));
    expectBooking(shop, answer, booking);
  }
  await checkBooking(shop, booking);
}

/** Compares what a change frees with the model, by the terms before it, and keeps its refund for the report. */
function expectReduction({ reduction }: Response['body'], booking: Booking, total: bigint): void {
  const { currency } = booking.price;
  const amount = totalOf(booking) - total;
  if (!booking.isConfirmed || amount <= 0n) return expect(reduction).toBeNull();
  const percent = modelPercent(booking.terms);
  const refund = percent === null ? null : { percent, amount: modelRefund(amount, percent) };
  expectAmount(reduction.amount, amount, currency);
  expect([reduction.refund_percent, reduction.refund_amount]).toEqual(
    refund ? [Number(refund.percent), majorOf(refund.amount, currency)] : [null, null],
  );
  if (refund) booking.reductions.push(refund);
}

/** Writes the line of the operator. It takes effect in full: what it takes from a confirmed booking is refunded. */
export async function adjustBooking(shop: Shop, booking: Booking, adjustment: bigint): Promise<void> {
  if (adjustment === 0n) return;
  const { currency } = booking.price;
  const adjusted = { ...booking, adjustment };
  const line = `booking change ${booking.id} ${adjustFlags(adjusted)}`;
  const [before, total] = [totalOf(booking), totalOf(adjusted)];
  if (total < 0n) expect(await shop.terminal.refusal(line)).toBe('1 booking_state_conflict');
  else {
    const answer = await shop.terminal.json(line);
    expect(answer.adjustment.amount).toBe(Number(adjustmentText(adjusted)));
    expectAmount(answer.total_price, total, currency);
    booking.adjustment = adjustment;
    if (!booking.isConfirmed) booking.deposit = modelDeposit(total, shop.model.depositPercent);
    else if (total < before) booking.reductions.push({ percent: 100n, amount: before - total });
    booking.events.push(event('booking.updated', booking));
  }
  await checkBooking(shop, booking);
}

/** Moves all bookings of the second departure to the first one, or back. They keep their prices. */
export async function moveDeparture(shop: Shop, bookings: Booking[], from: 0 | 1): Promise<void> {
  const { terminal, tour } = shop;
  const [date, to] = [DATES[from], DATES[1 - from]!];
  const moving = bookings.filter(({ isCancelled, terms }) => !isCancelled && terms.date === date);
  const { moved, left } = await terminal.json(`departure move ${tour.slug} ${date} ${to}`);
  expect([moved.sort(), left]).toEqual([moving.map(({ id }) => id).sort(), []]);
  for (const booking of moving) {
    booking.terms = modelTermsAfterOperator(booking.terms, to);
    booking.events.push(event('booking.updated', booking));
    await checkBooking(shop, booking);
  }
}

export async function confirmBooking(shop: Shop, booking: Booking): Promise<void> {
  const answer = await shop.website.post(`/api/tenant/bookings/${booking.id}/confirm`, {});
  expect(answer.body.status).toBe('confirmed');
  booking.isConfirmed = true;
  booking.events.push(event('booking.confirmed', booking));
  expectBooking(shop, answer, booking);
}

/** Cancels after a refusal of another refund. */
export async function cancelBooking(shop: Shop, booking: Booking): Promise<void> {
  const refund = refundNow(booking, modelPercent(booking.terms));
  const { currency } = booking.price;
  const amount = refund?.amount ?? 0n;
  const shown = refund && majorOf(refund.amount, currency);
  const path = `/api/tenant/bookings/${booking.id}/cancel`;
  const refused = await shop.website.post(path, { expected_refund: majorOf(amount + 1n, currency) });
  expectProblem(refused, 409, 'refund_changed', { refund_amount: shown, currency });
  const answer = await shop.website.post(path, { expected_refund: majorOf(amount, currency) });
  expect([answer.body.status, answer.body.detail]).toEqual(['cancelled', undefined]);
  markCancelled(booking, refund);
  expectBooking(shop, answer, booking);
}

/** Cancels a confirmed booking at the terminal with another share than that of its policy. */
export async function cancelByOperator(shop: Shop, booking: Booking, percent: bigint): Promise<void> {
  await shop.terminal.json(`booking cancel ${booking.id} --refund-percent ${percent} --yes`);
  markCancelled(booking, refundNow(booking, percent));
  await checkBooking(shop, booking);
}

/** Cancels the first departure with its bookings. */
export async function cancelDeparture(shop: Shop, bookings: Booking[]): Promise<void> {
  const { terminal, tour } = shop;
  const standing = bookings.filter(({ isCancelled, terms }) => !isCancelled && terms.date === DATES[0]);
  const answer = await terminal.json(`departure cancel ${tour.slug} ${DATES[0]} --cancel-bookings --yes`);
  for (const booking of standing) {
    markCancelled(booking, refundNow(booking, 100n));
    const shown = answer.bookings.find((one: { booking_ref: string }) => one.booking_ref === booking.id);
    expect(shown.refund).toEqual(shownRefund(booking));
    await checkBooking(shop, booking);
  }
}

/** Returns the share that a cancellation refunds now. Null: nothing was paid, or nothing is stated. */
function paidPercent({ isConfirmed, terms }: Booking): bigint | null {
  return isConfirmed ? modelPercent(terms) : null;
}

/** Returns the refund of a share. Null: nothing was paid, or nothing is stated. */
function refundNow(booking: Booking, percent: bigint | null): ModelRefund | null {
  if (!booking.isConfirmed || percent === null) return null;
  return { percent, amount: modelRefund(totalOf(booking), percent) };
}

function shownRefund({ refund, price }: Booking) {
  return refund && { percent: Number(refund.percent), amount: majorOf(refund.amount, price.currency) };
}

function markCancelled(booking: Booking, refund: ModelRefund | null): void {
  Object.assign(booking, { isCancelled: true, refund });
  booking.events.push([...event('booking.cancelled', booking), shownRefund(booking)]);
}

/** Compares what a cancellation would refund, or has refunded, with the model. */
function expectCancellation(body: Response['body'], booking: Booking): void {
  const { terms, price, isCancelled, refund } = booking;
  const percent = isCancelled ? null : paidPercent(booking);
  if (percent === null) expect(body.cancellation).toBeNull();
  else {
    expect(body.cancellation.refund_percent).toBe(Number(percent));
    expectAmount(body.cancellation.refund_amount, modelRefund(totalOf(booking), percent), price.currency);
  }
  const isShown = isCancelled && (terms.policy !== null || refund !== null);
  expect(body.refund).toEqual(isShown ? shownRefund(booking) : undefined);
}

export async function reserveByOcto(shop: Shop, wanted: ByCategory): Promise<Sale> {
  const { website, tour, shape, departureIds } = shop;
  const party = withoutSupplements(wanted);
  const price = present(shop);
  const unitItems = Object.entries(shownParty(shape, party)).flatMap(([unitId, units]) =>
    Array(units).fill({ unitId }),
  );
  const body = {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureIds[0],
    unitItems,
    currency: price.currency,
  };
  const answer = await website.post('/octo/bookings', body, PRICING);
  const reservation = { id: answer.body.uuid, party, price, terms: termsOn(shop, 0) };
  expectOctoBooking(shop, answer, reservation);
  return reservation;
}

/** Confirms a reservation at its locked price. */
export async function confirmByOcto(shop: Shop, reservation: Sale): Promise<Booking> {
  const { website } = shop;
  const body = { contact: { fullName: 'Ana Lima' }, currency: reservation.price.currency };
  const answer = await website.post(`/octo/bookings/${reservation.id}/confirm`, body, PRICING);
  expectOctoBooking(shop, answer, reservation);
  const events = [event('booking.created', reservation), event('booking.confirmed', reservation)];
  const booking: Booking = {
    ...reservation,
    id: answer.body.supplierReference,
    events,
    isConfirmed: true,
    isCancelled: false,
    refund: null,
    deposit: modelDeposit(totalOf(reservation), shop.model.depositPercent),
    reductions: [],
  };
  await checkBooking(shop, booking);
  return booking;
}

export async function checkOctoBooking(shop: Shop, uuid: string, sale: Sale): Promise<void> {
  expectOctoBooking(shop, await shop.website.get(`/octo/bookings/${uuid}`).set(PRICING), sale);
}

function expectOctoBooking({ shape }: Shop, { status, body }: Response, sale: Sale): void {
  expect([status, body.errorMessage]).toEqual([200, undefined]);
  const { party, price } = sale;
  const { currency, platform, tenant } = price;
  const original = sumOf(party, tenant);
  expectPricing(body.pricing, { net: sumOf(party, platform), original, retail: totalOf(sale), currency });
  for (const { unitId, pricing } of body.unitItems as { unitId: string; pricing: never }[]) {
    const unit = unitOf(shape, unitId);
    expectPricing(pricing, { net: platform[unit], retail: tenant[unit], currency });
  }
}
