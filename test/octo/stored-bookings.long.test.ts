import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { findTenantForChange, updateTenant } from '../../services/api/tenants/manage-tenants';
import { inTransaction } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { givenVisibilityRule } from '../support/given';
import { givenSeats, givenWebsite, type PlacedSeats, type Website } from '../support/website';

/**
 * The catalog changes after a reservation. Each request about the stored hold or booking gets the answer that is right after the change,
 * by OCTO and by REST.
 */

const api = useTestApi();

const EUR = { code: 'EUR', digits: 2 };
const USD = { code: 'USD', digits: 2 };
const PRICES = { adult: 4800, child: 2400 };
/** A party of three. The tour has one departure. */
const ADULT = { unitId: 'adult', contact: { fullName: 'Ana Lima' } };
const CHILD = { unitId: 'child', contact: { fullName: 'Leo Lima' } };
const FAMILY = [ADULT, ADULT, CHILD];
const PRICING = { 'octo-capabilities': 'octo/pricing' };

/** A tenant that sells tours in USD for EUR, and its tour. */
interface Shop {
  site: Website;
  seats: PlacedSeats;
}

async function givenShop(): Promise<Shop> {
  await inTransaction(api.db, (trx) =>
    setExchangeRates(trx, { rates: [{ currency: 'USD', unitsPerEur: '1.25' }] }),
  );
  const site = await givenWebsite(api, { sellIn: EUR });
  const seats = await givenSeats(api.db, { seats: 500, prices: PRICES });
  await changeTour(seats, { currency: 'USD', group_size_max: 9 });
  return { site, seats };
}

const changeTour = ({ tour }: PlacedSeats, columns: object) =>
  api.db('tours').where({ id: tour.id }).update(columns);
const changeDeparture = ({ departureId }: PlacedSeats, columns: object) =>
  api.db('departures').where({ id: departureId }).update(columns);

/** The ways in which the catalog changes. */
const CHANGES = {
  'nothing changes': async () => {},
  'no departure has a price for a child': ({ seats }) =>
    changeDeparture(seats, { prices_minor: JSON.stringify({ adult: PRICES.adult }) }),
  'the only departure is closed': ({ seats }) =>
    changeDeparture(seats, { closes_at: new Date(Date.now() - 1000) }),
  'the only departure is cancelled': ({ seats }) => changeDeparture(seats, { status: 'cancelled' }),
  'the tour is archived': ({ seats }) => changeTour(seats, { status: 'archived' }),
  'the tour is hidden': ({ site, seats }) => givenVisibilityRule(api.db, site, seats.tour, false),
  'the exchange rate is removed': () => api.db('exchange_rates').where({ currency: 'USD' }).delete(),
  'the tenant sells in another currency': ({ site }) =>
    inTransaction(api.db, async (trx) =>
      updateTenant(trx, await findTenantForChange(trx, site.tenant.slug), { sellIn: USD }),
    ),
  'the group size falls below the party': ({ seats }) => changeTour(seats, { group_size_max: 2 }),
  'the start time changes': ({ seats }) => changeTour(seats, { start_time: '07:15' }),
} satisfies Record<string, (shop: Shop) => Promise<unknown>>;

/** A hold or booking that OCTO or REST has made before the change. */
interface Stored {
  site: Website;
  uuid: string;
  /** The body of the reservation. */
  reservation: object;
  holdId: string;
  bookingRef: string;
  tourId: string;
  departureId: string;
}

type Requests = Record<string, (stored: Stored) => Promise<Response>>;

const patchOcto =
  (unitItems: object[]) =>
  ({ site, uuid }: Stored) =>
    site.patch(`/octo/bookings/${uuid}`, { unitItems }, PRICING);
const readOcto = async ({ site, uuid }: Stored) => site.get(`/octo/bookings/${uuid}`).set(PRICING);
const listOcto = async ({ site, uuid }: Stored) => {
  const answer = await site.get(`/octo/bookings?resellerReference=${uuid}`).set(PRICING);
  expect(answer.body).toHaveLength(1);
  return answer;
};
const echoOcto = ({ site, uuid, tourId, departureId }: Stored) => {
  const place = { productId: tourId, optionId: 'DEFAULT', availabilityId: departureId, currency: 'EUR' };
  return site.patch(`/octo/bookings/${uuid}`, { ...place, unitItems: FAMILY }, PRICING);
};
const confirmOcto = ({ site, uuid }: Stored) =>
  site.post(`/octo/bookings/${uuid}/confirm`, { unitItems: FAMILY, currency: 'EUR' }, PRICING);
const cancelOcto = ({ site, uuid }: Stored) => site.post(`/octo/bookings/${uuid}/cancel`, {}, PRICING);
const repeatOcto = ({ site, reservation }: Stored) => site.post('/octo/bookings', reservation, PRICING);

