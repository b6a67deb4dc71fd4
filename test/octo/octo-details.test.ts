import { randomBytes, randomUUID } from 'node:crypto';
import { getVisibleTour } from '../../services/api/catalog/find-tour';
import { createBooking } from '../../services/api/seats/changes/create-booking';
import { sellerWithoutKey } from '../../services/api/seats/seat-change';
import type { BookingLead } from '../../services/api/bookings/booking-lead';
import type { NewOctoDetails } from '../../services/api/holds/octo-booking';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { claimKeyElsewhere, untilItMeetsKey } from '../support/claimed-key';
import { bookingRequest, holdRequest, holdSaleOf } from '../support/sell';
import { givenSeats, givenWebsite, type Seats, seatsTaken, type Website } from '../support/website';

const api = useTestApi();
const terminal = useTerminalOf(api);

function somebody() {
  const mark = randomBytes(4).toString('hex');
  return { mark, name: `Xaver Quill${mark}` };
}

function detailsOf(mark: string, uuid: string = randomUUID()): NewOctoDetails {
  return {
    uuid,
    fingerprint: Buffer.alloc(32, 7),
    contact: { fullName: null, firstName: 'Xaver', lastName: `Quill${mark}`, notes: `Quill${mark} is vegan` },
    unitItems: [
      {
        uuid: randomUUID(),
        unitId: 'adult',
        resellerReference: `xaver-quill${mark}-1`,
        contact: { fullName: `Yara Quill${mark}`, emailAddress: `yara.${mark}@example.com` },
      },
    ],
    notes: `Quill${mark} comes late`,
    pickup: null,
  };
}

/** Places a hold as OCTO does, through the queue that also creates the holds of REST. */
async function hold(
  { tenant }: Website,
  { tour, date }: Seats,
  octo: NewOctoDetails,
  name: string | null = null,
): Promise<SeatHold> {
  const visible = await getVisibleTour(api.db, tenant, tour.id);
  const request = holdRequest(date, {
    customer: { name, phone: null, email: null },
    octo,
    externalRef: `ref-${octo.uuid}`,
  });
  const sale = await holdSaleOf(api.db, tenant, visible, request);
  return (await api.context.changes.commit(sale)) as SeatHold;
}

/** Makes the booking of a hold as OCTO does. */
async function book({ tenant }: Website, hold: SeatHold): Promise<BookingLead> {
  const { customer, id } = hold;
  const tour = { ...hold.tour, categories: hold.categories };
  const request = bookingRequest({ holdId: id, customer, source: 'octo' });
  const sale = await createBooking(api.db, sellerWithoutKey(tenant), tour, request);
  return (await api.context.changes.commit(sale)) as BookingLead;
}

async function tracesOf(mark: string): Promise<string[]> {
  const tables = ['octo_bookings', 'seat_holds', 'booking_leads', 'webhook_events', 'audit_log'];
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await api.db.raw(`select from ${table} t where row_to_json(t)::text ~* ?`, [mark]);
      return rows.length > 0 ? [table] : [];
    }),
  );
  return found.flat();
}

