import type { Place } from './fault';
import type { DepartureFields, PriceFields, TourFields } from './tour-shape';

/** What catalog files say of one tour, whatever files its parts come from. */
export interface TourInFile {
  slug: string;
  place: Place;
  /** Undefined where only departures are given, or where the tour's own fields are at fault. */
  fields?: TourFields;
  /** Those of its own fields that are sound, whatever the others are; undefined where only departures are given. */
  sound?: Partial<TourFields>;
  /** With those at fault. Undefined: left out. */
  departures?: DepartureInFile[];
  /** Nothing will be written, but what else is wrong with it is still told. */
  faulty: boolean;
  /** Of its text, where one entry of a JSON file is the whole. */
  digest?: string;
}

export interface DepartureInFile {
  place: Place;
  /** Undefined where one is at fault. */
  fields?: DepartureFields;
  sound: Partial<Omit<DepartureFields, 'prices'>> & { prices?: Partial<PriceFields> };
}

/** A tour without faults as text: of such a one all that is sound is the whole. */
export function packTour({ slug, place, fields, departures }: TourInFile): string {
  const own = departures?.map((departure) => [departure.place, departure.fields]);
  return JSON.stringify({ slug, place, fields, departures: own });
}

export function unpackTour(text: string): TourInFile {
  const { departures, ...tour } = JSON.parse(text) as Pick<TourInFile, 'slug' | 'place' | 'fields'> & {
    departures?: [Place, DepartureFields][];
  };
  return {
    ...tour,
    sound: tour.fields,
    departures: departures?.map(([place, fields]) => ({ place, fields, sound: fields })),
    faulty: false,
  };
}
