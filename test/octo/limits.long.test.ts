import { setTimeout as pause } from 'node:timers/promises';
import type { Response } from 'supertest';
import { openDatabase } from '../../services/platform/database/database';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import { createApp } from '../../services/api/app';
import supertest from 'supertest';
import { useTestApi } from '../support/api';
import { answerAfter } from '../support/lock-wait';
import {
  endHoldIn,
  givenSeats,
  givenWebsite,
  type PlacedSeats,
  seatsTakenByKind,
  type Website,
} from '../support/website';
import { adults, holdIdOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

async function reserve(
  site: Website,
  { tour, departureId }: Omit<PlacedSeats, 'date'>,
  count = 1,
): Promise<Response> {
  const body = {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureId,
    unitItems: adults(count),
  };
  return site.post('/octo/bookings', body);
}

const uuidOf = (answer: Response): string => expectOcto(answer, 'booking').uuid;

/** Returns the departure of the first open date. */
function conformanceSeats(): Omit<PlacedSeats, 'date'> {
  return { tour: tours.startTime, departureId: tours.startTime.open[0]!.id };
}

describe('a reservation', () => {
  it('OCTO refuses a reservation when the REST and OCTO holds of the tenant reach its maximum', async () => {
    const seats = await givenSeats(api.db);
    const modest = await givenWebsite(api, { maxHolds: 2 });
    const first = uuidOf(await reserve(modest, seats));
    await modest.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    expectOctoError(await reserve(modest, seats), 400, 'UNPROCESSABLE_ENTITY');
    await endHoldIn(api.db, await holdIdOf(api, first), -1);
    const second = uuidOf(await reserve(modest, seats));
    expectOctoError(await reserve(modest, seats), 400, 'UNPROCESSABLE_ENTITY');
    expectOcto(await modest.post(`/octo/bookings/${second}/cancel`, {}), 'booking');
    expectOcto(await reserve(modest, seats), 'booking');
  });

  it("OCTO refuses a reservation and a PATCH above the tenant's share of a departure", async () => {
    const seats = await givenSeats(api.db, { seats: 10 });
    const modest = await givenWebsite(api, { maxHoldShare: 30 });
    const uuid = uuidOf(await reserve(modest, seats, 2));
    expectOctoError(await reserve(modest, seats, 2), 400, 'UNPROCESSABLE_ENTITY');
    const change = async (count: number) =>
      modest.patch(`/octo/bookings/${uuid}`, { unitItems: adults(count) });
    expectOctoError(await change(4), 400, 'UNPROCESSABLE_ENTITY');
    expect(expectOcto(await change(3), 'booking').unitItems).toHaveLength(3);
    expect(expectOcto(await reserve(await givenWebsite(api), seats, 7), 'booking').unitItems).toHaveLength(7);
  });
});

describe('a confirmation', () => {
  it('a confirmation succeeds at the limits of unpaid bookings and of the share, because it leaves nothing unpaid', async () => {
    const seats = await givenSeats(api.db, { seats: 10 });
    const modest = await givenWebsite(api, { maxUnpaid: 1, maxHoldShare: 30 });
    await modest.book({ tour_id: seats.tour.id, departure_date: seats.date });
    const refused = await modest.book({ tour_id: seats.tour.id, departure_date: seats.date });
    expect(refused.body.code).toBe('hold_limit_reached');
    const uuid = uuidOf(await reserve(modest, seats, 2));
    const confirm = { contact: { fullName: 'Ana Lima' }, unitItems: adults(4) };
    const confirmed = await modest.post(`/octo/bookings/${uuid}/confirm`, confirm);
    expect(expectOcto(confirmed, 'booking')).toMatchObject({ status: 'CONFIRMED', unitItems: adults(4) });
    // The unpaid booking still counts.
    expectOctoError(await reserve(modest, seats, 3), 400, 'UNPROCESSABLE_ENTITY');
    expectOcto(await reserve(modest, seats, 2), 'booking');
  });
});

describe('a sandbox key', () => {
  it('a sandbox key reserves and confirms sandbox seats only', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const sandbox = await givenWebsite(api, { sandbox: true });
    const uuid = uuidOf(await reserve(sandbox, seats, 3));
    const confirmed = await sandbox.post(`/octo/bookings/${uuid}/confirm`, {
      contact: { fullName: 'Ana Lima' },
    });
    expect(expectOcto(confirmed, 'booking')).toMatchObject({ testMode: true, status: 'CONFIRMED' });
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 0, sandbox: 3 });
    const body = {
      productId: seats.tour.id,
      optionId: 'DEFAULT',
      localDateStart: seats.date,
      localDateEnd: seats.date,
    };
    const vacancies = async (site: Website) =>
      expectOcto(await site.post('/octo/availability', body), 'availability')[0].vacancies;
    expect([await vacancies(sandbox), await vacancies(reseller)]).toEqual([0, 3]);
    expectOctoError(await reserve(sandbox, seats), 400, 'UNPROCESSABLE_ENTITY');
    expect(expectOcto(await reserve(reseller, seats, 3), 'booking').testMode).toBe(false);
  });

  it('a sandbox key lists only its own test bookings, and does not find a live booking', async () => {
    const sandbox = await givenWebsite(api, { sandbox: true });
    const seats = await givenSeats(api.db);
    const uuids = [uuidOf(await reserve(sandbox, seats)), uuidOf(await reserve(reseller, seats))];
    const list = async (site: Website) =>
      expectOcto(await site.get(`/octo/bookings?localDate=${seats.date}`), 'bookings').map(
        ({ uuid, testMode }: { uuid: string; testMode: boolean }) => [uuid, testMode],
      );
    expect(await list(sandbox)).toEqual([[uuids[0], true]]);
    expect(await list(reseller)).toContainEqual([uuids[1], false]);
    expectOctoError(await sandbox.get(`/octo/bookings/${uuids[1]}`), 400, 'INVALID_BOOKING_UUID', {
      uuid: uuids[1],
    });
  });
});

