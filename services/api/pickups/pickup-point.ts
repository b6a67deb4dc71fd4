import type { PointWords } from './pickup';

/** A point at which the operator fetches guests, with the names of files, answers and the database. */
export interface PickupPoint {
  code: string;
  name: string;
  address: string | null;
  lat: number | null;
  lng: number | null;
  /** How a guest finds the point. */
  directions: string | null;
  google_place_id: string | null;
  translations: Record<string, PointWords>;
}
