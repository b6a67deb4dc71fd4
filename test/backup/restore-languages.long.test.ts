import path from 'node:path';
import { startApiProcess } from '../support/api-process';
import { daysFromToday, givenDeparture, givenKey, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { CUSTOMER } from '../support/website';
import type { TestTerminal } from '../cli/terminal';
import { useInstallations } from './installation';

const installations = useInstallations();
const file = path.join(useTemporaryFolder(), 'languages.backup');

const CATALOG = '/api/tenant/catalog';
const PATHS = [
  `${CATALOG}?lang=de`,
  `${CATALOG}?lang=fr`,
  CATALOG,
  `${CATALOG}?lang=de&q=seewanderung`,
  '/api/tenant/tours/lake?lang=de',
  '/api/tenant/tours/lake?lang=fr',
  '/api/tenant/tours/lake/departures',
];

interface Copy {
  /** The bytes of the answers by path. */
  answers: Record<string, string>;
  names: object[];
  /** The total price and the price calculation of a new booking. */
  sale: object;
}

/** Reads the catalog and books, through the API, as a website does. */
async function readCopy({ url, db }: TestTerminal, key: string): Promise<Copy> {
  const api = await startApiProcess(url);
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answers: Record<string, string> = {};
    for (const target of PATHS) {
      const answer = await fetch(api.baseUrl + target, { headers });
      expect([target, answer.status]).toEqual([target, 200]);
      answers[target] = await answer.text();
    }
    const body = JSON.stringify({ tour_id: 'lake', adults: 2, ...CUSTOMER });
    const booked = await fetch(`${api.baseUrl}/api/tenant/bookings`, { method: 'POST', headers, body });
    const { currency, total_price, price_breakdown } = (await booked.json()) as Record<string, unknown>;
    const names = await db('tour_names').orderBy(['tour_id', 'language']);
    return { answers, names, sale: { currency, total_price, price_breakdown } };
  } finally {
    await api.stop();
  }
}

describe('tourctl restore of a catalog with translations and exchange rates', () => {
  let before: Copy;
  let after: Copy;
  beforeAll(async () => {
    const source = await installations.migrated();
    const { db } = source;
    await source.json('rates set USD 1.25 CHF 0.9412 --date 2026-11-20');
    await source.json(
      'tenant create --slug acme --name Acme --booking-prefix ACME --status active --sell-in CHF',
    );
    const key = await givenKey(db, await db('tenants').where({ slug: 'acme' }).first());
    const lake = await givenTour(db, {
      slug: 'lake',
      name: 'Lake walk',
      summary: 'Around the lake',
      currency: 'USD',
      basePriceMinor: 123_456,
      translations: {
        de: { name: 'Seewanderung', summary: 'Rund um den See' },
        fr: { summary: 'Autour du lac' },
      },
    });
    await givenDeparture(db, lake, { date: daysFromToday(30), prices: { adult: 123_456, child: 33_333 } });
    await givenTour(db, { slug: 'alps', name: 'Zermatt', translations: { de: { name: 'Alpenblick' } } });
    await givenTour(db, { slug: 'bay', name: 'Bay' });
    await source.json(`backup --out ${file}`);
    before = await readCopy(source, key);
    const restored = await installations.bare();
    await restored.json(`restore ${file}`);
    after = await readCopy(restored, key);
  });

  const shownOf = (query: string) =>
    (JSON.parse(after.answers[CATALOG + query]!) as { items: Record<string, unknown>[] }).items.map(
      ({ name, summary, currency, price_from: from }) => ({ name, summary, currency, from }),
    );

  it('the restored installation answers the catalog, a tour and its dates with the same bytes in each language', () => {
    expect(after.answers).toEqual(before.answers);
  });

  it('the restored list in German is in the order of the German names, and q finds a German name', () => {
    expect(shownOf('?lang=de').map(({ name }) => name)).toEqual(['Alpenblick', 'Bay', 'Seewanderung']);
    expect(shownOf('?lang=de&q=seewanderung').map(({ name }) => name)).toEqual(['Seewanderung']);
    expect(shownOf('?lang=fr').map(({ name }) => name)).toEqual(['Bay', 'Lake walk', 'Zermatt']);
    expect(shownOf('?lang=fr')[1]).toMatchObject({ summary: 'Autour du lac' });
  });

  it('the restored names of tours have the same rows', () => {
    expect(after.names).toEqual(before.names);
    expect(after.names).toHaveLength(4);
  });

  it('the restored tenant sells at the same prices in its selling currency, with the same rate', () => {
    // 1,234.56 USD × 0.9412 CHF/EUR ÷ 1.25 USD/EUR
    expect(shownOf('?lang=fr')[1]).toMatchObject({ currency: 'CHF', from: 929.57 });
    expect(after.sale).toEqual(before.sale);
    expect(after.sale).toMatchObject({
      currency: 'CHF',
      total_price: 1859.14,
      price_breakdown: { converted_from: 'USD', rate_date: '2026-11-20' },
    });
  });
});
