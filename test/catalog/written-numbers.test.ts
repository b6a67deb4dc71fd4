import { ADULT_FLAG, seats as parseSeats } from '../../cli/commands/departure/document';
import { parseFlag } from '../../cli/engine/command';
import { toPrices } from '../../services/api/departures/add-departures';
import { currencyDigits } from '../../services/api/pricing/currency';
import { useTestDatabase } from '../support/database';
import { readFiles } from './catalog-files';
import { DEFAULT_CATEGORIES } from '../../services/api/parties/category';

const database = useTestDatabase();

const TOURS = 'slug,name,continent,country,duration_days,currency,base_price';
const DEPARTURES = 'tour_slug,departure_date,seats_total,prices.adult,prices.child,prices.single_supplement';

interface Cells {
  currency?: string;
  price?: string;
  seats?: string;
  days?: string;
}

/** Reads one tour with one departure from CSV files. Returns the fields with issues. */
async function refusedFields({ currency = 'EUR', price = '10', seats = '10', days = '5' }: Cells) {
  const { issues } = await readFiles(database.db, {
    'tours.csv': `${TOURS}\nalps,Alps,europe,CH,${days},${currency},${price}\n`,
    'departures.csv': `${DEPARTURES}\nalps,2031-06-01,${seats},${price},${price},${price}\n`,
  });
  return issues.map(({ field }) => field).sort();
}

/** Returns the prices in minor units that the files store. */
async function storedPrices(currency: string, price: string) {
  const { tours } = await readFiles(database.db, {
    'tours.csv': `${TOURS}\nalps,Alps,europe,CH,5,${currency},${price}\n`,
    'departures.csv': `${DEPARTURES}\nalps,2031-06-01,10,${price},,\n`,
  });
  const [tour] = tours;
  const { prices } = tour!.departures[0]!.fields as { prices: { adult: number } };
  return [Number(tour!.fields.base_price), prices.adult];
}

/** Returns whether `departure set-price --adult` accepts the price. */
function flagAccepts(currency: string, price: string): boolean {
  const tour = { currency, currencyDigits: currencyDigits(currency)! };
  return accepts(() =>
    toPrices({ adult: parseFlag(ADULT_FLAG, price) as string }, { ...tour, categories: DEFAULT_CATEGORIES }),
  );
}

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

const MONEY = ['base_price', 'prices.adult', 'prices.child', 'prices.single_supplement'];

describe('a price in a CSV file', () => {
  it.each([
    ['EUR', '1490', true],
    ['EUR', '1490.5', true],
    ['EUR', '1490.50', true],
    ['EUR', '0', true],
    ['EUR', '1.490', false],
    ['EUR', '1.000', false],
    ['EUR', '12.500', false],
    ['BRL', '1.490', false],
    ['EUR', '1.490,00', false],
    ['EUR', '1,490', false],
    ['EUR', '1490.', false],
    ['EUR', '.5', false],
    ['EUR', '1e3', false],
    ['EUR', '-1', false],
    ['JPY', '7000', true],
    ['JPY', '7.000', false],
    ['JPY', '7000.0', false],
    ['VND', '200000000', true],
    ['KWD', '12.345', true],
    ['KWD', '12.3450', false],
    ['EUR', '10000000000', true],
    ['EUR', '10000000000.01', false],
  ])('in %s, %s is accepted (%s) as by the flag of the terminal', async (currency, price, isAccepted) => {
    const cell = price.includes(',') ? `"${price}"` : price;
    expect(await refusedFields({ currency, price: cell })).toEqual(isAccepted ? [] : MONEY);
    expect(flagAccepts(currency, price)).toBe(isAccepted);
  });

  it('a price with its zeros written is stored with its value', async () => {
    expect(await storedPrices('EUR', '149.50')).toEqual([149.5, 149.5]);
    expect(await storedPrices('KWD', '12.300')).toEqual([12.3, 12.3]);
  });

  it('the issue of a price with a point before thousands says that a point separates decimals', async () => {
    const { issues } = await readFiles(database.db, {
      'tours.csv': `${TOURS}\nalps,Alps,europe,DE,5,EUR,1.490\n`,
    });
    expect(issues).toEqual([
      {
        file: 'tours.csv',
        line: 2,
        field: 'base_price',
        message:
          'must have at most 2 decimals: that is what EUR has; a point separates decimals, not thousands',
      },
    ]);
  });
});

