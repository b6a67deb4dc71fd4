import { flag, type Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { afterFlag, LIST_FLAGS, REVEAL_FLAG, travelDate } from '../engine/flags';
import { decimal, instant, wholeNumber } from '../engine/values';
import type { PriceOptions } from './departure/actions';
import type { NewDepartureOptions } from './departure/add';

const price = decimal(0, 100_000_000, 4);
const seats = wholeNumber(1, 100_000);
const CHILD_FLAG = flag('--child <money>', "a child's price", { parse: price });
const SINGLE_FLAG = flag('--single-supplement <money>', 'what an adult pays more for a single room', {
  parse: price,
});

const actions = () => require('./departure/actions') as typeof import('./departure/actions');

export const departure: Noun = {
  name: 'departure',
  about: 'List, add and change the departures of a tour and their seats',
  verbs: [
    {
      usage: 'list <tour>',
      about: 'List the departures of a tour by date, from today on',
      flags: [
        flag('--from <date>', 'from this day on, which may be past', { parse: travelDate }),
        flag('--to <date>', 'up to this day', { parse: travelDate }),
        ...LIST_FLAGS,
        afterFlag('date', travelDate),
      ],
      check: ({ from, to }: { from?: string; to?: string }) => {
        if (from && to && to < from) throw new UsageError('--to must not be before --from');
      },
      examples: ['departure list dolomites-hut-to-hut --from 2027-01-01'],
      run: () => actions().listDeparturesCommand,
    },
    {
      usage: 'add <tour> <date>',
      about: "Add a departure on sale, with prices in the tour's currency",
      args: { date: travelDate },
      flags: [
        flag('--seats <number>', 'how many seats it has', { parse: seats, must: true }),
        flag('--adult <money>', "an adult's price", { parse: price, must: true }),
        CHILD_FLAG,
        SINGLE_FLAG,
        flag('--return-date <date>', 'the last day of the trip', { parse: travelDate }),
        flag('--closes-at <time>', 'no holds and bookings from then on, such as 2027-06-01T12:00:00Z', {
          parse: instant,
        }),
      ],
      check: ({ returnDate }: NewDepartureOptions, _: string, date: string) => {
        if (returnDate !== undefined && returnDate < date)
          throw new UsageError('--return-date must not be before <date>');
      },
      examples: [
        'departure add dolomites-hut-to-hut 2027-06-05 --seats 12 --adult 480',
        'departure add dolomites-hut-to-hut 2027-06-12 --seats 12 --adult 480 --child 336 --return-date 2027-06-17',
      ],
      run: () => (require('./departure/add') as typeof import('./departure/add')).addDepartureCommand,
    },
    {
      usage: 'cancel <tour> <date>',
      about:
        'Take a departure off sale; its bookings stay, and are listed so that you can inform the customers; endpoints that ' +
        'subscribe to departure.cancelled receive it',
      args: { date: travelDate },
      flags: [REVEAL_FLAG],
      asks: () => true,
      examples: [
        'departure cancel dolomites-hut-to-hut 2027-06-05',
        'departure cancel dolomites-hut-to-hut 2027-06-05 --reveal --yes',
      ],
      run: () => actions().cancelDepartureCommand,
    },
    {
      usage: 'reopen <tour> <date>',
      about: 'Put a cancelled departure on sale again; sends departure.updated',
      args: { date: travelDate },
      run: () => actions().reopenDepartureCommand,
    },
    {
      usage: 'set-seats <tour> <date> <seats>',
      about:
        'Change how many seats a departure has, never below what is held or booked; sends departure.updated',
      args: { date: travelDate, seats },
      examples: ['departure set-seats dolomites-hut-to-hut 2027-06-05 16'],
      run: () => actions().setSeatsCommand,
    },
    {
      usage: 'set-price <tour> <date>',
      about:
        "Change prices of a departure in the tour's currency; what is held or booked keeps its price; sends departure.updated",
      args: { date: travelDate },
      flags: [flag('--adult <money>', "an adult's price", { parse: price }), CHILD_FLAG, SINGLE_FLAG],
      check: ({ adult, child, singleSupplement }: PriceOptions) => {
        if ((adult ?? child ?? singleSupplement) === undefined)
          throw new UsageError('one of --adult, --child and --single-supplement must be given');
      },
      examples: ['departure set-price dolomites-hut-to-hut 2027-06-05 --adult 1290 --child 990'],
      run: () => actions().setPriceCommand,
    },
  ],
};
