/** The most characters of the address of a point. */
export const POINT_ADDRESS_MAX = 500;

/** The words of a point in one language. */
export interface PointWords {
  name?: string;
  address?: string;
  directions?: string;
}

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
  /** By language tag. */
  translations: Record<string, PointWords>;
}