/** The requests about a reservation and about a booking of OCTO, and their twins of REST. */
const REQUESTS = {
  'OCTO hold': {
    read: readOcto,
    list: listOcto,
    extend: ({ site, uuid }) => site.post(`/octo/bookings/${uuid}/extend`, {}, PRICING),
    'name the guests': patchOcto(FAMILY),
    'send all fields again': echoOcto,
    shrink: patchOcto([ADULT, CHILD]),
    grow: patchOcto([...FAMILY, CHILD]),
    confirm: confirmOcto,
    cancel: cancelOcto,
    repeat: repeatOcto,
  },
  'OCTO booking': {
    read: readOcto,
    list: listOcto,
    'name the guests': patchOcto(FAMILY),
    'send all fields again': echoOcto,
    shrink: patchOcto([ADULT, CHILD]),
    grow: patchOcto([...FAMILY, CHILD]),
    confirm: confirmOcto,
    cancel: cancelOcto,
    repeat: repeatOcto,
  },
  'REST hold': {
    read: async ({ site, holdId }) => site.get(`/api/gateway/holds/${holdId}`),
    list: async ({ site, uuid }) => site.get(`/api/gateway/holds?external_ref=${uuid}`),
    extend: ({ site, holdId }) => site.post(`/api/gateway/holds/${holdId}/extend`, { hold_minutes: 20 }),
    'name the guests': ({ site, holdId }) =>
      site.patch(`/api/gateway/holds/${holdId}`, { customer: { name: 'Ana Lima' } }),
    shrink: ({ site, holdId }) => site.patch(`/api/gateway/holds/${holdId}`, { adults: 1 }),
    grow: ({ site, holdId }) => site.patch(`/api/gateway/holds/${holdId}`, { children: 2 }),
    confirm: ({ site, holdId, tourId }) =>
      site.book({ tour_id: tourId, hold_id: holdId, adults: 2, children: 1 }),
    cancel: ({ site, holdId }) => site.delete(`/api/gateway/holds/${holdId}`),
  },
  'REST booking': {
    read: async ({ site, bookingRef }) => site.get(`/api/tenant/bookings/${bookingRef}`),
    list: async ({ site, uuid }) => site.get(`/api/tenant/bookings?external_ref=${uuid}`),
    'name the guests': ({ site, bookingRef }) =>
      site.patch(`/api/tenant/bookings/${bookingRef}`, {
        travellers: [{ category: 'child', first_name: 'Leo', last_name: 'Lima' }],
      }),
    shrink: ({ site, bookingRef }) => site.patch(`/api/tenant/bookings/${bookingRef}`, { adults: 1 }),
    grow: ({ site, bookingRef }) => site.patch(`/api/tenant/bookings/${bookingRef}`, { children: 2 }),
    confirm: ({ site, bookingRef }) => site.post(`/api/tenant/bookings/${bookingRef}/confirm`),
    cancel: ({ site, bookingRef }) => site.post(`/api/tenant/bookings/${bookingRef}/cancel`, {}),
  },
} satisfies Record<string, Requests>;

type Kind = keyof typeof REQUESTS;

async function store(kind: Kind, { site, seats }: Shop): Promise<Stored> {
  const { tour, departureId, date } = seats;
  const uuid = randomUUID();
  const named = { site, uuid, tourId: tour.id, departureId };
  const reservation = {
    uuid,
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureId,
    unitItems: FAMILY,
    currency: 'EUR',
    resellerReference: uuid,
  };
  if (kind.startsWith('OCTO')) {
    expectOk(await site.post('/octo/bookings', reservation));
    return { ...named, reservation, holdId: '', bookingRef: '' };
  }
  const placed = { departure_date: date, external_ref: uuid };
  const made =
    kind === 'REST hold'
      ? await site.hold(tour, { ...placed, quantity: 3, children: 1 })
      : await site.book({ ...placed, tour_id: tour.id, adults: 2, children: 1 });
  expectOk(made);
  return { ...named, reservation, holdId: made.body.hold_id, bookingRef: made.body.booking_ref };
}

