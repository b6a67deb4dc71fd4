import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import { adultsOnly } from '../../services/api/pricing/party';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database';
import { daysFromToday } from '../support/given';
import { bookingRequest, createBooking } from '../support/sell';

/** One run holds up to 135 seats of one departure, and releases none. */
export const CONFORMANCE_SEATS = 50_000;
const SOLD_OUT_SEATS = 9;

/** The first tours of the catalog by name: two with a start time, because one booking moves between them, and one of a whole day. */
export const CONFORMANCE_TOURS = [
  { slug: 'a-morning-in-the-old-town', name: 'A Morning in the Old Town', start_time: '09:30' },
  { slug: 'a-night-at-the-observatory', name: 'A Night at the Observatory', start_time: '21:00' },
  { slug: 'a-ticket-to-the-gardens', name: 'A Ticket to the Gardens' },
];

/**
 * Adds tours with which OCTO's validator can run all its scenarios: three open departures and a sold-out one within 30 days, and
 * seats for all its holds, which it does not release.
 */
export async function givenConformanceTours(trx: Trx, tenant: Tenant): Promise<void> {
  const soldOut = daysFromToday(12);
  const open = [5, 9, 16].map((days) => ({
    departure_date: daysFromToday(days),
    seats_total: CONFORMANCE_SEATS,
  }));
  const departures = [...open, { departure_date: soldOut, seats_total: SOLD_OUT_SEATS }];
  const prices = { adult: 48, child: 24 };
  const records = CONFORMANCE_TOURS.map((tour, index) => ({
    place: { file: 'conformance tours', index },
    value: {
      ...tour,
      continent: 'europe',
      country: 'DE',
      duration_days: 1,
      currency: 'EUR',
      base_price: 48,
      time_zone: 'Europe/Berlin',
      group_size_max: 9,
      departures: departures.map((departure) => ({ ...departure, prices })),
    },
  }));
  await importCatalog(trx, records, { prune: false });
  for (const { slug } of CONFORMANCE_TOURS) await sellOut(trx, tenant, slug, soldOut);
}

async function sellOut(trx: Trx, tenant: Tenant, slug: string, departureDate: string): Promise<void> {
  const party = adultsOnly(SOLD_OUT_SEATS);
  await createBooking(trx, tenant, { ...bookingRequest({ departureDate, party }), tour: slug });
}
