import { currencyDigits, toMinor } from '../pricing/currency';
import { type Fault, faultAt, type Place } from './fault';
import type { TourInFile } from './tour-in-file';

/** The most a price may be in minor units, as the table has it. */
const MOST = 1_000_000_000_000;
const CATEGORIES = ['adult', 'child', 'single_supplement'] as const;

/** What is wrong with a tour's amounts, and those of its departures, in this currency; also with those beside other faults. */
export function amountFaults(
  { place, sound, departures = [] }: Pick<TourInFile, 'place' | 'sound' | 'departures'>,
  currency: string,
): Fault[] {
  const digits = currencyDigits(currency)!;
  const faults: Fault[] = [];
  const check = (amount: number | null | undefined, at: Place, part: string) => {
    const message = typeof amount === 'number' ? amountFault(amount, currency, digits) : undefined;
    if (message) faults.push(faultAt(at, part, message));
  };
  check(sound?.base_price, place, '.base_price');
  for (const departure of departures) {
    for (const category of CATEGORIES)
      check(departure.sound.prices?.[category], departure.place, `.prices.${category}`);
  }
  return faults;
}

function amountFault(amount: number, currency: string, digits: number): string | undefined {
  const minor = minorOf(amount, digits);
  if (minor === undefined) return `must have at most ${digits} decimals: that is what ${currency} has`;
  return minor > MOST ? 'is more than a price may be' : undefined;
}

/** `toMinor` by way of its text only where there are decimals: most amounts have none. Of what the file's fields allow. */
export function minorOf(amount: number, digits: number): number | undefined {
  return Number.isInteger(amount) ? amount * 10 ** digits : toMinor(amount, digits);
}
