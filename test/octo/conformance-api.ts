import { inTransaction } from '../../services/platform/database/database';
import { DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { type TestApi } from '../support/api';
import type { GivenTour } from '../support/given';
import { preparedBeforeAll } from '../support/prepared';
import { useWebsite, type Website } from '../support/website';
import { givenConformanceTours } from './conformance-tours';

/** The products and departures of the conformance tenant, by their ids. */
export interface Conformance {
  /** The product of the tour with a start time. */
  startTime: ConformanceProduct;
  /** The product of the tour without a start time. */
  openingHours: ConformanceProduct;
}

export interface ConformanceProduct extends GivenTour {
  /** The open departures by date, and the sold-out one. */
  open: ConformanceDeparture[];
  soldOut: ConformanceDeparture;
}

export interface ConformanceDeparture {
  id: string;
  date: string;
  /** Null: the product has opening hours. */
  time: string | null;
}

/** Creates a reseller before the tests of a file, and the tours that OCTO's validator reads. Declare it after useTestApi. */
export function useConformance(api: TestApi): { reseller: Website; tours: Conformance } {
  const reseller = useWebsite(api, { name: 'Conformance' });
  const tours = preparedBeforeAll(async () => {
    await inTransaction(api.db, (trx) => givenConformanceTours(trx, reseller.tenant));
    return {
      startTime: await findProduct(api, 'a-morning-in-the-old-town'),
      openingHours: await findProduct(api, 'a-ticket-to-the-gardens'),
    };
  });
  return { reseller, tours };
}

/** Returns the body of a reservation of one adult on the first open date of a product. */
export function reservationOf({ id, open }: ConformanceProduct, more: object = {}) {
  return {
    productId: id,
    optionId: 'DEFAULT',
    availabilityId: open[0]!.id,
    unitItems: adults(1),
    ...more,
  };
}

/** Returns the unit items of `count` adults. */
export function adults(count: number): { unitId: string }[] {
  return Array.from({ length: count }, () => ({ unitId: 'adult' }));
}

/** Returns the id of the hold of an OCTO booking. */
export async function holdIdOf({ db }: TestApi, uuid: string): Promise<string> {
  const [id] = await db('octo_bookings').where({ uuid }).pluck('hold_id');
  return id;
}

async function findProduct({ db }: TestApi, slug: string): Promise<ConformanceProduct> {
  const rows = await db('departures as d')
    .join('tours as t', 't.id', 'd.tour_id')
    .where('t.slug', slug)
    .orderBy('d.departure_date')
    .select<(ConformanceDeparture & { tourId: string; seatsTotal: number })[]>(
      't.id as tour_id',
      'd.id',
      'd.departure_date as date',
      db.raw('coalesce(d.start_time, t.start_time) as time'),
      'd.seats_total',
    );
  const isOpen = ({ seatsTotal }: { seatsTotal: number }) => seatsTotal > 9;
  const departure = ({ id, date, time }: ConformanceDeparture) => ({ id, date, time });
  return {
    id: rows[0]!.tourId,
    slug,
    categories: DEFAULT_CATEGORIES,
    open: rows.filter(isOpen).map(departure),
    soldOut: departure(rows.find((row) => !isOpen(row))!),
  };
}
