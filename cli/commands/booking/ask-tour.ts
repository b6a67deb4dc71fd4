import type { PricedCatalogTour } from '../../../services/api/catalog/list-catalog';
import type { Tour } from '../../../services/api/catalog/tour';
import { toMajor } from '../../../services/api/pricing/currency';
import { AppError } from '../../../services/platform/errors';
import { nearest } from '../../engine/nearest';
import { formatMoney } from '../../engine/values';
import type { Io } from '../../terminal/io';
import { askFromList, type Choice, type Offer } from '../../terminal/prompts';
import { describeDay } from './ask-departure';
import { hasWords, type SaleReads, searchedText, wordsOf } from './sale-reads';

/** The tenant sells nothing, or no departure of the tour. */
class NothingToSellError extends AppError {
  readonly code = 'departure_not_found';
}

/**
 * Asks for the tour until it has a departure to sell.
 * @param given slug or id. Undefined: it is asked for
 * @throws TourNotFoundError; NothingToSellError if the tenant sells no tour, or the given tour has no departure
 */
export async function askTour(io: Io, reads: SaleReads, given: string | undefined): Promise<Tour> {
  let why: string | undefined;
  for (;;) {
    const reason = why;
    const named = given ?? (await askFromList(io, 'Tour:', (typed) => findTours(reads, typed, reason)));
    const tour = await reads.tour(named);
    const departures = await reads.departures(tour);
    if (departures.some(({ departure }) => !departure.cancelled)) return tour;
    why = `${tour.name} has no departure to sell`;
    if (given !== undefined) throw new NothingToSellError(`${tour.slug} has no departure to sell`);
  }
}

async function findTours(
  reads: SaleReads,
  typed: string,
  why: string | undefined,
): Promise<Choice[] | Offer> {
  const found = await reads.tours(typed);
  if (found.length > 0) return { why: typed === '' ? why : undefined, choices: found.map(choiceOf) };
  const all = await reads.tours('');
  if (all.length === 0) throw new NothingToSellError('The tenant sells no tour');
  return { why: `No tour is called "${typed}"`, choices: nearestTours(typed, all).map(choiceOf) };
}

/** Returns the tours with most of the typed words, each corrected to the nearest word of a tour. Returns none if no tour has a word. */
function nearestTours(typed: string, tours: readonly PricedCatalogTour[]): PricedCatalogTour[] {
  const known = [...new Set(tours.flatMap((tour) => wordsOf(searchedText(tour))))];
  const words = wordsOf(typed).flatMap((word) => nearest(word, known).slice(0, 1));
  const counts = tours.map((tour) => words.filter((word) => hasWords(searchedText(tour), [word])).length);
  const most = Math.max(...counts);
  return tours.filter((_, index) => most > 0 && counts[index] === most);
}

function choiceOf({ tour, priceFromMinor, currency, currencyDigits }: PricedCatalogTour): Choice {
  const { slug, name, nextDepartureDate: next } = tour;
  const price = formatMoney(toMajor(priceFromMinor, currencyDigits), currency);
  const day = next === null ? 'no open date' : `next ${describeDay(next)}`;
  return { value: slug, name: `${name}  from ${price}  ${day}  ${slug}` };
}
