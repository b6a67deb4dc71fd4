import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import currencyCodes from 'currency-codes';
import {
  demoCatalog,
  type DemoCatalogDeparture,
  demoSlugs,
  demoSoldOut,
} from '../../services/api/demo/demo-catalog';
import { addDays } from '../../services/platform/forms/days';
import { openOnes } from './open-departures';

const TODAY = '2025-06-01';
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const COVER_BYTES = 6_000;

/** A demo tour with the fields that these tests read. */
interface CatalogTour {
  slug: string;
  name: string;
  continent: string;
  country: string;
  duration_days: number;
  currency: string;
  base_price: number;
  summary: string;
  description: string;
  image_url: string;
  images: { url: string; alt: string }[];
  time_zone: string;
  start_time?: string;
  start_location: { lat: number; lng: number };
  end_location?: { lat: number; lng: number };
  itinerary: { day: number; title: string; description: string }[];
  booking_cutoff?: string;
  cancellation?: object;
  categories?: { code: string }[];
  departures: DemoCatalogDeparture[];
}

const typedCatalog = (today: string) => demoCatalog(today) as unknown as CatalogTour[];
const catalog = typedCatalog(TODAY);

const COVERS = join(__dirname, '../../seeds/covers');
const cover = (slug: string) => readFileSync(join(COVERS, `${slug}.svg`), 'utf8').trimEnd();

/** The number of days that several tests share, because one catalog takes 8 ms. */
const SHARED_DAYS = 200;
const remembered = new Map<string, CatalogTour[]>();
function catalogOf(today: string): CatalogTour[] {
  const tours = remembered.get(today) ?? typedCatalog(today);
  remembered.set(today, tours);
  return tours;
}

/** Returns `2025-06-01` and the days after it. */
function days(count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(TODAY, index));
}

function tourOf(tours: CatalogTour[], slug: string): CatalogTour {
  const tour = tours.find((one) => one.slug === slug);
  if (!tour) throw new Error(`no tour ${slug}`);
  return tour;
}

const dateOf = ({ departure_date }: DemoCatalogDeparture) => departure_date;

/** Returns the departures that can be booked on the day. */
function openFrom(departures: DemoCatalogDeparture[], day: string): DemoCatalogDeparture[] {
  return departures.filter(
    ({ departure_date, status, closes_at = '9' }) =>
      departure_date >= day && status === 'scheduled' && closes_at > `${day}T12`,
  );
}

/** Returns the upcoming departures of every tour, as `slug date time`. */
function upcoming(tours: CatalogTour[], after: string): string[] {
  return tours.flatMap((tour) =>
    tour.departures
      .filter((departure) => departure.departure_date > after)
      .map(({ departure_date, start_time = '' }) => `${tour.slug} ${departure_date} ${start_time}`),
  );
}

/** Returns tags that are opened and never closed, or closed and never opened. */
function unbalancedTags(svg: string): string[] {
  const open: string[] = [];
  for (const [, closing, name, selfClosing] of svg.matchAll(
    /<(\/?)([a-zA-Z]+)(?:\s+[\w-]+="[^"<>&]*")*(\/?)>/g,
  )) {
    if (closing) {
      if (open.pop() !== name) return [name ?? ''];
    } else if (!selfClosing) open.push(name ?? '');
  }
  return open;
}

