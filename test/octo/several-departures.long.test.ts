import type { OctoAvailability, OctoCalendarDay } from '../../services/api/octo/availability.dto';
import type { OctoBooking } from '../../services/api/octo/booking.dto';
import type { OctoProduct } from '../../services/api/octo/product.dto';
import { useTestApi } from '../support/api';
import { untilTransactionWaits } from '../support/lock-wait';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { useWebsite } from '../support/website';
import { adults } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const reseller = useWebsite(api, { name: 'Reseller' });

const DATE = daysFromToday(30);
const NEXT_DATE = daysFromToday(31);
const OPTION = { optionId: 'DEFAULT' };
const PRICING = { 'octo-capabilities': 'octo/pricing' };
const WHOLE_DAY = [{ from: '00:00', to: '23:59' }];

let tour: GivenTour;
beforeEach(async () => {
  tour = await givenTour(api.db, { durationDays: 1, timeZone: 'Europe/Berlin' });
});

/** Adds departures to a date, one for each start time. */
async function givenTimes(times: Record<string, object>, date = DATE, to = tour): Promise<void> {
  for (const [startTime, more] of Object.entries(times))
    await givenDeparture(api.db, to, { date, startTime, ...more });
}

const givenThreeTimes = async (date = DATE) =>
  givenTimes({ '14:30': { seats: 5 }, '09:30': { seats: 8 }, '12:00': { seats: 7 } }, date);

const setStartTime = async (startTime: string, to = tour) =>
  api.db('tours').where({ id: to.id }).update({ start_time: startTime });

async function product(): Promise<OctoProduct> {
  return expectOcto(await reseller.get(`/octo/products/${tour.id}`), 'product');
}

const asked = (from: string, to: string) => ({
  productId: tour.id,
  ...OPTION,
  localDateStart: from,
  localDateEnd: to,
});

async function availability(from = DATE, to = NEXT_DATE, more = {}): Promise<OctoAvailability[]> {
  const body = { ...asked(from, to), ...more };
  return expectOcto(await reseller.post('/octo/availability', body), 'availability');
}

async function calendar(more: object = {}, headers = {}): Promise<OctoCalendarDay[]> {
  const body = { ...asked(DATE, NEXT_DATE), ...more };
  return expectOcto(await reseller.post('/octo/availability/calendar', body, headers), 'calendar');
}

const timesOf = (rows: OctoAvailability[]) => rows.map((row) => row.localDateTimeStart.slice(0, 16));

async function idAt(time: string, date = DATE): Promise<string> {
  const found = await availability(date, date);
  return found.find((row) => row.localDateTimeStart.startsWith(`${date}T${time}`))!.id;
}

async function reserve(time: string, more: object = {}): Promise<OctoBooking> {
  const body = {
    productId: tour.id,
    ...OPTION,
    availabilityId: await idAt(time),
    unitItems: adults(2),
    ...more,
  };
  return expectOcto(await reseller.post('/octo/bookings', body), 'booking');
}

const change = async (uuid: string, body: object): Promise<OctoBooking> =>
  expectOcto(await reseller.patch(`/octo/bookings/${uuid}`, body), 'booking');

const confirm = async (uuid: string): Promise<OctoBooking> =>
  expectOcto(await reseller.post(`/octo/bookings/${uuid}/confirm`), 'booking');

/** Returns the free seats by start time. */
async function vacancies(): Promise<Record<string, number>> {
  const rows = await availability(DATE, DATE);
  return Object.fromEntries(rows.map((row) => [row.localDateTimeStart.slice(11, 16), row.vacancies]));
}

