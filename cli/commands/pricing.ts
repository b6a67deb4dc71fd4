import { PRICE_RULE_KINDS } from '../../services/api/pricing/choose-price-rule';
import { partyInput } from '../../services/api/pricing/party-input';
import { InvalidInputError } from '../../services/platform/errors';
import { flag, type Noun } from '../engine/command';
import { refuseMistakes, UsageError } from '../engine/failure';
import { afterFlag, continentFlag, LIST_FLAGS, roundingStep, tourFlag, travelDate } from '../engine/flags';
import { decimal, percent, wholeNumber } from '../engine/values';
import type { RuleOptions } from './pricing/actions';

const MOST = 1_000_000_000;
const ruleId = wholeNumber(1, 9_999_999_999);

const actions = () => require('./pricing/actions') as typeof import('./pricing/actions');

export const pricing: Noun = {
  name: 'pricing',
  about:
    "Show, change and simulate a tenant's prices: one rule decides each price, else it is the platform's",
  verbs: [
    {
      usage: 'show <slug>',
      about: 'List the price rules of a tenant, newest first',
      flags: [...LIST_FLAGS, afterFlag('id', ruleId)],
      run: () => actions().showPricingCommand,
    },
    {
      usage: 'add <slug>',
      about: "Add a price rule: a tour's rule overrides a continent's, and both override a general one",
      flags: [
        flag('--percent <percent>', 'percent to add to each price; -50 halves it', {
          parse: percent(decimal(-100, 10_000, 4)),
        }),
        flag('--amount <money>', "amount to add to an adult's price", { parse: decimal(-MOST, MOST, 4) }),
        flag('--price <money>', "an adult's price", { parse: decimal(0, MOST, 4) }),
        tourFlag('only this tour, by slug or id'),
        continentFlag('only tours of this continent'),
        flag('--travel-from <date>', 'only departures from this day on', { parse: travelDate }),
        flag('--travel-to <date>', 'only departures up to this day', { parse: travelDate }),
        flag('--round-to <money>', 'round to the nearest multiple of this', { parse: roundingStep }),
      ],
      check: checkRule,
      examples: [
        'pricing add acme --percent 12.5 --round-to 5',
        'pricing add acme --price 990 --tour dolomites-hut-to-hut --travel-from 2027-06-01 --travel-to 2027-08-31',
        'pricing add acme --amount -20 --continent europe',
      ],
      run: () => actions().addPricingCommand,
    },
    {
      usage: 'remove <slug> <id>',
      about: 'Remove a price rule',
      args: { id: ruleId },
      asks: () => true,
      run: () => actions().removePricingCommand,
    },
    {
      usage: 'simulate <slug> <tour>',
      about: 'Calculate what a booking costs a customer of the tenant, and name the rule that decides',
      flags: [
        flag('--date <date>', 'date of departure; without it the base price counts', { parse: travelDate }),
        flag('--adults <number>', 'how many adults', { parse: wholeNumber(0, 50), otherwise: '1' }),
        flag('--children <number>', 'how many children', { parse: wholeNumber(0, 50), otherwise: '0' }),
        flag('--single-supplements <number>', 'how many adults with a room alone', {
          parse: wholeNumber(0, 50),
          otherwise: '0',
        }),
      ],
      check: checkParty,
      examples: ['pricing simulate acme dolomites-hut-to-hut --date 2027-06-05 --adults 2 --children 1'],
      run: () =>
        (require('./pricing/simulate') as typeof import('./pricing/simulate')).simulatePricingCommand,
    },
  ],
};

/** Refuses a party that no booking accepts. */
function checkParty({ adults, children, singleSupplements }: SimulatedParty): void {
  try {
    partyInput({ adults, children, single_supplements: singleSupplements });
  } catch (error) {
    throw error instanceof InvalidInputError ? new UsageError(error.message) : error;
  }
}

interface SimulatedParty {
  adults?: number;
  children?: number;
  singleSupplements?: number;
}

function checkRule({ tour, continent, travelFrom, travelTo, ...rule }: RuleOptions): void {
  const kinds = PRICE_RULE_KINDS.filter((kind) => rule[kind] !== undefined);
  refuseMistakes([
    kinds.length !== 1 && 'one of --percent, --amount and --price must be given',
    tour !== undefined && continent !== undefined && '--tour and --continent cannot be given together',
    travelFrom !== undefined &&
      travelTo !== undefined &&
      travelTo < travelFrom &&
      '--travel-to must not be before --travel-from',
  ]);
}
