import type { Db } from '../../services/platform/database/database';
import { type DepartureRow, insertLead } from '../catalog/catalog-rows';
import { givenTenant, unique } from '../support/given';
import type { GivenTrip } from '../support/given-resources';

/** Inserts a confirmed booking of a new tenant on the departure. @returns its reference */
export async function sellSeats(db: Db, { id, tour, date }: GivenTrip, adults: number): Promise<string> {
  const tenant = await givenTenant(db);
  const departure = { id, tourId: tour.id, departureDate: date } as DepartureRow;
  const ref = unique('REF').toUpperCase();
  await insertLead(db, tenant.id, departure, ref, { adults, status: 'confirmed' });
  return ref;
}