describe('the product of a tour with several departures a day', () => {
  it('a product has each start time of its open departures once, in order', async () => {
    await givenThreeTimes();
    await givenTimes({ '09:30': {}, '07:15': {} }, NEXT_DATE);
    expect(await product()).toMatchObject({
      availabilityType: 'START_TIME',
      options: [{ availabilityLocalStartTimes: ['07:15', '09:30', '12:00', '14:30'] }],
    });
  });

  it("a product has the tour's own start time beside the start times of its departures", async () => {
    await setStartTime('10:00');
    await givenTimes({ '14:30': {}, '09:30': {} });
    expect((await product()).options[0]!.availabilityLocalStartTimes).toEqual(['09:30', '10:00', '14:30']);
  });

  it('a product leaves out the start times of past, closed and cancelled departures', async () => {
    await givenTimes({
      '09:30': { status: 'cancelled' },
      '12:00': { closesAt: '2020-01-01T00:00:00Z' },
      '14:30': {},
    });
    await givenTimes({ '08:00': {} }, daysFromToday(-2));
    expect((await product()).options[0]!.availabilityLocalStartTimes).toEqual(['14:30']);
  });

  it('a product keeps the start time of a sold-out departure', async () => {
    await givenTimes({ '09:30': { seats: 2 }, '14:30': {} });
    await reserve('09:30');
    expect((await product()).options[0]!.availabilityLocalStartTimes).toEqual(['09:30', '14:30']);
  });

  it('a product has start times if at least one of its open departures has one', async () => {
    await givenDeparture(api.db, tour, { date: DATE });
    await givenTimes({ '18:00': {} }, NEXT_DATE);
    expect(await product()).toMatchObject({
      availabilityType: 'START_TIME',
      options: [{ availabilityLocalStartTimes: ['18:00'] }],
    });
  });

  it('a product has opening hours if only past departures have start times', async () => {
    await givenTimes({ '08:00': {} }, daysFromToday(-2));
    await givenDeparture(api.db, tour, { date: DATE });
    expect(await product()).toMatchObject({
      availabilityType: 'OPENING_HOURS',
      options: [{ availabilityLocalStartTimes: [] }],
    });
  });

  it('a product keeps its start times while none of its departures can be booked', async () => {
    await givenTimes({ '09:30': { status: 'cancelled' }, '14:30': { status: 'cancelled' } });
    expect(await product()).toMatchObject({
      availabilityType: 'START_TIME',
      options: [{ availabilityLocalStartTimes: ['09:30', '14:30'] }],
    });
  });

  it('the list of products and a read of one product return the same start times', async () => {
    await givenThreeTimes();
    const products: OctoProduct[] = expectOcto(await reseller.get('/octo/products'), 'products');
    expect(products.find(({ id }) => id === tour.id)).toEqual(await product());
  });
});

