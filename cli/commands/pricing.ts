import { PRICE_RULE_KINDS } from '../../services/api/pricing/choose-price-rule';
import { continentFlag, roundingStep, tourFlag, travelDate } from '../engine/catalog-flags';
import type { Noun } from '../engine/command';
import { LIMIT_FLAG } from '../engine/credential-flags';
import { UsageError } from '../engine/failure';
import { afterFlag } from '../engine/list-page';
import { decimal, wholeNumber } from '../engine/values';
import type { RuleOptions } from './pricing/actions';

const MOST = 1_000_000_000;
const ruleId = wholeNumber(1, 9_999_999_999);

export const pricing: Noun = {
  name: 'pricing',
  about: "A tenant's prices: one rule decides each, else it is the platform's",
  verbs: [
    {
      usage: 'show <slug>',
      about: 'List the price rules of a tenant, the newest first',
      flags: [LIMIT_FLAG, afterFlag('id', ruleId)],
      run: () => (require('./pricing/actions') as typeof import('./pricing/actions')).showPricingCommand,
    },
    {
      usage: 'add <slug>',
      about: "Add a price rule: a tour's beats a continent's beats a general one",
      flags: [
        {
          flags: '--percent <percent>',
          about: 'added to each price; -50 halves it',
          parse: decimal(-100, 10_000, 4),
        },
        { flags: '--amount <money>', about: "added to an adult's price", parse: decimal(-MOST, MOST, 4) },
        { flags: '--price <money>', about: "an adult's price", parse: decimal(0, MOST, 4) },
        tourFlag('only this tour, by slug or id'),
        continentFlag('only tours there'),
        { flags: '--travel-from <date>', about: 'only departures from this day on', parse: travelDate },
        { flags: '--travel-to <date>', about: 'only departures up to this day', parse: travelDate },
        { flags: '--round-to <money>', about: 'to the nearest multiple of it', parse: roundingStep },
      ],
      check: checkRule,
      examples: [
        'pricing add acme --percent 12.5 --round-to 5',
        'pricing add acme --price 990 --tour dolomites-hut-to-hut --travel-from 2027-06-01 --travel-to 2027-08-31',
        'pricing add acme --amount -20 --continent europe',
      ],
      run: () => (require('./pricing/actions') as typeof import('./pricing/actions')).addPricingCommand,
    },
    {
      usage: 'remove <slug> <id>',
      about: 'Remove a price rule',
      args: { id: ruleId },
      asks: () => true,
      run: () => (require('./pricing/actions') as typeof import('./pricing/actions')).removePricingCommand,
    },
    {
      usage: 'simulate <slug> <tour>',
      about: 'Say what a booking would cost a customer of the tenant, and which rule makes the price',
      flags: [
        { flags: '--date <date>', about: 'of departure; without it the base price', parse: travelDate },
        { flags: '--adults <number>', about: 'how many', parse: wholeNumber(1, 50), otherwise: '1' },
      ],
      examples: ['pricing simulate acme dolomites-hut-to-hut --date 2027-06-05 --adults 2'],
      run: () =>
        (require('./pricing/simulate') as typeof import('./pricing/simulate')).simulatePricingCommand,
    },
  ],
};

function checkRule({ tour, continent, travelFrom, travelTo, ...rule }: RuleOptions): void {
  if (PRICE_RULE_KINDS.filter((kind) => rule[kind] !== undefined).length !== 1) {
    throw new UsageError('one of --percent, --amount and --price must be given');
  }
  if (tour !== undefined && continent !== undefined) {
    throw new UsageError('--tour and --continent cannot be given together');
  }
  if (travelFrom && travelTo && travelTo < travelFrom) {
    throw new UsageError('--travel-to must not be before --travel-from');
  }
}
