import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseXml } from '@rgrove/parse-xml';
import currencyCodes from 'currency-codes';
import {
  demoCatalog,
  type DemoCatalogDeparture,
  type DemoCatalogTour,
  demoClosing,
  demoResources,
  demoSlugs,
  demoSoldOut,
} from '../../services/api/demo/demo-catalog';
import { addDays } from '../../services/platform/forms/days';

/*
 * Tests what the import of the demo (test/cli/seed-demo.long.test.ts) does not refuse. The import refuses slugs, countries, time zones,
 * places, amounts, categories and closing times that are not valid.
 */

const TODAY = '2025-06-01';
const COVERS = join(__dirname, '../../seeds/covers');
const COVER_BYTES = 6_000;

/** A demo tour with the further fields that these tests read. */
type CatalogTour = DemoCatalogTour & {
  continent: string;
  summary: string;
  description: string;
  images: { url: string; alt: string }[];
  start_time?: string;
  itinerary: { day: number; title: string; description: string }[];
  booking_cutoff?: string;
  cancellation?: object;
};

const catalogOf = (today: string) => demoCatalog(today) as CatalogTour[];
const catalog = catalogOf(TODAY);
/** The catalogs of 200 days. */
const NEXT = Array.from({ length: 200 }, (_, n) => {
  const today = addDays(TODAY, n);
  return { today, tours: catalogOf(today) };
});

const dateOf = ({ departure_date }: DemoCatalogDeparture) => departure_date;
const ofDate = (departures: DemoCatalogDeparture[], date: string) =>
  departures.filter((one) => dateOf(one) === date);

function tourOf(tours: CatalogTour[], slug: string): CatalogTour {
  const tour = tours.find((one) => one.slug === slug);
  if (!tour) throw new Error(`no tour ${slug}`);
  return tour;
}

/** Returns the slugs of the tours for which the check is false. */
const failing = (check: (tour: CatalogTour) => boolean) =>
  catalog.filter((tour) => !check(tour)).map(({ slug }) => slug);

describe('the demo catalog', () => {
  it('the demo catalog contains 53 tours, as README.md says, at least five on each of six continents', () => {
    expect(catalog.length).toBe(53);
    expect(readFileSync(join(__dirname, '../../README.md'), 'utf8')).toContain('with 53 demo tours.');
    const continents = [...new Set(catalog.map(({ continent }) => continent))];
    const sizes = continents.map((one) => catalog.filter(({ continent }) => continent === one).length);
    expect([sizes.length, Math.min(...sizes) >= 5]).toEqual([6, true]);
  });

  it('every tour has a summary of one sentence, two or three paragraphs, and a text for each of its days', () => {
    expect(failing(({ summary }) => /^[^.!?]+\.$/.test(summary))).toEqual([]);
    expect(failing(({ description }) => /^(?:.+\n\n){1,2}.+$/.test(description))).toEqual([]);
    expect(failing((tour) => JSON.stringify(tour).normalize('NFC') === JSON.stringify(tour))).toEqual([]);
    expect(
      failing(
        ({ itinerary, duration_days }) =>
          itinerary.length === duration_days &&
          itinerary.every(({ day, title, description }, n) => day === n + 1 && title && description),
      ),
    ).toEqual([]);
  });

  it('the demo catalog shows scripts, currencies, seasons, categories, policies and closings of each kind', () => {
    const foreign = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
    expect(catalog.filter(({ name }) => foreign.test(name)).length).toBeGreaterThanOrEqual(8);
    const digits = catalog.map(({ currency }) => currencyCodes.code(currency)?.digits);
    expect([...new Set(digits)].sort()).toEqual([0, 2, 3]);
    const isSeasonal = ({ departures }: CatalogTour) =>
      new Set(departures.map(({ prices }) => Object.values(prices)[0])).size > 1;
    expect(catalog.filter(isSeasonal).length).toBeGreaterThan(catalog.length / 2);
    const own = catalog.flatMap(({ slug, categories }) =>
      categories ? [[slug, categories.map(({ code }) => code)]] : [],
    );
    expect(Object.fromEntries(own)).toEqual({
      'amsterdam-museum-first-hour': ['adult', 'senior', 'child', 'infant'],
      'gozo-two-dives': ['adult'],
      'kotor-bay-private-boat': ['boat'],
      'zanzibar-spice-and-stone-town': ['adult', 'child', 'family'],
      'annapurna-base-camp': ['adult', 'single_supplement', 'porter'],
    });
    expect(catalog.flatMap(({ cancellation }) => cancellation ?? [])).toEqual([
      {
        tiers: [
          { until: '30d', refund_percent: 100 },
          { until: '7d', refund_percent: 50 },
        ],
      },
      { tiers: [{ until: '24h', refund_percent: 100 }] },
      { tiers: [] },
    ]);
    expect(catalog.flatMap(({ booking_cutoff }) => booking_cutoff ?? [])).toEqual(['18h']);
    const all = catalog.flatMap(({ departures }) => departures);
    expect([...new Set(all.flatMap(({ closes_before }) => closes_before ?? []))]).toEqual(['36h']);
    expect(all.some(({ closes_at }) => closes_at)).toBe(true);
  });
});

