import type { Db } from '../../services/platform/database';
import { inTransaction } from '../../services/platform/database';
import { createBooking } from '../../services/api/bookings/create-booking';
import type { BookingLead } from '../../services/api/bookings/booking-lead';
import { placeHold } from '../../services/api/holds/place-hold';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import type { Tenant } from '../../services/api/tenants/tenant';
import { givenDeparture, givenTenant, givenTour, type GivenTour } from '../support/given';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
let db: Db;
let tenant: Tenant;
let tour: GivenTour;
let date: string;
beforeAll(async () => {
  terminal = await openTestTerminal();
  ({ db } = terminal);
  tenant = await givenTenant(db);
  tour = await givenTour(db);
  date = await givenDeparture(db, tour, { seats: 10 });
});
afterAll(() => terminal.drop());

const seatsTaken = async () => {
  const { rows } = await db.raw(
    `select seats_taken(id, clock_timestamp()) as n from departures where tour_id = ?`,
    [tour.id],
  );
  return rows[0].n as number;
};
const revision = async () =>
  (await db('tours').where({ id: tour.id }).first<{ revision: number }>()).revision;
const lastAudit = () =>
  db('audit_log').orderBy('id', 'desc').first<{ action: string; subject: string; tenant_id: string }>();

function holdSeats(quantity: number): Promise<SeatHold> {
  const request = {
    tour: tour.slug,
    departureDate: date,
    quantity,
    holdMinutes: undefined,
    externalRef: 'cart-1',
  };
  const customer = { name: null, phone: null, email: null };
  return inTransaction(db, (trx) => placeHold(trx, tenant, { ...request, customer })) as Promise<SeatHold>;
}

function book(adults: number): Promise<BookingLead> {
  const request = { tour: tour.slug, departureDate: date, adults, externalRef: 'order-1', notes: null };
  const customer = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };
  const rest = { paymentMethod: null, holdId: null, expectedTotal: null };
  return inTransaction(db, (trx) =>
    createBooking(trx, tenant, { ...request, ...rest, customer }),
  ) as Promise<BookingLead>;
}

describe('tourctl hold', () => {
  it('lists holds by tenant and status', async () => {
    const { id } = await holdSeats(2);

    const { json, code } = await terminal.tourctl(`hold list --tenant ${tenant.slug} --status active --json`);

    expect(code).toBe(0);
    expect(json).toMatchObject({
      items: [{ id, tour: tour.slug, quantity: 2, status: 'active', external_ref: 'cart-1' }],
    });
    expect((await terminal.tourctl(`hold list --status released --json`)).json).toEqual({ items: [] });
    await terminal.tourctl(`hold release ${id} --yes --json`);
  });

  it('releases a hold: seats come back, caches are told, and an audit row says who', async () => {
    const { id } = await holdSeats(3);
    const before = { seats: await seatsTaken(), revision: await revision() };

    const { json, code } = await terminal.tourctl(`hold release ${id} --yes --json`);

    expect(code).toBe(0);
    expect(json).toMatchObject({ id, status: 'released' });
    expect(await seatsTaken()).toBe(before.seats - 3);
    expect(await revision()).toBe(before.revision + 1);
    expect(await lastAudit()).toMatchObject({ action: 'hold.release', subject: id, tenant_id: tenant.id });
  });

  it('asks before it releases: without a terminal and without --yes it is a usage error', async () => {
    const { id } = await holdSeats(1);
    const { code, error } = await terminal.tourctl(`hold release ${id} --json`);
    expect({ code, error: error?.code }).toEqual({ code: 2, error: 'usage_error' });
    await terminal.tourctl(`hold release ${id} --yes`);
  });

  it('refuses a hold that does not exist, and an id that is none', async () => {
    const unknown = await terminal.tourctl('hold release 00000000-0000-4000-8000-000000000000 --yes --json');
    expect({ code: unknown.code, error: unknown.error?.code }).toEqual({ code: 1, error: 'hold_not_found' });
    expect((await terminal.tourctl('hold release nonsense --yes --json')).code).toBe(2);
  });
});

describe('tourctl booking', () => {
  it('shows a booking without naming its tenant', async () => {
    const { bookingRef } = await book(2);
    const { json, code } = await terminal.tourctl(`booking show ${bookingRef} --json`);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      booking_ref: bookingRef,
      tenant: tenant.slug,
      status: 'pending_payment',
      customer: { name: 'Ana Lima' },
    });
    await terminal.tourctl(`booking cancel ${bookingRef} --yes`);
  });

  it('lists bookings by status and reference, newest first', async () => {
    const older = await book(1);
    const newer = await book(1);
    const { json } = await terminal.tourctl(
      `booking list --tenant ${tenant.slug} --status pending_payment --external-ref order-1 --json`,
    );
    const items = (json as { items: { booking_ref: string }[] }).items;
    expect(items.map((item) => item.booking_ref)).toEqual([newer.bookingRef, older.bookingRef]);
    for (const lead of [older, newer]) await terminal.tourctl(`booking cancel ${lead.bookingRef} --yes`);
  });

  it('confirms once: a second time is refused', async () => {
    const { bookingRef } = await book(1);
    const first = await terminal.tourctl(`booking confirm ${bookingRef} --json`);
    expect({ code: first.code, json: first.json }).toMatchObject({ code: 0, json: { status: 'confirmed' } });
    const second = await terminal.tourctl(`booking confirm ${bookingRef} --json`);
    expect({ code: second.code, error: second.error?.code }).toEqual({
      code: 1,
      error: 'booking_state_conflict',
    });
    await terminal.tourctl(`booking cancel ${bookingRef} --yes`);
  });

  it('cancels: the seats come back and an audit row says who', async () => {
    const { bookingRef } = await book(4);
    const before = await seatsTaken();
    const { json } = await terminal.tourctl(`booking cancel ${bookingRef} --yes --json`);
    expect(json).toMatchObject({ status: 'cancelled' });
    expect(await seatsTaken()).toBe(before - 4);
    expect(await lastAudit()).toMatchObject({
      action: 'booking.cancel',
      subject: bookingRef,
      tenant_id: tenant.id,
    });
  });

  it('writes no personal data into the audit log', async () => {
    const { rows } = await db.raw(
      `select count(*) as n from audit_log where concat(before, after) ~ 'Ana|901820|example.com'`,
    );
    expect(rows[0].n).toBe(0);
  });

  it('refuses an unknown reference with 1 and a malformed one with 2', async () => {
    const unknown = await terminal.tourctl('booking show ZZ-99999999 --json');
    expect({ code: unknown.code, error: unknown.error?.code }).toEqual({
      code: 1,
      error: 'booking_not_found',
    });
    expect((await terminal.tourctl('booking show nonsense --json')).code).toBe(2);
  });
});
