import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database/database';
import { daysFromToday, givenDeparture, type GivenTour } from '../support/given';
import { bookingRequest, createBooking } from '../support/sell';

/** One run holds up to 135 seats of one departure, and releases none of them. */
export const CONFORMANCE_SEATS = 50_000;
const SOLD_OUT_SEATS = 9;

interface ConformanceTour {
  slug: string;
  name: string;
  start_time?: string;
  /**
   * The start times of the departures, one list for each date. The dates repeat the lists in turn. By default each date has one
   * departure without a time of its own.
   */
  times?: (string | undefined)[][];
}

/**
 * The first tours of the catalog by name. Two tours have a start time, so that the validator can move a booking between them. One
 * tour lasts the whole day. One tour has three departures on each date. The last tour has three departures on some dates, and one
 * departure without a time on the other dates.
 */
export const CONFORMANCE_TOURS: ConformanceTour[] = [
  { slug: 'a-morning-in-the-old-town', name: 'A Morning in the Old Town', start_time: '09:30' },
  { slug: 'a-night-at-the-observatory', name: 'A Night at the Observatory', start_time: '21:00' },
  { slug: 'a-ticket-to-the-gardens', name: 'A Ticket to the Gardens' },
  {
    slug: 'a-tram-through-the-city',
    name: 'A Tram through the City',
    times: [['09:30', '12:00', '14:30']],
  },
  {
    slug: 'a-visit-to-the-vineyard',
    name: 'A Visit to the Vineyard',
    times: [[undefined], ['10:00', '13:00', '16:00']],
  },
];

/**
 * Adds tours with which OCTO's validator can run all its scenarios. Each tour has open departures and a sold-out one within 30 days.
 * The departures have seats for all holds of the validator, which releases none.
 */
export async function givenConformanceTours(trx: Trx, tenant: Tenant): Promise<void> {
  const records = CONFORMANCE_TOURS.map(({ times: _, ...tour }, index) => ({
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
      departures: [],
    },
  }));
  await importCatalog(trx, records, { prune: false });
  for (const { slug, times = [[undefined]] } of CONFORMANCE_TOURS) {
    const tour = await trx('tours').where({ slug }).first<GivenTour>('id', 'slug');
    await givenDepartures(trx, tour, times);
    await sellOut(trx, tenant, tour, times[SOLD_OUT_DAY % times.length]![0]);
  }
}

/** Days from today. */
const DAYS = [5, 9, 12, 16];
/** The index of the sold-out date in DAYS. The first departure on this date is sold out. */
const SOLD_OUT_DAY = 2;

async function givenDepartures(trx: Trx, tour: GivenTour, times: (string | undefined)[][]): Promise<void> {
  for (const [index, days] of DAYS.entries()) {
    for (const [place, startTime] of times[index % times.length]!.entries()) {
      const isSoldOut = index === SOLD_OUT_DAY && place === 0;
      await givenDeparture(trx, tour, {
        date: daysFromToday(days),
        startTime,
        seats: isSoldOut ? SOLD_OUT_SEATS : CONFORMANCE_SEATS,
        prices: { adult: 4800, child: 2400 },
      });
    }
  }
}

async function sellOut(
  trx: Trx,
  tenant: Tenant,
  { slug }: GivenTour,
  departureTime: string | undefined,
): Promise<void> {
  const departureDate = daysFromToday(DAYS[SOLD_OUT_DAY]!);
  const party = { party: { adult: SOLD_OUT_SEATS } };
  await createBooking(trx, tenant, {
    ...bookingRequest({ departureDate, departureTime, party }),
    tour: slug,
  });
}