describe('the resources of the demo', () => {
  it('two tours of the demo share one boat, three have one guide, and one has a van that is closed on one of its dates', () => {
    const usersOf = (code: string) =>
      catalog.flatMap(({ slug, uses = [] }) =>
        uses.some(({ resource }) => resource === code) ? [slug] : [],
      );
    expect(demoResources().map(({ code }) => [code, usersOf(code)])).toEqual([
      ['boat-mekong', ['luang-prabang-mekong', 'western-laos-slow-boat']],
      ['guide-inti', ['salkantay-machu-picchu', 'torres-del-paine-w', 'uyuni-to-atacama']],
      ['van-uyuni', ['uyuni-to-atacama']],
    ]);
    const boats = ['luang-prabang-mekong', 'western-laos-slow-boat'].map((slug) =>
      tourOf(catalog, slug).departures.map(dateOf),
    );
    expect(boats[0]).toEqual(boats[1]);
    for (const { today, tours } of NEXT) {
      const { code, from, to } = demoClosing(today);
      expect([code, addDays(from, 1)]).toEqual(['van-uyuni', to]);
      expect(tourOf(tours, 'uyuni-to-atacama').departures.map(dateOf)).toContain(from);
    }
  });
});

describe('the departures of the demo catalog', () => {
  it('every departure returns on the last day of its tour, has 6 to 40 seats, and a price of each category', () => {
    for (const { slug, duration_days, categories, departures } of catalog) {
      for (const { departure_date, return_date, seats_total, prices } of departures) {
        expect([slug, return_date]).toEqual([slug, addDays(departure_date, duration_days - 1)]);
        expect([slug, seats_total >= 6 && seats_total <= 40]).toEqual([slug, true]);
        const priced = Object.keys(prices).sort();
        expect([slug, priced]).toEqual([slug, categories?.map(({ code }) => code).sort() ?? priced]);
      }
    }
    const all = catalog.flatMap(({ departures }) => departures);
    const extended = all.filter(({ prices }) => prices.child ?? prices.single_supplement);
    expect(extended.length).toBeGreaterThan(all.length / 2);
    const free = catalog.filter((tour) =>
      tour.departures.some(({ prices }) => Math.min(...Object.values(prices)) <= 0),
    );
    expect(free.map(({ slug }) => slug)).toEqual(['amsterdam-museum-first-hour']);
  });

  it('every tour has 4 to 28 upcoming dates within thirteen months, in the order of dates and times', () => {
    for (const today of [TODAY, '2025-12-31', '2026-03-15', '2028-02-29']) {
      for (const tour of catalogOf(today)) {
        const starts = tour.departures.map(
          ({ departure_date, start_time = '' }) => `${departure_date} ${start_time}`,
        );
        const dates = new Set(tour.departures.map(({ departure_date }) => departure_date));
        const ahead = [...dates].filter((date) => date > today);
        expect(ahead.length).toBeGreaterThanOrEqual(4);
        expect(ahead.length).toBeLessThanOrEqual(28);
        expect(new Set(starts).size).toBe(starts.length);
        expect(starts).toEqual([...starts].sort());
        expect({ slug: tour.slug, late: ahead.filter((date) => date > addDays(today, 400)) }).toEqual({
          slug: tour.slug,
          late: [],
        });
      }
    }
  });

  it('four tours have two or three departures on every second date, and all others one a day', () => {
    const found = catalog.filter(
      ({ departures }) => new Set(departures.map(dateOf)).size < departures.length,
    );
    expect(found.map(({ slug }) => slug)).toEqual([
      'zanzibar-spice-and-stone-town',
      'barcelona-gaudi-early',
      'new-york-harlem-to-brooklyn',
      'buenos-aires-san-telmo-sunday',
    ]);
    for (const { departures, start_time } of found) {
      const counts = [...new Set(departures.map(dateOf))].map((date) => ofDate(departures, date).length);
      const several = counts.map((count) => count === 2 || count === 3);
      expect(several.slice(1)).toEqual(several.slice(0, -1).map((before) => !before));
      expect(counts.filter((_, n) => !several[n]).every((count) => count === 1)).toBe(true);
      expect(departures.find((one) => one.start_time)!.start_time).toBe(start_time);
    }
  });

  it('on any day, the times of Barcelona lie before and after a change of the clocks', () => {
    const format = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Madrid', timeZoneName: 'shortOffset' });
    const offsetOf = (date: string) => format.format(new Date(`${date}T12:00:00Z`)).split(', ')[1];
    for (let week = 0; week < 53; week++) {
      const today = addDays(TODAY, 7 * week);
      const { departures } = tourOf(catalogOf(today), 'barcelona-gaudi-early');
      const timed = departures.filter(({ start_time }) => start_time).map(dateOf);
      expect(new Set(timed.map(offsetOf)).size).toBe(2);
    }
  });

  it('on any day, 500 dates with one departure can still be booked tomorrow, as the benchmarks need', () => {
    for (const { today, tours } of NEXT) {
      const day = addDays(today, 2);
      const dates = tours.flatMap(({ departures }) =>
        departures.filter(
          (one) =>
            dateOf(one) >= day &&
            one.status === 'scheduled' &&
            (one.closes_at ?? '9') > `${day}T12` &&
            ofDate(departures, dateOf(one)).length === 1,
        ),
      );
      expect(dates.length).toBeGreaterThanOrEqual(500);
    }
  });

  it('on any day, one marked tour has a cancelled departure and another one a past departure', () => {
    for (const { today, tours } of NEXT) {
      const all = tours.flatMap((tour) =>
        tour.departures.map((departure) => ({ slug: tour.slug, ...departure })),
      );
      expect(all.filter(({ status }) => status === 'cancelled').map(({ slug }) => slug)).toEqual([
        demoSlugs.cancelled,
      ]);
      const past = all.filter(({ departure_date }) => departure_date < today);
      expect(past.map(({ slug }) => slug)).toEqual([demoSlugs.past]);
      expect((past[0]?.departure_date ?? '') >= addDays(today, -7)).toBe(true);
    }
  });

  it("the next day's catalog keeps the upcoming departures and adds new ones only at the end", () => {
    for (const [n, { tours }] of NEXT.slice(0, 60).entries()) {
      const { today: tomorrow, tours: after } = NEXT[n + 1]!;
      for (const { slug, departures } of tours) {
        const upcoming = (of: DemoCatalogDeparture[]) => of.filter((one) => dateOf(one) > tomorrow);
        const kept = upcoming(departures);
        expect([slug, upcoming(tourOf(after, slug).departures).slice(0, kept.length)]).toEqual([slug, kept]);
      }
    }
  });

  it('the departure that the demo sells out is scheduled and open, and stays the same until it is past', () => {
    let yesterday = demoSoldOut(TODAY);
    for (const { today, tours } of NEXT.slice(1)) {
      const soldOut = demoSoldOut(today);
      const departure = tourOf(tours, soldOut.tour_slug).departures.find(
        ({ departure_date }) => departure_date === soldOut.departure_date,
      );
      expect(departure).toMatchObject({ seats_total: soldOut.seats_total, status: 'scheduled' });
      expect(departure).not.toHaveProperty('closes_at');
      expect(yesterday.departure_date > today ? soldOut : yesterday).toEqual(yesterday);
      yesterday = soldOut;
    }
  });

  it('the catalog does not depend on the time zone of the process', () => {
    const script = `process.stdout.write(JSON.stringify(require('./dist/services/api/demo/demo-catalog').demoCatalog('${TODAY}')))`;
    for (const TZ of ['Pacific/Kiritimati', 'America/Los_Angeles']) {
      const output = execFileSync(process.execPath, ['-e', script], {
        cwd: join(__dirname, '../..'),
        env: { ...process.env, TZ },
        encoding: 'utf8',
        maxBuffer: 16 * 1024 * 1024,
      });
      expect(JSON.parse(output)).toEqual(catalog);
    }
  });
});