describe('POST /octo/availability for several departures a day', () => {
  it('POST /octo/availability answers an availability for each departure, in the order of date and time', async () => {
    await givenThreeTimes();
    await givenThreeTimes(NEXT_DATE);
    const rows = await availability();
    expect(timesOf(rows)).toEqual(
      [DATE, NEXT_DATE].flatMap((date) => [`${date}T09:30`, `${date}T12:00`, `${date}T14:30`]),
    );
    expect(rows.slice(0, 3)).toMatchObject([
      { vacancies: 8, capacity: 8, allDay: false, openingHours: [] },
      { vacancies: 7, capacity: 7, allDay: false, openingHours: [] },
      { vacancies: 5, capacity: 5, allDay: false, openingHours: [] },
    ]);
    const ids = await api.db('departures').where({ tour_id: tour.id }).pluck<string[]>('id');
    expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it('POST /octo/availability ends the sales of each departure at its own start', async () => {
    await givenTimes({ '09:30': {}, '14:30': {} });
    for (const { localDateTimeStart, utcCutoffAt } of await availability(DATE, DATE))
      expect(Date.parse(utcCutoffAt)).toBe(Date.parse(localDateTimeStart));
  });

  it('POST /octo/availability decides for each departure whether it is available for the units', async () => {
    await givenThreeTimes();
    const rows = await availability(DATE, DATE, { units: [{ id: 'adult', quantity: 6 }] });
    expect(rows.map(({ available }) => available)).toEqual([true, true, false]);
  });

  it('POST /octo/availability finds departures of one date by their ids', async () => {
    await givenThreeTimes();
    const ids = [await idAt('14:30'), await idAt('09:30')];
    const body = { productId: tour.id, ...OPTION, availabilityIds: ids };
    const rows = expectOcto(await reseller.post('/octo/availability', body), 'availability');
    expect(timesOf(rows)).toEqual([`${DATE}T09:30`, `${DATE}T14:30`]);
  });

  it('POST /octo/availability answers all departures of 366 days with three a day', async () => {
    await api.db.raw(
      `insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor)
       select :id::uuid, :first::date + n, time, 40, '{"adult": 48000}'
       from generate_series(0, 365) n cross join unnest(array['09:30', '12:00', '14:30']) as time`,
      { id: tour.id, first: DATE },
    );
    const rows = await availability(DATE, daysFromToday(395));
    expect(rows).toHaveLength(3 * 366);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3 * 366);
    const last = daysFromToday(395);
    const days = await calendar({ localDateEnd: last });
    expect([days.length, days.at(-1)]).toMatchObject([366, { localDate: last, capacity: 120 }]);
  });

  it('POST /octo/availability gives a departure without a start time the whole day as opening hours', async () => {
    await givenDeparture(api.db, tour, { date: DATE });
    await givenTimes({ '18:00': {} }, NEXT_DATE);
    const rows = await availability();
    expect(timesOf(rows)).toEqual([`${DATE}T00:00`, `${NEXT_DATE}T18:00`]);
    // The product has start times, so no row is allDay.
    expect(rows).toMatchObject([
      { allDay: false, openingHours: WHOLE_DAY },
      { allDay: false, openingHours: [] },
    ]);
  });

  it('POST /octo/availability gives a past departure with a start time the opening hours of its product', async () => {
    const past = daysFromToday(-2);
    await givenTimes({ '08:00': {} }, past);
    await givenDeparture(api.db, tour, { date: DATE });
    const rows = await availability(past, DATE);
    expect(timesOf(rows)).toEqual([`${past}T08:00`, `${DATE}T00:00`]);
    for (const row of rows) expect(row).toMatchObject({ allDay: true, openingHours: WHOLE_DAY });
  });

  it('POST /octo/availability uses the first occurrence of a start time that clocks show twice', async () => {
    await givenTimes({ '01:30': {}, '02:30': {}, '03:30': {} }, '2031-10-26');
    const rows = await availability('2031-10-26', '2031-10-26');
    expect(rows.map(({ localDateTimeStart }) => localDateTimeStart)).toEqual([
      '2031-10-26T01:30:00+02:00',
      '2031-10-26T02:30:00+02:00',
      '2031-10-26T03:30:00+01:00',
    ]);
  });
});

describe('POST /octo/availability/calendar for several departures a day', () => {
  it('POST /octo/availability/calendar answers one day for each date, with the seats of all its departures', async () => {
    await givenThreeTimes();
    await givenTimes({ '09:30': { seats: 4 } }, NEXT_DATE);
    const day = { available: true, status: 'AVAILABLE', openingHours: [] };
    expect(await calendar()).toEqual([
      { localDate: DATE, ...day, vacancies: 20, capacity: 20 },
      { localDate: NEXT_DATE, ...day, vacancies: 4, capacity: 4 },
    ]);
  });

  it('a day is available if one of its departures has seats for all the units', async () => {
    await givenThreeTimes();
    const ask = async (quantity: number) =>
      (await calendar({ units: [{ id: 'adult', quantity }] })).map(({ available }) => available);
    expect(await ask(8)).toEqual([true]);
    expect(await ask(9)).toEqual([false]);
  });

  it('a day has the best status of its departures', async () => {
    const status = async () => (await calendar())[0]!.status;
    await givenTimes({
      '08:00': { status: 'cancelled' },
      '09:30': { seats: 2 },
      '12:00': { seats: 5 },
      '14:30': { seats: 4 },
    });
    await reserve('12:00', { unitItems: adults(3) });
    expect(await status()).toBe('AVAILABLE');
    await reserve('14:30', { unitItems: adults(4) });
    await reserve('09:30', { unitItems: adults(2) });
    expect(await status()).toBe('LIMITED');
    await reserve('12:00', { unitItems: adults(2) });
    expect(await calendar()).toMatchObject([
      { status: 'SOLD_OUT', available: false, vacancies: 0, capacity: 21 },
    ]);
    await api.db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
    expect(await status()).toBe('CLOSED');
  });

  it('with octo/pricing, a day has the lowest price of each unit among its open departures', async () => {
    await givenTimes({
      '08:00': { prices: { adult: 100, child: 50 }, status: 'cancelled' },
      '09:30': { prices: { adult: 6000 } },
      '12:00': { prices: { adult: 5000, child: 4000 } },
      '14:30': { prices: { adult: 5500, child: 3000 } },
    });
    const [day] = await calendar({}, PRICING);
    expect(day!.unitPricingFrom).toMatchObject([
      { unitId: 'adult', original: 5000, retail: 5000, net: 5000 },
      { unitId: 'child', original: 3000, retail: 3000, net: 3000 },
    ]);
  });

  it('POST /octo/availability/calendar shows opening hours only for a date whose departures have no start time', async () => {
    await givenDeparture(api.db, tour, { date: DATE });
    await givenTimes({ '18:00': {}, '20:00': {} }, NEXT_DATE);
    const days = await calendar();
    expect(days.map(({ openingHours }) => openingHours)).toEqual([WHOLE_DAY, []]);
  });
});

describe('an OCTO booking of one of several departures a day', () => {
  beforeEach(async () => givenThreeTimes());

  it('a booking takes seats of its departure only, and shows the start of this departure', async () => {
    const booking = await reserve('12:00');
    expect(booking.availability.localDateTimeStart).toMatch(new RegExp(`^${DATE}T12:00:00\\+0[12]:00$`));
    expect(booking.availabilityId).toBe(await idAt('12:00'));
    expect(booking.availability.vacancies).toBe(5);
    expect(booking.option.availabilityLocalStartTimes).toEqual(['09:30', '12:00', '14:30']);
    expect(await vacancies()).toEqual({ '09:30': 8, '12:00': 5, '14:30': 5 });
  });

  it('a booking on hold moves from the morning to the afternoon', async () => {
    const { uuid } = await reserve('09:30');
    const moved = await change(uuid, { availabilityId: await idAt('14:30') });
    expect(moved).toMatchObject({ status: 'ON_HOLD', availabilityId: await idAt('14:30') });
    expect(timesOf([moved.availability])).toEqual([`${DATE}T14:30`]);
    expect(await vacancies()).toEqual({ '09:30': 8, '12:00': 7, '14:30': 3 });
  });

  it('a confirmed booking moves from the morning to the afternoon', async () => {
    const { uuid } = await reserve('09:30');
    const confirmed = await confirm(uuid);
    expect(timesOf([confirmed.availability])).toEqual([`${DATE}T09:30`]);
    const moved = await change(uuid, { availabilityId: await idAt('14:30') });
    expect(moved).toMatchObject({ status: 'CONFIRMED', supplierReference: confirmed.supplierReference });
    expect(timesOf([moved.availability])).toEqual([`${DATE}T14:30`]);
    const { body } = await reseller.get(`/api/tenant/bookings/${moved.supplierReference}`);
    expect(body).toMatchObject({ departure_date: DATE, departure_time: '14:30', status: 'confirmed' });
    expect(await vacancies()).toEqual({ '09:30': 8, '12:00': 7, '14:30': 3 });
  });

  it('a booking moves to a departure of another date that also has several departures', async () => {
    await givenThreeTimes(NEXT_DATE);
    const { uuid } = await reserve('09:30');
    await confirm(uuid);
    const moved = await change(uuid, { availabilityId: await idAt('09:30', NEXT_DATE) });
    expect(timesOf([moved.availability])).toEqual([`${NEXT_DATE}T09:30`]);
  });

  it('a change of an OCTO booking without an availability id keeps its departure', async () => {
    const { uuid } = await reserve('12:00');
    const changed = await change(uuid, { unitItems: adults(3), productId: tour.id });
    expect(timesOf([changed.availability])).toEqual([`${DATE}T12:00`]);
    await confirm(uuid);
    expect(timesOf([(await change(uuid, { notes: 'Late' })).availability])).toEqual([`${DATE}T12:00`]);
    expect(await vacancies()).toEqual({ '09:30': 8, '12:00': 4, '14:30': 5 });
  });

  it('a booking does not move to a departure without enough seats', async () => {
    await reserve('14:30', { unitItems: adults(4) });
    const { uuid } = await reserve('09:30');
    const answer = await reseller.patch(`/octo/bookings/${uuid}`, { availabilityId: await idAt('14:30') });
    expectOctoError(answer, 400, 'UNPROCESSABLE_ENTITY');
    expect(await vacancies()).toEqual({ '09:30': 6, '12:00': 7, '14:30': 1 });
  });

  it('a change to a product with several departures on the date needs an availability id', async () => {
    const { uuid } = await reserve('09:30');
    const other = await givenTour(api.db);
    await givenTimes({ '10:00': {}, '16:00': {} }, DATE, other);
    const refused = await reseller.patch(`/octo/bookings/${uuid}`, { productId: other.id });
    expectOctoError(refused, 400, 'BAD_REQUEST');
    expect(refused.body.errorMessage).toBe(
      'availabilityId must name one of the departures of this date: 10:00, 16:00.',
    );
  });

  it('the list of bookings shows a booking with the start of its departure', async () => {
    const { uuid } = await reserve('14:30');
    const found: OctoBooking[] = expectOcto(
      await reseller.get(`/octo/bookings?localDate=${DATE}`),
      'bookings',
    );
    const listed = found.find((booking) => booking.uuid === uuid)!;
    expect(timesOf([listed.availability])).toEqual([`${DATE}T14:30`]);
  });

  it('a booking keeps its departure when the tour gets another start time', async () => {
    const { uuid } = await reserve('09:30');
    await setStartTime('11:00');
    const read: OctoBooking = expectOcto(await reseller.get(`/octo/bookings/${uuid}`), 'booking');
    expect(timesOf([read.availability])).toEqual([`${DATE}T09:30`]);
  });
});

describe('a departure whose start time changes while an OCTO request waits for its lock', () => {
  /** Sends the request while another transaction changes the start time of the departure. */
  async function duringChangeOfTime<T>(availabilityId: string, request: () => Promise<T>): Promise<T> {
    const trx = await api.db.transaction();
    await trx('departures').where({ id: availabilityId }).update({ start_time: '11:00' });
    const answer = request();
    await untilTransactionWaits(api.db);
    await trx.commit();
    return answer;
  }

  beforeEach(async () => {
    await givenThreeTimes();
    await givenTimes({ '10:00': {} }, NEXT_DATE);
  });

  it.each([
    ['a hold', async () => {}],
    ['a booking', confirm],
  ])(
    '%s moves to a departure by its id, even if the start time changes while the request waits for the lock',
    async (_, prepare) => {
      const { uuid } = await reserve('09:30');
      await prepare(uuid);
      const availabilityId = await idAt('10:00', NEXT_DATE);
      const moved = await duringChangeOfTime(availabilityId, async () => change(uuid, { availabilityId }));
      expect(moved.availabilityId).toBe(availabilityId);
      expect(timesOf([moved.availability])).toEqual([`${NEXT_DATE}T11:00`]);
    },
  );

  it('a departure is reserved by its id, even if its start time changes while the request waits for the lock', async () => {
    const availabilityId = await idAt('10:00', NEXT_DATE);
    const body = { productId: tour.id, ...OPTION, availabilityId, unitItems: adults(1) };
    const answer = await duringChangeOfTime(availabilityId, async () =>
      reseller.post('/octo/bookings', body),
    );
    expect(answer.body).toMatchObject({ status: 'ON_HOLD', availabilityId });
  });
});