describe('the details of an OCTO booking', () => {
  it('a hold keeps the details of its OCTO booking, and REST reads the hold', async () => {
    const site = await givenWebsite(api);
    const seats = await givenSeats(api.db);
    const octo = detailsOf('aa');
    const { fingerprint: _, ...details } = octo;
    const placed = await hold(site, seats, octo);
    expect(placed.octo).toMatchObject(details);
    expect(placed.id).not.toBe(details.uuid);
    const { body } = await site.get(`/api/gateway/holds/${placed.id}`);
    expect(body).toMatchObject({ hold_id: placed.id, status: 'active', external_ref: `ref-${details.uuid}` });
  });

  it('two tenants may use the same UUID, but one tenant may use it only once', async () => {
    const [one, other] = [await givenWebsite(api), await givenWebsite(api)];
    const [seats, elsewhere] = [await givenSeats(api.db), await givenSeats(api.db)];
    const octo = detailsOf('bb');
    await Promise.all([hold(one, seats, octo), hold(other, seats, octo)]);
    await expect(hold(one, elsewhere, octo)).rejects.toThrow('A booking of the tenant has this UUID.');
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, elsewhere)]).toEqual([2, 0]);
  });

  it('the API refuses one of two concurrent holds with the same UUID, and places the other holds of their batch', async () => {
    const site = await givenWebsite(api);
    const seats = await givenSeats(api.db);
    const octo = detailsOf('cc');
    const others = Array.from({ length: 4 }, () => detailsOf('cc'));
    const ends = await Promise.allSettled([octo, octo, ...others].map((one) => hold(site, seats, one)));
    expect(ends.map(({ status }) => status).sort()).toEqual([...Array(5).fill('fulfilled'), 'rejected']);
    expect(await seatsTaken(api.db, seats)).toBe(5);
  });

  it('a hold whose UUID is locked by another transaction waits, and does not delay the other holds', async () => {
    const site = await givenWebsite(api);
    const seats = await givenSeats(api.db);
    const octo = detailsOf('dd');
    const trx = await api.db.transaction();
    await claimKeyElsewhere(trx, { tenantId: site.tenant.id, operation: 'octo', key: octo.uuid });
    const waits = hold(site, seats, octo);
    await Promise.all(Array.from({ length: 4 }, () => hold(site, seats, detailsOf('dd'))));
    await untilItMeetsKey(waits);
    await trx.rollback();
    expect((await waits).octo!.uuid).toBe(octo.uuid);
    expect(await seatsTaken(api.db, seats)).toBe(5);
  });

  it('a lead of OCTO without phone and email has null for them in REST and in the event', async () => {
    const site = await givenWebsite(api);
    const { mark, name } = somebody();
    const customer = { name, phone: null, email: null };
    const held = await hold(site, await givenSeats(api.db), detailsOf(mark), name);
    const { bookingRef } = await book(site, held);
    const { body } = await site.get(`/api/tenant/bookings/${bookingRef}`);
    expect(body).toMatchObject({ customer, source: 'octo' });
    const [event] = await api.db('webhook_events').where({ booking_ref: bookingRef }).pluck('body');
    expect(JSON.parse(event)).toMatchObject({ customer, source: 'tenant_api' });
  });
});

describe('the people of an OCTO booking', () => {
  it('the terminal masks the people of an OCTO booking until --reveal', async () => {
    const site = await givenWebsite(api);
    const { mark, name } = somebody();
    const held = await hold(site, await givenSeats(api.db), detailsOf(mark), name);
    const { bookingRef } = await book(site, held);
    for (const line of [`booking show ${bookingRef}`, `hold show ${held.id}`]) {
      for (const flags of ['', ' --json'])
        expect((await terminal.tourctl(line + flags)).stdout).not.toMatch(new RegExp(mark, 'i'));
      expect(await terminal.json(`${line} --reveal`)).toMatchObject({
        octo: { contact: { firstName: 'Xaver' } },
      });
    }
    const { stdout } = await terminal.tourctl(`booking export --tenant ${site.tenant.slug}`);
    expect(stdout).toContain(held.octo!.uuid);
    expect(stdout).not.toMatch(new RegExp(mark, 'i'));
    const revealed = await terminal.tourctl(`booking export --tenant ${site.tenant.slug} --reveal`);
    expect(revealed.stdout).toContain(`Yara Quill${mark}, yara.${mark}@example.com`);
  });

  it('tourctl booking anonymize erases the people of an OCTO booking with its customer', async () => {
    const site = await givenWebsite(api);
    const { mark, name } = somebody();
    const held = await hold(site, await givenSeats(api.db), detailsOf(mark), name);
    const { bookingRef } = await book(site, held);
    expect(await tracesOf(mark)).toEqual(['octo_bookings', 'seat_holds', 'booking_leads', 'webhook_events']);
    expect((await terminal.tourctl(`booking anonymize ${bookingRef} --yes`)).code).toBe(0);
    expect(await tracesOf(mark)).toEqual([]);
    const row = await api.db('octo_bookings').where({ hold_id: held.id }).first();
    expect(row).toMatchObject({ uuid: held.octo!.uuid, contact: {}, requestDigest: null, notes: null });
    expect(row.unitItems).toEqual([{ ...held.octo!.unitItems[0], contact: {}, resellerReference: null }]);
  });
});