/** The requests that are refused after a change, and their errors. All others succeed. */
const REFUSED: Partial<Record<keyof typeof CHANGES, Partial<Record<Kind, Record<string, string>>>>> = {
  'the only departure is closed': {
    'OCTO hold': {
      extend: 'UNPROCESSABLE_ENTITY',
      grow: 'UNPROCESSABLE_ENTITY',
      confirm: 'UNPROCESSABLE_ENTITY',
    },
    'OCTO booking': { grow: 'UNPROCESSABLE_ENTITY' },
    'REST hold': { extend: 'departure_gone', grow: 'departure_gone', confirm: 'departure_gone' },
    'REST booking': { grow: 'departure_gone' },
  },
  'the only departure is cancelled': {
    'OCTO hold': {
      extend: 'UNPROCESSABLE_ENTITY',
      grow: 'UNPROCESSABLE_ENTITY',
      confirm: 'UNPROCESSABLE_ENTITY',
    },
    'OCTO booking': { grow: 'UNPROCESSABLE_ENTITY' },
    'REST hold': {
      extend: 'departure_cancelled',
      grow: 'departure_cancelled',
      confirm: 'departure_cancelled',
    },
    'REST booking': { grow: 'departure_cancelled', confirm: 'departure_cancelled' },
  },
  'the tour is archived': {
    'OCTO hold': { extend: 'INVALID_PRODUCT_ID', grow: 'INVALID_PRODUCT_ID', confirm: 'INVALID_PRODUCT_ID' },
    'OCTO booking': { grow: 'INVALID_PRODUCT_ID' },
    'REST hold': { extend: 'tour_not_found', grow: 'tour_not_found', confirm: 'tour_not_found' },
    'REST booking': { grow: 'tour_not_found' },
  },
  'the tour is hidden': {
    'OCTO hold': { extend: 'INVALID_PRODUCT_ID', grow: 'INVALID_PRODUCT_ID', confirm: 'INVALID_PRODUCT_ID' },
    'OCTO booking': { grow: 'INVALID_PRODUCT_ID' },
    'REST hold': { extend: 'tour_not_found', grow: 'tour_not_found', confirm: 'tour_not_found' },
    'REST booking': { grow: 'tour_not_found' },
  },
  'the group size falls below the party': {
    'OCTO hold': { grow: 'UNPROCESSABLE_ENTITY' },
    'OCTO booking': { grow: 'UNPROCESSABLE_ENTITY' },
  },
};

function expectOk(answer: Response): void {
  expect(outcomeOf(answer)).toBe('ok');
}

/** Returns `ok`, or the error of the answer. */
function outcomeOf({ status, body }: Response): string {
  return status < 300 ? 'ok' : ((body.error ?? body.code) as string);
}

/** The unit prices that OCTO and REST show, in minor units of EUR. The platform's prices are in USD. */
const LOCKED = { adult: 3840, child: 1920 };

/** Checks that the answer shows the locked prices, in the locked currency, and has a unit for each unit item. */
function expectLockedPrices({ body }: Response): void {
  const [booking] = [body].flat();
  if (booking.unitItems) {
    const [option] = booking.product.options;
    const units = option.units.map(({ id, pricing }: { id: string; pricing: object[] }) => [id, pricing]);
    const pricing = (unit: 'adult' | 'child') => [
      expect.objectContaining({ retail: LOCKED[unit], net: LOCKED[unit], currency: 'EUR' }),
    ];
    expect(units).toEqual([
      ['adult', pricing('adult')],
      ['child', pricing('child')],
    ]);
    expect(booking.product).toMatchObject({ defaultCurrency: 'EUR', availableCurrencies: ['EUR'] });
    for (const item of booking.unitItems)
      expect(item.pricing).toMatchObject({
        retail: LOCKED[item.unitId as 'adult' | 'child'],
        currency: 'EUR',
      });
  } else if (booking.prices) {
    expect(booking).toMatchObject({ currency: 'EUR', prices: { adult: 38.4, child: 19.2 } });
  } else if (booking.total_price) {
    expect(booking.total_price).toBeCloseTo(booking.adults * 38.4 + booking.children * 19.2, 2);
    expect(booking.currency).toBe('EUR');
  }
}

describe.each(Object.keys(CHANGES) as (keyof typeof CHANGES)[])('a stored booking after %s', (change) => {
  it.each(Object.keys(REQUESTS) as Kind[])(
    'each request about an %s is judged by what the booking has',
    async (kind) => {
      const shop = await givenShop();
      const requests: [string, (stored: Stored) => Promise<Response>][] = Object.entries(REQUESTS[kind]);
      const stored = await Promise.all(requests.map(() => store(kind, shop)));
      if (kind === 'OCTO booking') for (const one of stored) expectOk(await confirmOcto(one));
      await CHANGES[change](shop);
      const outcomes: Record<string, string> = {};
      for (const [index, [name, send]] of requests.entries()) {
        const answer = await send(stored[index]!);
        outcomes[name] = outcomeOf(answer);
        if (answer.status === 200) expectLockedPrices(answer);
      }
      const refused = REFUSED[change]?.[kind] ?? {};
      expect(outcomes).toEqual(Object.fromEntries(requests.map(([name]) => [name, refused[name] ?? 'ok'])));
    },
  );
});
