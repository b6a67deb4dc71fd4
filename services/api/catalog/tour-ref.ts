/** A tour as other answers name it. */
export interface TourRef {
  id: string;
  slug: string;
}
