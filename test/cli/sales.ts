import type { BookingLead } from '../../services/api/bookings/booking-lead';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import type { Tenant } from '../../services/api/tenants/tenant';
import { inTransaction } from '../../services/platform/database/database';
import { givenDeparture, givenTenant, givenTour, type GivenTour } from '../support/given';
import { preparedBeforeAll } from '../support/prepared';
import { createBooking, placeHold } from '../support/sell';
import { openTestTerminal, type TestTerminal } from './terminal';

export const ANA = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };

/** A terminal on a database with one departure of ten seats, and a tenant that sells them. */
export interface Sales extends TestTerminal {
  tenant: Tenant;
  tour: GivenTour;
  date: string;
  hold(quantity: number): Promise<SeatHold>;
  book(
    adults: number,
    request?: { holdId?: string | null; notes?: string | null; departureDate?: null },
  ): Promise<BookingLead>;
  seatsTaken(): Promise<number>;
  lastAudit(): Promise<{ action: string; subject: string | null; tenantId: string | null; after: unknown }>;
}

export function useSales(): Sales {
  const sales = preparedBeforeAll(openSales);
  afterAll(() => sales.drop?.());
  return sales;
}

async function openSales(): Promise<Sales> {
  const terminal = await openTestTerminal();
  const { db } = terminal;
  const tenant = await givenTenant(db);
  const tour = await givenTour(db);
  const date = await givenDeparture(db, tour, { seats: 10 });
  const wanted = { tour: tour.slug, departureDate: date, by: 'key AAAAAAAAAAAA', customer: ANA };
  return {
    ...terminal,
    tenant,
    tour,
    date,
    hold: (quantity) => {
      const request = {
        ...wanted,
        party: { party: { adult: quantity } },
        holdMinutes: undefined,
        externalRef: 'cart-1',
      };
      return inTransaction(db, (trx) => placeHold(trx, tenant, request));
    },
    book: (adults, { holdId = null, notes = null, departureDate = date } = {}) => {
      const request = {
        ...wanted,
        departureDate,
        party: { party: { adult: adults } },
        travellers: null,
        paymentMethod: null,
        holdId,
        expectedTotal: null,
        notes,
        externalRef: 'order-1',
      };
      return inTransaction(db, (trx) => createBooking(trx, tenant, request));
    },
    seatsTaken: async () => {
      const { rows } = await db.raw(
        `select seats_taken(id, clock_timestamp()) as n from departures where tour_id = ?`,
        [tour.id],
      );
      return rows[0].n;
    },
    lastAudit: () => db('audit_log').orderBy('id', 'desc').first(),
  };
}
