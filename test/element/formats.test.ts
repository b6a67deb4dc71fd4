import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { codes } from 'currency-codes';
import { digitsOf, formatsOf } from '../../clients/booking-element/src/formats';
import { storedCurrencyDigits } from '../../services/api/pricing/currency';
import { LOAD_TYPESCRIPT } from '../support/service-entry';

const FORMATS = path.resolve(__dirname, '../../clients/booking-element/src/formats.ts');

/**
 * Returns the minutes from a time zone to UTC, and texts in British English. Runs in a process of that zone, because Node reads TZ when it
 * starts, and Jest gives a test a copy of the environment.
 */
function formattedIn(zone: string): [number, ...string[]] {
  const script = `
    const formats = require(${JSON.stringify(FORMATS)}).formatsOf('en-GB');
    process.stdout.write(JSON.stringify([
      new Date('2027-03-06').getTimezoneOffset(),
      formats.date('2027-03-06'),
      formats.month('2027-03'),
      formats.time('09:30'),
      formats.weekdays[0].short,
      formats.instant('2027-03-06T12:05:00Z'),
      formats.instant('2027-03-06T12:05:00Z', 'Europe/London'),
    ]))`;
  const output = execFileSync(process.execPath, [...LOAD_TYPESCRIPT, '--eval', script], {
    env: { ...process.env, TZ: zone },
    encoding: 'utf8',
  });
  return JSON.parse(output) as [number, ...string[]];
}

/** Intl puts spaces that do not break into amounts. */
const plain = (text: string) =>
  text
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/[\u2066\u2069\u200f]/g, '')
    .replace('’', "'");

describe('the formats of the element', () => {
  it('the formats have the decimals that the platform has for each currency', () => {
    const differing = [...codes(), 'XCG'].filter((code) => {
      const digits = storedCurrencyDigits(code);
      return digits !== undefined && digits !== digitsOf(code);
    });
    expect(differing).toEqual([]);
  });

  it.each([
    ['en', 1290, 'EUR', '€1,290'],
    ['de', 1290, 'EUR', '1.290 €'],
    ['de-CH', 1290.5, 'CHF', "CHF 1'290.50"],
    ['en', 311.5, 'USD', '$311.50'],
    ['ja', 128_000, 'JPY', '￥128,000'],
    ['en', 12.5, 'KWD', 'KWD 12.500'],
    ['en', 150_000.5, 'IDR', 'IDR 150,000.50'],
    ['ar', 12.5, 'USD', '12.50 US$'],
  ])('the formats write money in %s: %d %s is %s', (lang, amount, currency, text) => {
    expect(plain(formatsOf(lang).money(amount, currency))).toBe(text);
  });

  it.each([
    ['en', 9.5, 'USD', '9.50'],
    ['en', 311, 'USD', '311'],
    ['en', 1_482.5, 'USD', '1,483'],
    ['en', 128_000, 'USD', '128K'],
    ['ja', 128_000, 'JPY', '12.8万'],
    ['en', 12.34, 'KWD', '12.340'],
    ['en', 1_127.125, 'KWD', '1,127'],
    ['de', 8_900_000, 'VND', '8,9 Mio.'],
  ])('short money in %s has all decimals or none: %d %s is %s', (lang, amount, currency, text) => {
    expect(plain(formatsOf(lang).shortMoney(amount, currency))).toBe(text);
  });

  it('short money may break between a number and its unit, but not in a number', () => {
    expect(formatsOf('de').shortMoney(8_900_000, 'VND')).toBe('8,9 Mio.');
    expect(formatsOf('fr-CA').shortMoney(2_890, 'CAD')).toBe('2\u00a0890');
  });

  it.each([
    ['Pacific/Kiritimati', -840, '7 March 2027 at 02:05', '7 March 2027 at 02:05 (GMT+14)'],
    ['Pacific/Pago_Pago', 660, '6 March 2027 at 01:05', '6 March 2027 at 01:05 (GMT-11)'],
    ['UTC', 0, '6 March 2027 at 12:05', '6 March 2027 at 12:05'],
  ])(
    'a visitor in the time zone %s reads the local day and time of a departure, and an instant in that zone, which is named where it is not that of the tour',
    (zone, offset, ...instants) => {
      const [known, ...texts] = formattedIn(zone);
      expect(known).toBe(offset);
      const day = expect.stringMatching(/^Saturday,? 6 March 2027$/) as string;
      expect(texts.map(plain)).toEqual([day, 'March 2027', '09:30', 'Mon', ...instants]);
    },
  );

  it.each(['ar-SA', 'en-u-ca-buddhist', 'ja-JP-u-ca-japanese', 'en-TH-u-ca-buddhist'])(
    'the dates in %s are those of the platform, in the Gregorian calendar',
    (locale) => {
      const { date, month, instant } = formatsOf(locale);
      const numbers = new Intl.NumberFormat(locale, { useGrouping: false });
      for (const text of [date('2027-03-06'), month('2027-03'), instant('2027-03-06T12:00:00Z')])
        expect(text).toContain(numbers.format(2027));
    },
  );

  it('the formats write a cut-off with its unit, and the rest of a hold as minutes and seconds', () => {
    const { duration, countdown } = formatsOf('en');
    expect(['36h', '3d', '90m', '1d'].map(duration).map(plain)).toEqual([
      '36 hours',
      '3 days',
      '90 minutes',
      '1 day',
    ]);
    expect([845, 59, 0, 3600].map(countdown)).toEqual(['14:05', '0:59', '0:00', '60:00']);
  });
});