describe('an answer of 503', () => {
  it('OCTO answers DEPARTURE_BUSY with Retry-After while the departure stays locked for two seconds', async () => {
    const seats = await givenSeats(api.db);
    const uuid = uuidOf(await reserve(reseller, seats));
    const calls = [
      () => reserve(reseller, seats),
      () => reseller.patch(`/octo/bookings/${uuid}`, { notes: 'Late' }),
      () => reseller.post(`/octo/bookings/${uuid}/confirm`, {}),
    ];
    let answers: Response[] | undefined;
    const all = async () => {
      answers = await Promise.all(calls.map((call) => call()));
      return answers[0]!;
    };
    await answerAfter(api.db, seats, all, async () => {
      while (!answers) await pause(20);
    });
    for (const answer of answers!) {
      expectOctoError(answer, 503, 'DEPARTURE_BUSY');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(expectOcto(await reseller.get(`/octo/bookings/${uuid}`), 'booking').notes).toBeNull();
  }, 20_000);

  it('OCTO answers OVERLOADED with Retry-After while all connections for reads are in use', async () => {
    const busy = openDatabase(api.database.url, { applicationName: 'busy', poolMax: 1 });
    const { reads } = api.context;
    api.context.reads = busy;
    const held = await busy.transaction();
    // The default of the pool is five seconds.
    busy.client.pool.acquireTimeoutMillis = 50;
    const answer = await reseller.get('/octo/products');
    await held.rollback();
    api.context.reads = reads;
    await busy.destroy();
    expectOctoError(answer, 503, 'OVERLOADED');
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('OCTO answers SHUTTING_DOWN while the instance stops', async () => {
    const shedder = createLoadShedder();
    const app = createApp(api.context, shedder);
    shedder.shutDown();
    const answer = await supertest(app).get('/octo/products').set({ authorization: reseller.authorization });
    shedder.stop();
    expectOctoError(answer, 503, 'SHUTTING_DOWN');
  });
});

describe('a booking of OCTO that REST changes', () => {
  const read = async (uuid: string) => expectOcto(await reseller.get(`/octo/bookings/${uuid}`), 'booking');

  it('a booking whose hold REST released has the status CANCELLED and refuses every later write', async () => {
    const uuid = uuidOf(await reserve(reseller, conformanceSeats()));
    expect((await reseller.delete(`/api/gateway/holds/${await holdIdOf(api, uuid)}`)).status).toBeLessThan(
      300,
    );
    const booking = await read(uuid);
    expect(booking).toMatchObject({
      status: 'CANCELLED',
      utcExpiresAt: null,
      cancellable: false,
      supplierReference: null,
      cancellation: { refund: 'NONE', reason: null, utcCancelledAt: expect.any(String) },
      unitItems: [{ status: 'CANCELLED' }],
    });
    for (const call of ['extend', 'confirm']) {
      const answer = await reseller.post(`/octo/bookings/${uuid}/${call}`, {});
      expectOctoError(answer, 400, 'INVALID_BOOKING_UUID', { uuid });
    }
    const change = await reseller.patch(`/octo/bookings/${uuid}`, { unitItems: adults(2) });
    expectOctoError(change, 400, 'UNPROCESSABLE_ENTITY');
  });

  it('a booking has the status EXPIRED from the end of its hold', async () => {
    const uuid = uuidOf(await reserve(reseller, conformanceSeats()));
    await endHoldIn(api.db, await holdIdOf(api, uuid), -1);
    const booking = await read(uuid);
    expect(booking).toMatchObject({ status: 'EXPIRED', cancellable: false, cancellation: { reason: null } });
    expect(booking.cancellation.utcCancelledAt).toBe(booking.utcExpiresAt);
  });

  it.each<[string, (uuid: string, ref: string) => Promise<Response>]>([
    ['REST', (_uuid, ref) => reseller.post(`/api/tenant/bookings/${ref}/confirm`, {})],
    ['OCTO', (uuid) => reseller.post(`/octo/bookings/${uuid}/confirm`, {})],
  ])(
    'a booking has the status PENDING while its lead is unpaid, and CONFIRMED after %s confirms it',
    async (_by, confirm) => {
      const uuid = uuidOf(await reserve(reseller, conformanceSeats()));
      const hold_id = await holdIdOf(api, uuid);
      const { body } = await reseller.book({ tour_id: tours.startTime.id, hold_id, adults: 1 });
      const pending = await read(uuid);
      expect(pending).toMatchObject({ status: 'PENDING', supplierReference: body.booking_ref });
      expect([pending.utcConfirmedAt, pending.cancellable]).toEqual([null, true]);
      expect((await confirm(uuid, body.booking_ref)).status).toBe(200);
      const confirmed = await read(uuid);
      expect(confirmed).toMatchObject({ status: 'CONFIRMED', supplierReference: body.booking_ref });
      expect(confirmed.utcExpiresAt).toBeNull();
    },
  );

  it('a booking whose lead REST cancelled has the status CANCELLED and the reason', async () => {
    const uuid = uuidOf(await reserve(reseller, conformanceSeats()));
    const { body } = await reseller.post(`/octo/bookings/${uuid}/confirm`, {});
    await reseller.post(`/api/tenant/bookings/${body.supplierReference}/cancel`, { reason: 'Storm' });
    expect(await read(uuid)).toMatchObject({
      status: 'CANCELLED',
      utcExpiresAt: null,
      cancellation: { refund: 'NONE', reason: 'Storm' },
    });
  });

  it('the list of OCTO bookings finds a booking by the date to which REST has moved it', async () => {
    const site = await givenWebsite(api);
    const [held, sold] = [
      uuidOf(await reserve(site, conformanceSeats())),
      uuidOf(await reserve(site, conformanceSeats())),
    ];
    const { body } = await site.post(`/octo/bookings/${sold}/confirm`, {});
    const [before, after] = tours.startTime.open;
    const list = async (date: string) =>
      expectOcto(await site.get(`/octo/bookings?localDate=${date}`), 'bookings').map(
        ({ uuid }: { uuid: string }) => uuid,
      );
    expect(await list(before!.date)).toEqual([sold, held]);
    const move = { departure_date: after!.date };
    expect((await site.patch(`/api/gateway/holds/${await holdIdOf(api, held)}`, move)).status).toBe(200);
    expect((await site.patch(`/api/tenant/bookings/${body.supplierReference}`, move)).status).toBe(200);
    expect([await list(before!.date), await list(after!.date)]).toEqual([[], [sold, held]]);
  });
});