describe('the demo catalog', () => {
  it('the demo catalog contains 51 tours, as README.md says, at least five on each of six continents', () => {
    expect(catalog.length).toBe(51);
    expect(readFileSync(join(__dirname, '../../README.md'), 'utf8')).toContain('with 51 demo tours.');
    const continents = new Map<string, number>();
    for (const { continent } of catalog) continents.set(continent, (continents.get(continent) ?? 0) + 1);
    expect([...continents.keys()].sort()).toEqual([
      'africa',
      'asia',
      'europe',
      'north-america',
      'oceania',
      'south-america',
    ]);
    expect(Math.min(...continents.values())).toBeGreaterThanOrEqual(5);
  });

  it('every slug is valid and unique', () => {
    expect(catalog.map(({ slug }) => slug).filter((slug) => !SLUG.test(slug))).toEqual([]);
    expect(new Set(catalog.map(({ slug }) => slug)).size).toBe(catalog.length);
  });

  it('the demo catalog contains only plain JSON in NFC', () => {
    const text = JSON.stringify(catalog);
    expect(JSON.parse(text)).toEqual(catalog);
    expect(text.normalize('NFC')).toBe(text);
  });

  it('the demo catalog names at least eight tours in scripts other than Latin', () => {
    const foreign = catalog.filter(({ name }) =>
      /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(name),
    );
    expect(foreign.length).toBeGreaterThanOrEqual(8);
  });

  it('every tour has an itinerary entry with title and text for each day', () => {
    for (const { itinerary = [], duration_days } of catalog) {
      expect(itinerary.map(({ day }) => day)).toEqual(days(duration_days).map((_, index) => index + 1));
      expect(
        itinerary.filter(({ title, description }) => !title || title.length > 60 || !description),
      ).toEqual([]);
    }
  });

  it('every tour has a summary of one sentence and a description of two or three paragraphs', () => {
    for (const { summary = '', description = '' } of catalog) {
      expect(summary).toMatch(/^[^.!?]+\.$/);
      expect(description.split('\n\n').length).toBeGreaterThanOrEqual(2);
      expect(description.split('\n\n').length).toBeLessThanOrEqual(3);
      expect(description.length).toBeLessThanOrEqual(2_000);
    }
  });

  it('every country, time zone and place exists', () => {
    const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    for (const tour of catalog) {
      expect(regions.of(tour.country)).toBeDefined();
      expect(() => new Intl.DateTimeFormat('en', { timeZone: tour.time_zone })).not.toThrow();
      for (const place of [tour.start_location, tour.end_location]) {
        expect(Math.abs(place?.lat ?? NaN)).toBeLessThanOrEqual(90);
        expect(Math.abs(place?.lng ?? NaN)).toBeLessThanOrEqual(180);
      }
    }
  });

  it('no price has more decimals than its currency, and currencies with 0, 2 and 3 decimals occur', () => {
    const digitsSeen = new Set<number>();
    for (const { slug, currency, base_price, departures = [] } of catalog) {
      const digits = currencyCodes.code(currency)?.digits ?? NaN;
      digitsSeen.add(digits);
      const amounts = [base_price, ...departures.flatMap(({ prices }) => Object.values<number>(prices))];
      expect({ slug, wrong: amounts.filter((amount) => Number(amount.toFixed(digits)) !== amount) }).toEqual({
        slug,
        wrong: [],
      });
      expect(amounts.filter((amount) => amount <= 0).length).toBe(
        slug === 'amsterdam-museum-first-hour' ? departures.length : 0,
      );
    }
    expect([...digitsSeen].sort()).toEqual([0, 2, 3]);
  });

  it('most tours vary their prices by season', () => {
    const seasonal = catalog.filter(
      (tour) => new Set(tour.departures.map(({ prices }) => Object.values(prices)[0])).size > 1,
    );
    expect(seasonal.length).toBeGreaterThan(catalog.length / 2);
  });

  it('four tours have price categories of their own: a museum, a private boat, a family ticket and a trek', () => {
    const codes = catalog.flatMap(({ slug, categories }) =>
      categories ? [[slug, categories.map(({ code }) => code)]] : [],
    );
    expect(Object.fromEntries(codes)).toEqual({
      'amsterdam-museum-first-hour': ['adult', 'senior', 'child', 'infant'],
      'kotor-bay-private-boat': ['boat'],
      'zanzibar-spice-and-stone-town': ['adult', 'child', 'family'],
      'annapurna-base-camp': ['adult', 'single_supplement', 'porter'],
    });
  });

  it('every departure has a price of each category of its tour, and of no other one', () => {
    for (const { slug, categories, departures } of catalog) {
      if (!categories) continue;
      const priced = new Set(departures.map(({ prices }) => Object.keys(prices).sort().join()));
      const codes = categories.map(({ code }) => code);
      expect({ slug, priced: [...priced] }).toEqual({ slug, priced: [codes.sort().join()] });
    }
  });

  it('most departures have a child price or a single supplement', () => {
    const departures = catalog.flatMap((tour) => tour.departures);
    const extended = departures.filter(({ prices }) => prices['child'] ?? prices['single_supplement']);
    expect(extended.length).toBeGreaterThan(departures.length / 2);
  });
});

