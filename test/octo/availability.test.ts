import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { useConformance } from './conformance-api';
import { CONFORMANCE_SEATS as SEATS } from './conformance-tours';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const OPTION = { optionId: 'DEFAULT' };
const range = (from = 0, to = 30) => ({
  localDateStart: daysFromToday(from),
  localDateEnd: daysFromToday(to),
});
const calendar = (body: object, headers = {}) => reseller.post('/octo/availability/calendar', body, headers);
const check = (body: object, headers = {}) => reseller.post('/octo/availability', body, headers);
const PRICING = { 'octo-capabilities': 'pricing' };

/** Requests that both calls refuse in the same way. */
const BOTH = { 'the calendar': calendar, 'the check': check };

describe('POST /octo/availability/calendar', () => {
  it('POST /octo/availability/calendar answers a row for each day with a departure, including sold-out departures', async () => {
    const { id, open, soldOut } = tours.startTime;
    const rows = expectOcto(await calendar({ productId: id, ...OPTION, ...range() }), 'calendar');
    const free = {
      available: true,
      status: 'AVAILABLE',
      vacancies: SEATS,
      capacity: SEATS,
      openingHours: [],
    };
    const full = { available: false, status: 'SOLD_OUT', vacancies: 0, capacity: 9, openingHours: [] };
    const expected = [
      ...open.map(({ date }) => ({ localDate: date, ...free })),
      { localDate: soldOut.date, ...full },
    ];
    expect(rows).toEqual(expected.sort((a, b) => a.localDate.localeCompare(b.localDate)));
  });

  it('POST /octo/availability/calendar shows opening hours for a tour without a start time', async () => {
    const rows = await calendar({ productId: tours.openingHours.id, ...OPTION, ...range() });
    for (const { openingHours } of expectOcto(rows, 'calendar'))
      expect(openingHours).toEqual([{ from: '00:00', to: '23:59' }]);
  });

  it('POST /octo/availability/calendar adds the prices of the day with octo/pricing', async () => {
    const rows = await calendar({ productId: tours.startTime.id, ...OPTION, ...range() }, PRICING);
    expect(rows.headers['octo-capabilities']).toBe('octo/pricing');
    expect(expectOcto(rows, 'calendar')[0].unitPricingFrom).toEqual([
      price('adult', 4800),
      price('child', 2400),
    ]);
  });

  it('POST /octo/availability/calendar answers no rows for a range of 366 days without a departure', async () => {
    const { id } = await givenTour(api.db);
    expect(expectOcto(await calendar({ productId: id, ...OPTION, ...range(0, 365) }), 'calendar')).toEqual(
      [],
    );
  });

  it('POST /octo/availability/calendar refuses a range of 367 days', async () => {
    const { id } = tours.startTime;
    expectOctoError(await calendar({ productId: id, ...OPTION, ...range(0, 366) }), 400, 'BAD_REQUEST');
  });
});

