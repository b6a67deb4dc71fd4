import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { type ChangedDate, datesOfBothKinds } from '../../services/api/seats/after-commit';
import { useTestApi } from '../support/api';
import { unique } from '../support/given';
import { sweep } from '../support/sweep';
import { endPaymentWindow, givenWebsite, useWebsite } from '../support/website';
import {
  book,
  explainUnlistedWrites,
  type Given,
  givenForWrites,
  hold,
  ofBooking,
  ofHold,
  ofReservation,
  OTHER_WRITES,
  type Prepare,
  reserve,
  SEAT_CHANGES,
} from '../support/writing-requests';

/** Every change of seats notifies the listeners of AfterCommit which dates changed, whatever route it comes from. */
const api = useTestApi();
const site = useWebsite(api);
const sandboxSite = useWebsite(api, { sandbox: true });

/** The calls of a listener. */
let told: ChangedDate[][] = [];
beforeAll(() => api.context.changes.afterCommit.add(async (changed) => void told.push(changed)));

/** Prepares a request of the route whose departure is cancelled meanwhile. */
function onCancelledDeparture(route: string): Prepare {
  return async (given) => {
    const send = await SEAT_CHANGES[route]!(given);
    await api.db('departures').where({ tour_id: given.tour.id }).update({ status: 'cancelled' });
    return send;
  };
}

/** A refused request of each route that a cancelled departure does not refuse. */
const REFUSED: Record<string, Prepare> = {
  'DELETE /api/gateway/holds/{hold_id}': ofHold(async (given, path) => {
    await book(given, {}, { hold_id: path.split('/').at(-1) });
    told = [];
    return given.site.delete(path);
  }),
  'POST /api/tenant/bookings/{booking_ref}/cancel': ofBooking(async ({ site }, path) => {
    await endPaymentWindow(api.db, path.split('/').at(-1)!);
    await sweep(api.db);
    return site.post(`${path}/cancel`, {});
  }),
  'DELETE /octo/bookings/{uuid}':
    async ({ site }) =>
    async () =>
      site.delete(`/octo/bookings/${randomUUID()}`),
  'POST /octo/bookings/{uuid}/cancel':
    async ({ site }) =>
    async () =>
      site.post(`/octo/bookings/${randomUUID()}/cancel`, {}),
};

/** A request of each route that changes nothing, if a repeat of its request may change something. */
const UNCHANGED: Record<string, Prepare> = {
  'POST /api/gateway/holds/{hold_id}/extend': ofHold(({ site }, path) =>
    site.post(`${path}/extend`, { hold_minutes: 1 }),
  ),
  'POST /octo/bookings/{uuid}/extend': ofReservation(({ site }, path) =>
    site.post(`${path}/extend`, { expirationMinutes: 1 }),
  ),
  'POST /octo/bookings': async (given) => {
    const more = { uuid: randomUUID() };
    await reserve(given, {}, more);
    return (headers) => reserve(given, headers, more);
  },
};

/** The routes whose repeat without an Idempotency-Key creates another hold or booking. */
const CREATE_AGAIN = ['POST /api/gateway/tours/{id_or_slug}/hold', 'POST /api/tenant/bookings'];

/** The route that takes no Idempotency-Key. */
const WITHOUT_KEY = 'DELETE /api/gateway/holds/{hold_id}';

/** Returns the dates that the listeners are told: a PATCH changes two. */
function datesOf(route: string, { date, other }: Given): string[] {
  return route.startsWith('PATCH ') ? [date, other.date] : [date];
}

/** Sends the request. @returns its answer, and the different dates of each call of the listener meanwhile */
async function tellingOf(send: () => Promise<Response>) {
  told = [];
  const answer = await send();
  const dates = told.map((changed) =>
    [...new Set(changed.map((one) => JSON.stringify(one)))].sort().map((one) => JSON.parse(one)),
  );
  return { answer, told: dates };
}

const changes = Object.keys(SEAT_CHANGES);

describe.each([
  ['a real tenant', site],
  ['a sandbox tenant', sandboxSite],
])('a change of seats of %s', (_title, seller) => {
  it.each(changes)('%s tells its dates once, and not again when it is replayed', async (route) => {
    const given = await givenForWrites(api, seller);
    const { sandbox } = seller.tenant;
    const send = await SEAT_CHANGES[route]!(given);
    const headers = { 'idempotency-key': unique() };
    const { answer, told: first } = await tellingOf(() => send(headers));
    expect(answer.status).toBeLessThan(300);
    expect(first).toEqual([datesOf(route, given).map((date) => ({ tourId: given.tour.id, date, sandbox }))]);
    const repeated = await tellingOf(() => send(headers));
    const isReplay = repeated.answer.headers['idempotent-replayed'] === 'true';
    expect([isReplay, repeated.told]).toEqual([route !== WITHOUT_KEY, []]);
  });
});

describe('a request that changes no seats', () => {
  it.each(changes)('%s tells no dates when it is refused', async (route) => {
    const send = await (REFUSED[route] ?? onCancelledDeparture(route))(await givenForWrites(api, site));
    const { answer, told: dates } = await tellingOf(send);
    expect([Math.floor(answer.status / 100), dates]).toEqual([4, []]);
  });

  it.each(changes.filter((route) => !CREATE_AGAIN.includes(route)))(
    '%s tells no dates when it changes nothing',
    async (route) => {
      const send = await (UNCHANGED[route] ?? SEAT_CHANGES[route]!)(await givenForWrites(api, site));
      if (!UNCHANGED[route]) await send();
      const { answer, told: dates } = await tellingOf(send);
      expect([Math.floor(answer.status / 100), dates]).toEqual([2, []]);
    },
  );

  it.each(Object.entries(OTHER_WRITES))(
    '%s tells no dates, because it changes no seats',
    async (_, prepare) => {
      const { answer, told: dates } = await tellingOf(
        await prepare(await givenForWrites(api, await givenWebsite(api))),
      );
      expect([Math.floor(answer.status / 100), dates]).toEqual([2, []]);
    },
  );
});

describe('a booking or a batch of holds', () => {
  it('a booking that consumes a hold tells its date, and a booking without a date tells none', async () => {
    const given = await givenForWrites(api, site);
    const { hold_id } = (await hold(given)).body;
    expect((await tellingOf(() => book(given, {}, { hold_id }))).told).toEqual([[dateOf(given)]]);
    expect((await tellingOf(() => book(given, {}, { departure_date: undefined }))).told).toEqual([]);
  });

  it('a refused booking tells the dates of its departure, if it finds an expired booking there', async () => {
    const given = await givenForWrites(api, site);
    await endPaymentWindow(api.db, (await book(given)).body.booking_ref);
    await api.db('departures').where({ tour_id: given.tour.id }).update({ status: 'cancelled' });
    const { answer, told: dates } = await tellingOf(() => book(given));
    expect([answer.body.code, dates]).toEqual([
      'departure_cancelled',
      [datesOfBothKinds(given.tour.id, given.date)],
    ]);
    expect((await tellingOf(() => book(given))).told).toEqual([]);
  });

  it('each of the holds that one transaction writes tells its date', async () => {
    const given = await givenForWrites(api, site);
    const send = async () => (await Promise.all(Array.from({ length: 8 }, () => hold(given))))[0]!;
    expect((await tellingOf(send)).told).toEqual(Array(8).fill([dateOf(given)]));
  });
});

function dateOf({ tour, date }: Given): ChangedDate {
  return { tourId: tour.id, date, sandbox: false };
}

it('each route that may write is listed with a request', () => {
  expect(explainUnlistedWrites()).toEqual([]);
});