describe('the departures of the demo catalog', () => {
  it('every tour has 4 to 28 upcoming dates within thirteen months, in the order of dates and times', () => {
    for (const today of [TODAY, '2025-12-31', '2026-03-15', '2028-02-29']) {
      for (const tour of typedCatalog(today)) {
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
      const counts = [...new Set(departures.map(dateOf))].map(
        (date) => departures.filter((one) => dateOf(one) === date).length,
      );
      const several = counts.map((count) => count === 2 || count === 3);
      expect(several.slice(1)).toEqual(several.slice(0, -1).map((before) => !before));
      expect(counts.filter((_, n) => !several[n]).every((count) => count === 1)).toBe(true);
      const first = departures.find((one) => one.start_time);
      expect(first!.start_time).toBe(start_time);
    }
  });

  it('on any day, the times of Barcelona lie before and after a change of the clocks', () => {
    const format = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Madrid', timeZoneName: 'shortOffset' });
    const offsetOf = (date: string) => format.format(new Date(`${date}T12:00:00Z`)).split(', ')[1];
    const weeks = days(366).filter((_, n) => n % 7 === 0);
    for (const today of weeks) {
      const { departures } = tourOf(catalogOf(today), 'barcelona-gaudi-early');
      const timed = departures.filter(({ start_time }) => start_time).map(dateOf);
      expect(new Set(timed.map(offsetOf)).size).toBe(2);
    }
  });

  it('on any day, 500 dates with one departure can still be booked tomorrow, as the benchmarks need', () => {
    for (const today of days(SHARED_DAYS)) {
      const dates = catalogOf(today).flatMap(({ departures }) => {
        const alone = departures.filter(
          (one) => departures.filter((other) => dateOf(other) === dateOf(one)).length === 1,
        );
        return openFrom(alone, addDays(today, 2));
      });
      expect(dates.length).toBeGreaterThanOrEqual(500);
    }
  });

  it('every departure returns on the last day of its tour and has 6 to 40 seats', () => {
    for (const tour of catalog) {
      for (const { departure_date, return_date, seats_total } of tour.departures) {
        expect(return_date).toBe(addDays(departure_date, tour.duration_days - 1));
        expect(seats_total).toBeGreaterThanOrEqual(6);
        expect(seats_total).toBeLessThanOrEqual(40);
      }
    }
  });

  it('a departure that closes for booking closes before its day', () => {
    const closing = catalog.flatMap(({ departures }) => departures).filter(({ closes_at }) => closes_at);
    expect(closing.length).toBeGreaterThan(0);
    for (const { departure_date, closes_at = '' } of closing) {
      expect(closes_at).toMatch(/^\d{4}-\d\d-\d\dT12:00:00Z$/);
      expect(closes_at.slice(0, 10) < departure_date).toBe(true);
    }
  });

  it('the catalog has three kinds of cancellation policy, and closes a tour and a schedule before the start', () => {
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
    const closing = catalog.flatMap(({ departures }) => departures.flatMap((one) => one.closes_before ?? []));
    expect([...new Set(closing)]).toEqual(['36h']);
  });

  it('on any day, one marked tour has a cancelled departure and another one a past departure', () => {
    for (const today of days(SHARED_DAYS)) {
      const all = catalogOf(today).flatMap((tour) =>
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

  it('on any day, the flagship tour has an open departure 14 days ahead with 12 seats', () => {
    for (const today of days(SHARED_DAYS)) {
      const [flagship] = catalogOf(today);
      expect(flagship!.slug).toBe(demoSlugs.flagship);
      expect(openOnes(flagship!, today)).not.toEqual([]);
    }
  });

  it("the next day's catalog keeps the upcoming departures and adds new ones only at the end", () => {
    for (const today of days(60)) {
      const tomorrow = addDays(today, 1);
      const before = catalogOf(today);
      const after = catalogOf(tomorrow);
      const kept = new Set(upcoming(after, tomorrow));
      expect(upcoming(before, tomorrow).filter((date) => !kept.has(date))).toEqual([]);
      for (const tour of before) {
        const last = tour.departures.at(-1)?.departure_date ?? '';
        const same = tourOf(after, tour.slug).departures.filter(
          ({ departure_date }) => departure_date > tomorrow && departure_date <= last,
        );
        expect(tour.departures.filter(({ departure_date }) => departure_date > tomorrow)).toEqual(same);
      }
    }
  });

  it('the departure that the demo sells out is scheduled and open, and stays the same until it is past', () => {
    let yesterday = demoSoldOut(TODAY);
    for (const today of days(SHARED_DAYS).slice(1)) {
      const soldOut = demoSoldOut(today);
      const departure = tourOf(catalogOf(today), soldOut.tour_slug).departures.find(
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
  it('every tour has one described cover picture, and every cover belongs to a tour', () => {
    for (const { slug, image_url, images = [] } of catalog) {
      expect(image_url).toBe(`/covers/${slug}.svg`);
      expect(images.map(({ url }) => url)).toEqual([image_url]);
      expect(images.every(({ alt }) => alt.startsWith('Drawing: '))).toBe(true);
    }
    const files = catalog.map(({ slug }) => `${slug}.svg`);
    expect(readdirSync(COVERS).sort()).toEqual(files.sort());
  });

  it('every cover is small, well-formed SVG without external content', () => {
    for (const { slug } of catalog) {
      const svg = cover(slug);
      expect(Buffer.byteLength(svg)).toBeLessThan(COVER_BYTES);
      expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 800">')).toBe(true);
      expect({ slug, unbalanced: unbalancedTags(svg) }).toEqual({ slug, unbalanced: [] });
      expect(svg.replace(/<\/?[a-zA-Z]+(?:\s+[\w-]+="[^"<>&]*")*\/?>/g, '')).toBe('');
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
        /https?:|\/\/|<script|<image|<style|<text|foreignObject|\son\w+=|style=|NaN|undefined|Infinity/,
      );
      for (const [, target] of svg.matchAll(/(?:href="|url\()([^")]*)/g)) expect(target).toMatch(/^#[a-z]$/);
    }
  });

  it('every cover defines each id once and refers only to defined ids', () => {
    for (const { slug } of catalog) {
      const svg = cover(slug);
      const ids = [...svg.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      const used = [...svg.matchAll(/(?:href="|url\()#([^")]*)/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(used.filter((id) => !ids.includes(id))).toEqual([]);
    }
  });

  it('no two tours have the same cover', () => {
    expect(new Set(catalog.map(({ slug }) => cover(slug))).size).toBe(catalog.length);
  });
});