describe('the cover pictures', () => {
  const covers = catalog.map(({ slug }) => readFileSync(join(COVERS, `${slug}.svg`), 'utf8').trimEnd());

  it('every tour has one described cover picture of its own, and every cover belongs to a tour', () => {
    const isDescribed = ({ slug, image_url, images }: CatalogTour) =>
      image_url === `/covers/${slug}.svg` &&
      images.map(({ url }) => url).join() === image_url &&
      images[0]!.alt.startsWith('Drawing: ');
    expect(failing(isDescribed)).toEqual([]);
    expect(readdirSync(COVERS).sort()).toEqual(catalog.map(({ slug }) => `${slug}.svg`).sort());
    expect(new Set(covers).size).toBe(catalog.length);
  });

  it('every cover is small, well-formed SVG without external content, and refers to ids that it defines once', () => {
    for (const svg of covers) {
      expect(Buffer.byteLength(svg)).toBeLessThan(COVER_BYTES);
      expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 800">')).toBe(true);
      expect(parseXml(svg).root?.name).toBe('svg');
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
        /https?:|\/\/|<script|<image|<style|<text|foreignObject|\son\w+=|style=|NaN|undefined|Infinity/,
      );
      const ids = [...svg.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => `#${id}`);
      const used = [...svg.matchAll(/(?:href="|url\()([^")]*)/g)].map(([, target]) => target!);
      expect(new Set(ids).size).toBe(ids.length);
      expect(used.filter((target) => !ids.includes(target))).toEqual([]);
    }
  });
});
