import type { DemoTour } from '../demo-tour';
import { africa } from './africa';
import { asia } from './asia';
import { europe } from './europe';
import { northAmerica } from './north-america';
import { oceania } from './oceania';
import { southAmerica } from './south-america';

const byContinent = {
  asia,
  africa,
  europe,
  'north-america': northAmerica,
  oceania,
  'south-america': southAmerica,
};

/** Every demo tour with its continent; Asia comes first, as the flagship is its first tour. */
export const demoTours: (DemoTour & { continent: string })[] = Object.entries(byContinent).flatMap(
  ([continent, tours]) => tours.map((tour) => ({ ...tour, continent })),
);
