import type { Conformance } from '../octo/conformance-api';
import type { Website } from '../support/website';
import { type DocumentedOperation, OPERATIONS } from '../support/documented-operations';

/** The customer of the owner's hold and bookings. */
export const OWNERS_CUSTOMER = { name: 'Olga Owner', phone: '+49301234567', email: 'olga@owner.example' };

/**
 * Ids of the owner's data. Only the owner sees `tour`. All tenants see a second tour (`visibleSlug`), which has the hold and the
 * bookings.
 */
export interface Ids {
  tour: string;
  slug: string;
  departure: string;
  date: string;
  /** The start time of the departure. */
  time: string;
  visibleSlug: string;
  visibleDate: string;
  hold: string;
  booking: string;
  octo: string;
}

/** Creates a hold and bookings of the owner. */
export async function givenSales(owner: Website, tours: Conformance): Promise<Ids> {
  const { startTime: hidden, openingHours: visible } = tours;
  const { id: departure, date, time } = hidden.open[0]!;
  const seats = visible.open[0]!;
  const held = await owner.hold(visible.slug, {
    departure_date: seats.date,
    quantity: 2,
    customer: OWNERS_CUSTOMER,
  });
  const booked = await owner.book({ tour_id: visible.id, departure_date: seats.date, ...OWNERS_CUSTOMER });
  const reserved = await owner.post('/octo/bookings', {
    productId: visible.id,
    optionId: 'DEFAULT',
    availabilityId: seats.id,
    unitItems: [{ unitId: 'adult' }],
  });
  return {
    tour: hidden.id,
    slug: hidden.slug,
    departure,
    date,
    time: time!,
    visibleSlug: visible.slug,
    visibleDate: seats.date,
    hold: held.body.hold_id,
    booking: booked.body.booking_ref,
    octo: reserved.body.uuid,
  };
}

const NO_ID = '01234567-89ab-4cde-8f01-23456789abcd';

/** Replaces the ids by ids that do not exist. */
export function withUnknownIds(ids: Ids): Ids {
  return {
    ...ids,
    tour: NO_ID,
    slug: 'no-such-tour',
    departure: NO_ID,
    hold: NO_ID,
    booking: 'ZZZZ-999999999',
    octo: NO_ID,
  };
}

const octoProduct = ({ tour, date }: Ids) => ({
  productId: tour,
  optionId: 'DEFAULT',
  localDateStart: date,
  localDateEnd: date,
});

/** The bodies of each operation that takes one. */
export const CALL_BODIES: Record<string, ((ids: Ids) => object)[]> = {
  placeHold: [
    ({ date }) => ({ departure_date: date, quantity: 1 }),
    ({ date, time }) => ({ departure_date: date, departure_time: time, quantity: 1 }),
  ],
  changeHold: [() => ({ quantity: 1 }), ({ time }) => ({ departure_time: time })],
  extendHold: [() => ({ hold_minutes: 20 })],
  confirmBooking: [() => ({}), () => ({ despite_missing_answers: true })],
  createBooking: [
    ({ slug, date }) => ({ tour_id: slug, departure_date: date, ...OWNERS_CUSTOMER }),
    ({ visibleSlug, hold }) => ({ tour_id: visibleSlug, hold_id: hold, ...OWNERS_CUSTOMER }),
    ({ slug, date, time }) => ({
      tour_id: slug,
      departure_date: date,
      departure_time: time,
      ...OWNERS_CUSTOMER,
    }),
  ],
  changeBooking: [() => ({ adults: 2 }), ({ time }) => ({ departure_time: time })],
  cancelBooking: [() => ({})],
  octoReadCalendar: [octoProduct],
  octoCheckAvailability: [octoProduct],
  octoReserveBooking: [
    ({ tour, departure }) => ({
      productId: tour,
      optionId: 'DEFAULT',
      availabilityId: departure,
      unitItems: [{ unitId: 'adult' }],
    }),
  ],
  octoExtendBooking: [() => ({})],
  octoConfirmBooking: [() => ({})],
  octoUpdateBooking: [() => ({ notes: 'mine' })],
  octoDeleteBooking: [() => ({})],
  octoCancelBooking: [() => ({})],
  // Names no id, and is refused, so that it adds nothing. test/octo/isolation.long.test.ts has the ids of subscriptions.
  octoCreateSubscription: [
    () => ({ url: 'https://reseller.example:5432/', notificationTypes: ['PRODUCT_UPDATE'] }),
  ],
  octoChangeSubscription: [() => ({ headers: {} })],
};

type QueryOfCall = (ids: Ids) => Record<string, string>;

/** The queries of each operation that needs one. */
const CALL_QUERIES: Record<string, QueryOfCall[]> = {
  checkAvailability: [
    ({ date }) => ({ departure_date: date }),
    ({ date, time }) => ({ departure_date: date, departure_time: time }),
  ],
  octoListBookings: [({ visibleDate }) => ({ localDate: visibleDate })],
};

export interface IsolationCall {
  operation: DocumentedOperation;
  body?: (ids: Ids) => object;
  query?: QueryOfCall;
}

export const CALLS = OPERATIONS.filter(({ credential }) => credential !== 'none').flatMap(
  (operation): [title: string, call: IsolationCall][] => {
    const bodies = CALL_BODIES[operation.id] ?? [undefined];
    const queries = CALL_QUERIES[operation.id] ?? [undefined];
    const calls = bodies.flatMap((body) => queries.map((query) => ({ operation, body, query })));
    return calls.map((call, n): [string, IsolationCall] => [
      n === 0 ? operation.id : `${operation.id}, variant ${n + 1}`,
      call,
    ]);
  },
);

const namesIds = ({ operation, body }: IsolationCall) => operation.path.includes('{') || body !== undefined;
export const CALLS_WITH_IDS = CALLS.filter(([, call]) => namesIds(call));
export const LISTS = CALLS.filter(([, call]) => !namesIds(call));

interface CallRequest {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  query: Record<string, string>;
  body: object | undefined;
}

export function requestOfCall({ operation, body, query }: IsolationCall, ids: Ids): CallRequest {
  const values: Record<string, string> = {
    id_or_slug: ids.slug,
    id: ids.tour,
    hold_id: ids.hold,
    booking_ref: ids.booking,
    uuid: ids.octo,
  };
  return {
    method: operation.method.toLowerCase() as CallRequest['method'],
    path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!),
    query: query?.(ids) ?? {},
    body: body?.(ids),
  };
}