describe('a whole number in a CSV file', () => {
  it.each([
    ['12', true],
    ['012', true],
    ['1.000', false],
    ['12.0', false],
    ['12.', false],
    ['1e1', false],
    ['+5', false],
    ['-5', false],
  ])('%s is accepted (%s) as by the flag of the terminal', async (text, isAccepted) => {
    expect(await refusedFields({ seats: text, days: text })).toEqual(
      isAccepted ? [] : ['duration_days', 'seats_total'],
    );
    expect(accepts(() => parseSeats(text, '--seats'))).toBe(isAccepted);
  });
});

describe('a number in a JSON file', () => {
  /** Returns the fields with issues of a tour whose numbers are written so. */
  async function refusedIn(ending: string, { price = '10', days = '5', seats = '10', currency = 'EUR' }) {
    const start = `"slug":"alps","name":"Alps","summary":"From 1.500 m","continent":"europe","country":"CH"`;
    const departure = `{"departure_date":"2031-06-01","seats_total":${seats},"prices":{"adult":${price}}}`;
    const numbers = `"duration_days":${days},"currency":"${currency}","base_price":${price},"start_location":{"name":"Bern","lat":46.948090}`;
    const tour = `{${start},${numbers},"departures":[${departure}]}`;
    const files = { [`a${ending}`]: ending === '.json' ? `[${tour}]` : `${tour}\n` };
    return (await readFiles(database.db, files)).issues.map(({ field }) => field).sort();
  }
  const BOTH_PRICES = ['base_price', 'departures[0].prices.adult'];

  it.each([
    ['EUR', '149.50', true],
    ['EUR', '149.5', true],
    ['EUR', '1.500', false],
    ['EUR', '1.000', false],
    ['EUR', '149.5000', false],
    ['EUR', '1e1', false],
    ['JPY', '7000.0', true],
    ['JPY', '7000.00', false],
    ['KWD', '12.340', true],
    ['EUR', '"149.50"', false],
  ])('that is a price: %s %s is accepted (%s)', async (currency, price, isAccepted) => {
    for (const ending of ['.json', '.jsonl'])
      expect(await refusedIn(ending, { currency, price })).toEqual(isAccepted ? [] : BOTH_PRICES);
  });

  it.each([
    ['5', true],
    ['5.0', true],
    ['5.00', false],
    ['1e1', false],
  ])('that is a whole number: %s is accepted (%s)', async (text, isAccepted) => {
    const fields = isAccepted ? [] : ['departures[0].seats_total', 'duration_days'];
    expect(await refusedIn('.json', { days: text, seats: text })).toEqual(fields);
  });

  it('and a price in it are stored with their values', async () => {
    const { tours } = await readFiles(database.db, {
      'a.json': `[{"slug":"alps","name":"Alps","continent":"europe","country":"CH","duration_days":5,"currency":"EUR","base_price":149.50,"start_location":{"name":"Bern","lng":-1.0e-1}}]`,
    });
    const { base_price: price, start_location: place } = tours[0]!.fields;
    expect([Number(price), place]).toEqual([149.5, { name: 'Bern', lng: -0.1 }]);
  });

  it('the decimals of a CSV cell with the latitude of a place are not limited', async () => {
    const { tours, issues } = await readFiles(database.db, {
      'tours.csv': `${TOURS},start_location.name,start_location.lat\nalps,Alps,europe,CH,5,EUR,1,Bern,46.948090\n`,
    });
    expect([issues, tours[0]!.fields.start_location]).toEqual([[], { name: 'Bern', lat: 46.94809 }]);
  });
});