describe('POST /octo/availability', () => {
  it('POST /octo/availability answers the departures of a range with local times, the end of sales and the most units', async () => {
    const { id, open } = tours.startTime;
    const rows = expectOcto(await check({ productId: id, ...OPTION, ...range() }), 'availability');
    expect(rows).toHaveLength(4);
    const [first] = open;
    expect(rows[0]).toEqual({
      id: first!.id,
      allDay: false,
      openingHours: [],
      maxUnits: 9,
      localDateTimeStart: expect.stringMatching(new RegExp(`^${first!.date}T09:30:00\\+0[12]:00$`)),
      localDateTimeEnd: expect.stringMatching(new RegExp(`^${first!.date}T23:59:59\\+0[12]:00$`)),
      available: true,
      status: 'AVAILABLE',
      vacancies: SEATS,
      capacity: SEATS,
      utcCutoffAt: expect.stringMatching(new RegExp(`^${first!.date}T0[78]:30:00Z$`)),
    });
  });

  it('POST /octo/availability answers a tour without a start time as open the whole day', async () => {
    const { id, open } = tours.openingHours;
    const body = { productId: id, ...OPTION, availabilityIds: [open[1]!.id] };
    expect(expectOcto(await check(body), 'availability')).toMatchObject([
      {
        id: open[1]!.id,
        allDay: true,
        openingHours: [{ from: '00:00', to: '23:59' }],
        localDateTimeStart: expect.stringContaining(`${open[1]!.date}T00:00:00+0`),
      },
    ]);
  });

  it('POST /octo/availability finds departures by id in any case, even beyond the longest range', async () => {
    const tour = await givenTour(api.db);
    const date = await givenDeparture(api.db, tour, { date: daysFromToday(500) });
    const { id } = await api.db('departures').where({ tour_id: tour.id }).first<{ id: string }>('id');
    const body = { productId: tour.id, ...OPTION, availabilityIds: [id.toUpperCase()] };
    const [found] = expectOcto(await check(body), 'availability');
    expect(found).toMatchObject({ id, localDateTimeStart: `${date}T00:00:00+00:00` });
  });

  it('POST /octo/availability keeps the offset of the tour’s time zone on both sides of a change of the clock', async () => {
    const tour = await givenTour(api.db, { timeZone: 'America/New_York', durationDays: 3 });
    await api.db('tours').where({ id: tour.id }).update({ start_time: '09:00' });
    await givenDeparture(api.db, tour, { date: '2031-03-08' });
    const body = { productId: tour.id, ...OPTION, localDateStart: '2031-03-01', localDateEnd: '2031-03-31' };
    expect(expectOcto(await check(body), 'availability')).toMatchObject([
      { localDateTimeStart: '2031-03-08T09:00:00-05:00', localDateTimeEnd: '2031-03-10T23:59:59-04:00' },
    ]);
  });

  it('POST /octo/availability shows LIMITED below half of the seats, and CLOSED for a cancelled or closed departure', async () => {
    const tour = await givenTour(api.db);
    const dates = [daysFromToday(5), daysFromToday(6), daysFromToday(7), daysFromToday(8)];
    await givenDeparture(api.db, tour, { date: dates[0], seats: 10 });
    await givenDeparture(api.db, tour, { date: dates[1], seats: 10 });
    await givenDeparture(api.db, tour, { date: dates[2], status: 'cancelled' });
    await givenDeparture(api.db, tour, { date: dates[3], closesAt: '2020-01-01T00:00:00Z' });
    await reseller.hold(tour, { departure_date: dates[0], quantity: 5 });
    await reseller.hold(tour, { departure_date: dates[1], quantity: 6 });
    const rows = expectOcto(await check({ productId: tour.id, ...OPTION, ...range() }), 'availability');
    expect(
      rows.map(({ status, vacancies, available }: Record<string, unknown>) => [status, vacancies, available]),
    ).toEqual([
      ['AVAILABLE', 5, true],
      ['LIMITED', 4, true],
      ['CLOSED', 0, false],
      ['CLOSED', 0, false],
    ]);
  });

  it('POST /octo/availability shows a departure as available only if it has seats and prices for the wanted units', async () => {
    const tour = await givenTour(api.db);
    await givenDeparture(api.db, tour, { date: daysFromToday(5), seats: 4 });
    await givenDeparture(api.db, tour, {
      date: daysFromToday(6),
      seats: 9,
      prices: { adult: 100, child: 50 },
    });
    const ask = async (...units: object[]) => {
      const rows = await check({ productId: tour.id, ...OPTION, ...range(), units });
      return expectOcto(rows, 'availability').map(({ available }: { available: boolean }) => available);
    };
    expect(await ask({ id: 'adult', quantity: 4 })).toEqual([true, true]);
    expect(await ask({ id: 'adult', quantity: 5 })).toEqual([false, true]);
    expect(await ask({ id: 'adult', quantity: 1 }, { id: 'child', quantity: 1 })).toEqual([false, true]);
    expect(await ask({ id: 'adult', quantity: 10 })).toEqual([false, false]);
    expect(await ask()).toEqual([true, true]);
  });

  it('POST /octo/availability adds the prices of each departure with octo/pricing', async () => {
    const body = { productId: tours.startTime.id, ...OPTION, ...range(), currency: 'EUR' };
    const [first] = expectOcto(await check(body, PRICING), 'availability');
    expect(first.unitPricing).toEqual([price('adult', 4800), price('child', 2400)]);
  });

  it('POST /octo/availability refuses a request with both a range and ids, and a request with neither', async () => {
    const { id, open } = tours.startTime;
    const ids = { availabilityIds: [open[0]!.id] };
    expectOctoError(await check({ productId: id, ...OPTION, ...range(), ...ids }), 400, 'BAD_REQUEST');
    expectOctoError(await check({ productId: id, ...OPTION }), 400, 'BAD_REQUEST');
    expectOctoError(await check({ productId: id, ...OPTION, availabilityIds: [] }), 400, 'BAD_REQUEST');
  });

  it('POST /octo/availability answers INVALID_AVAILABILITY_ID to an unknown id, and to the id of another tour', async () => {
    const { id, open } = tours.startTime;
    for (const availabilityId of [
      'x',
      '01234567-89ab-4cde-8f01-23456789abcd',
      tours.openingHours.open[0]!.id,
    ]) {
      const body = { productId: id, ...OPTION, availabilityIds: [open[0]!.id, availabilityId] };
      expectOctoError(await check(body), 400, 'INVALID_AVAILABILITY_ID', { availabilityId });
    }
  });
});

describe.each(Object.entries(BOTH))('%s', (_name, call) => {
  const body = (more: object = {}) => ({ productId: tours.startTime.id, ...OPTION, ...range(), ...more });

  it('the availability of OCTO answers INVALID_PRODUCT_ID, INVALID_OPTION_ID and INVALID_UNIT_ID to unknown ids', async () => {
    const productId = 'invalidProductId';
    expectOctoError(await call(body({ productId })), 400, 'INVALID_PRODUCT_ID', { productId });
    const optionId = 'invalidOptionId';
    expectOctoError(await call(body({ optionId })), 400, 'INVALID_OPTION_ID', { optionId });
    const units = [{ id: 'senior', quantity: 1 }];
    expectOctoError(await call(body({ units })), 400, 'INVALID_UNIT_ID', { unitId: 'senior' });
  });

  it.each([
    ['no start', { localDateStart: undefined }],
    ['no end', { localDateEnd: null }],
    ['a day that does not exist', { localDateEnd: '2031-02-30' }],
    ['an end before the start', { localDateEnd: '2020-01-01' }],
    ['a quantity that is no whole number', { units: [{ id: 'adult', quantity: 1.5 }] }],
    ['another currency than the tour’s', { currency: 'USD' }],
    ['a product id that is no text', { productId: 7 }],
  ])('the availability of OCTO answers BAD_REQUEST to %s', async (_fault, more) => {
    expectOctoError(await call(body(more)), 400, 'BAD_REQUEST');
  });

  it('the availability of OCTO ignores unknown fields', async () => {
    const more = { cart: true, units: [{ id: 'adult', quantity: 1, note: 'x' }] };
    expect((await call(body(more))).status).toBe(200);
  });
});

function price(unitId: string, amount: number) {
  const amounts = { original: amount, retail: amount, net: amount };
  return { unitId, ...amounts, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] };
}
