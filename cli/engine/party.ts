import { type Party, type PartyFields, UNITS_MAX } from '../../services/api/parties/party-rules';
import { flag } from './command';
import { refuseMistakes } from './failure';
import { ofCategory, type OfCategory, repeatedCategories, wholeNumber } from './values';

/** The flags of a party. `--adults`, `--children` and `--single-supplements` mean one category each, as in REST. */
export interface PartyOptions {
  party?: OfCategory<number>[];
  adults?: number;
  children?: number;
  singleSupplements?: number;
}

/** Declares `--party`. @param about for the help */
export function partyFlag(about: string) {
  return flag('--party <category=number>', about, {
    parse: ofCategory(wholeNumber(0, UNITS_MAX), 'adult=2'),
    repeats: true,
  });
}

/** Refuses a category that the flags name twice. @throws UsageError */
export function checkPartyFlags({ party = [], adults, children, singleSupplements }: PartyOptions): void {
  const named: [code: string, flag: string, value: unknown][] = [
    ['adult', '--adults', adults],
    ['child', '--children', children],
    ['single_supplement', '--single-supplements', singleSupplements],
  ];
  refuseMistakes(repeatedCategories(party, '--party', named));
}

/** Returns the party that the flags name, as the body of a request has it. */
export function partyBody({ party, adults, children, singleSupplements }: PartyOptions): PartyFields {
  return {
    adults,
    children,
    single_supplements: singleSupplements,
    party: party && Object.fromEntries(party),
  };
}

/** Returns the units of all parties together. */
export function addParties(parties: readonly Party[]): Party {
  const sum: Party = {};
  for (const party of parties)
    for (const [code, units] of Object.entries(party)) sum[code] = (sum[code] ?? 0) + units;
  return sum;
}
