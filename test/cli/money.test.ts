import { givenDeparture, givenTour } from '../support/given';
import { inTransaction } from '../../services/platform/database/database';
import { createBooking, placeHold } from '../support/sell';
import { ANA, useSales } from './sales';

const sales = useSales();
let booking = '';
let hold = '';
let date = '';

beforeAll(async () => {
  const { db, tenant } = sales;
  const tour = await givenTour(db, {
    slug: 'da-nang',
    name: 'Da Nang',
    currency: 'VND',
    basePriceMinor: 9_950_000,
  });
  date = await givenDeparture(db, tour, { seats: 10, prices: { adult: 9_950_000, child: 6_250_000 } });
  const gaudi = await givenTour(db, { slug: 'gaudi', name: 'Gaudi', basePriceMinor: 7280 });
  await givenDeparture(db, gaudi, { date: '2031-05-01', prices: { adult: 7280 } });
  await givenDeparture(db, gaudi, { date: '2031-06-01', prices: { adult: 102_000 } });
  const wanted = {
    tour: 'da-nang',
    departureDate: date,
    by: 'key AAAAAAAAAAAA',
    party: { party: { adult: 1 } },
    externalRef: null,
    customer: ANA,
  };
  hold = (await inTransaction(db, (trx) => placeHold(trx, tenant, { ...wanted, holdMinutes: undefined }))).id;
  const rest = { paymentMethod: null, holdId: null, expectedTotal: null, notes: null, travellers: null };
  booking = (await inTransaction(db, (trx) => createBooking(trx, tenant, { ...wanted, ...rest }))).bookingRef;
});

const textOf = async (line: string) => (await sales.tourctl(line)).stdout;

describe('the amounts that the terminal prints', () => {
  it('tourctl catalog list prints amounts with the digits of their currency, in one column', async () => {
    const rows = (await textOf('catalog list')).split('\n');
    const [dong, euro] = ['da-nang', 'gaudi'].map((slug) => rows.find((row) => row.startsWith(slug))!);
    expect(dong).toContain(' 9,950,000 VND ');
    expect(euro).toContain(' 72.80 EUR ');
    expect(dong!.indexOf('VND')).toBe(euro!.indexOf('EUR'));
  });

  it('departure commands print amounts with the digits of their currency', async () => {
    expect(await textOf('departure list da-nang')).toMatch(/ 9,950,000 VND /);
    const rows = (await textOf('departure list gaudi')).split('\n');
    expect(rows[1]).toMatch(/ adult 72\.80 EUR /);
    expect(rows[2]).toMatch(/ adult 1,020\.00 EUR /);
    expect(await textOf('departure set-price gaudi 2031-05-01 --adult 72.5 --child 60')).toBe(
      'gaudi on 2031-05-01 costs adult 72.50 EUR, child 60.00 EUR\n',
    );
    await textOf('departure set-price gaudi 2031-05-01 --adult 72.8');
  });

  it('booking and hold commands print amounts with the digits of their currency', async () => {
    expect(await textOf('booking list')).toMatch(/ 9,950,000 VND +1,990,000 VND /);
    const shown = await textOf(`booking show ${booking}`);
    expect(shown).toMatch(/^total_price +9,950,000 VND$/m);
    expect(shown).toMatch(/^deposit_total +1,990,000 VND$/m);
    expect(shown).toContain("9,950,000 VND, the platform's own price; child 6,250,000 VND");
    expect(await textOf(`booking confirm ${booking}`)).toMatch(/^total_price +9,950,000 VND$/m);
    const held = await textOf(`hold show ${hold}`);
    expect(held).toMatch(/^unit_price +9,950,000 VND$/m);
    expect(held).toContain('9,950,000 VND, the');
  });

  it('pricing commands print amounts with the digits of their currency', async () => {
    const { slug } = sales.tenant;
    expect(await textOf(`pricing add ${slug} --price 72.5 --tour gaudi --yes`)).toMatch(
      /^price +72\.50 EUR$/m,
    );
    expect(await textOf(`pricing add ${slug} --amount -1200.5 --continent asia --yes`)).toMatch(
      /^amount +-1,200\.50 EUR$/m,
    );
    const rules = await textOf(`pricing show ${slug}`);
    expect(rules).toMatch(/ 72\.50 EUR /);
    expect(rules).toMatch(/ -1,200\.50 EUR /);
    const simulated = await textOf(`pricing simulate ${slug} gaudi --date 2031-05-01 --adults 2`);
    expect(simulated).toMatch(/^party +2 × adult 72\.50 EUR$/m);
    expect(simulated).toMatch(/^platform_price +72\.80 EUR$/m);
    expect(simulated).toMatch(/^total_price +145\.00 EUR$/m);
    expect(simulated).toMatch(/decided by rule \d+ \(gaudi: 72\.50 EUR, any time\)/);
  });

  it('JSON documents contain amounts as numbers', async () => {
    const { items } = await sales.json('departure list gaudi');
    expect(items[0]).toMatchObject({ currency: 'EUR', prices: { adult: 72.8 } });
    expect(await sales.json(`booking show ${booking}`)).toMatchObject({
      total_price: 9_950_000,
      currency: 'VND',
    });
  });
});

describe('tourctl catalog list', () => {
  it('tourctl catalog list shows the lowest price of an open departure, and the base price of a tour that has none', async () => {
    const { db } = sales;
    const alps = await givenTour(db, { slug: 'alps', name: 'Alps', basePriceMinor: 109_000 });
    const priceFrom = async () =>
      (await sales.json('catalog list --q alps')).items.map(
        (tour: { base_price: number; price_from: number }) => [tour.base_price, tour.price_from],
      );
    expect(await priceFrom()).toEqual([[1090, 1090]]);
    await givenDeparture(db, alps, { date: '2031-05-01', prices: { adult: 102_000 } });
    await givenDeparture(db, alps, { date: '2031-06-01', prices: { adult: 119_000 } });
    await givenDeparture(db, alps, { date: '2031-07-01', prices: { adult: 1000 }, status: 'cancelled' });
    await givenDeparture(db, alps, { date: '2020-07-01', prices: { adult: 2000 } });
    expect(await priceFrom()).toEqual([[1090, 1020]]);
    expect(await textOf('catalog list --q alps')).toMatch(/ 1,020\.00 EUR /);
  });
});
