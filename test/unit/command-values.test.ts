import { UsageError } from '../../cli/engine/failure';
import * as values from '../../cli/engine/values';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['45s', 45],
    ['30m', 1800],
    ['24h', 86_400],
    ['90d', 7_776_000],
    ['3650d', 315_360_000],
  ])('the parser of durations reads %s as %i seconds', (text, seconds) => {
    expect(values.parseDuration(text)).toBe(seconds);
  });

  it.each(['', '90', 'd', '-1d', '1.5h', '1w', '24H', '1h30m', ' 1h', '3651d', '9999999999d', '0x1h'])(
    'the parser of durations refuses "%s" as a duration',
    (text) => {
      expect(values.parseDuration(text)).toBeUndefined();
    },
  );
});

describe('the value of a flag', () => {
  const percent = values.decimal(0, 100, 2);
  const window = values.orNone(values.duration());

  it.each([
    ['a percentage', percent, '20', '20'],
    ['a percentage with decimals', percent, '12.5', '12.5'],
    ['minutes', values.minutes(1, 60), '20', 20],
    ['minutes with a unit', values.minutes(1, 60), '20m', 20],
    ['minutes in hours', values.minutes(1, 60), '1h', 60],
    ['a window', window, '72h', 259_200],
    ['no window', window, 'none', null],
    ['none in capital letters', window, 'NONE', null],
    ['a currency in small letters', values.currency, 'jpy', { code: 'JPY', digits: 0 }],
    ['a currency of three digits', values.currency, 'KWD', { code: 'KWD', digits: 3 }],
    ['a country in small letters', values.country, 'vn', 'VN'],
    ['a country without telephones', values.country, 'AQ', 'AQ'],
    [
      'a hold in capitals',
      values.uuid,
      '0190C1DE-7C1B-7C3E-8F00-0000000000AF',
      '0190c1de-7c1b-7c3e-8f00-0000000000af',
    ],
    ['a leap day', values.travelDate, '2028-02-29', '2028-02-29'],
    ['a name with a combining accent', values.line(200), 'Cafe\u0301 ', 'Café'],
    ['a start time with seconds', values.startTime, '09:30:00', '09:30'],
    [
      'a departure with seconds',
      values.departureOnDate,
      '2027-05-01T09:30:00',
      { date: '2027-05-01', time: '09:30' },
    ],
    ['a colour', values.color, '#0A7D5C', '#0a7d5c'],
    ['a link', values.linkTemplate, 'https://a.example/t/{slug}?x=1', 'https://a.example/t/{slug}?x=1'],
    [
      'a link of development',
      values.linkTemplate,
      'http://localhost:3000/{slug}',
      'http://localhost:3000/{slug}',
    ],
  ])(
    'the terminal accepts %s as the value of a flag',
    (_, parse: (text: string, name: string) => unknown, text, expected) => {
      expect(parse(text, '--flag')).toEqual(expected);
    },
  );

  it.each([
    ['a percentage above 100', percent, '100.01', '--flag must be a number from 0 to 100'],
    [
      'a name that overrides the direction of text',
      values.line(200),
      'Ana\u202e',
      'must not contain control characters',
    ],
    ['a start time with other seconds', values.startTime, '09:30:30', 'a time of the day such as 09:30'],
    ['a negative percentage', percent, '-1', '--flag must be a number from 0 to 100'],
    ['a percentage of three decimals', percent, '1.234', 'with at most 2 decimals'],
    ['a percentage with a comma', percent, '12,5', 'a number from 0 to 100'],
    ['an exponent', percent, '1e1', 'a number from 0 to 100'],
    ['a whole number with decimals', values.wholeNumber(1, 9), '1.5', 'a whole number from 1 to 9'],
    ['a limit of 0', values.limit, '0', 'from 1 to 1000'],
    ['a limit of 1001', values.limit, '1001', 'from 1 to 1000'],
    ['minutes above the maximum', values.minutes(1, 60), '61', 'from 1 to 60 minutes'],
    ['half minutes', values.minutes(1, 60), '90s', 'from 1 to 60 minutes'],
    ['a window of 0', window, '0', 'a duration such as 90d, 24h or 30m, or none'],
    ['a slug with capitals', values.slug, 'Acme', '2 to 63 of a-z'],
    ['a slug that ends in a dash', values.slug, 'acme-', '2 to 63 of a-z'],
    ['a slug like a UUID', values.slug, '0190c1de-7c1b-7c3e-8f00-000000000000', '2 to 63 of a-z'],
    ['a prefix in small letters', values.bookingPrefix, 'acme', '2 to 10 of A-Z'],
    ['a prefix too long', values.bookingPrefix, 'ABCDEFGHIJK', '2 to 10 of A-Z'],
    ['an unknown currency', values.currency, 'EUX', 'ISO 4217'],
    ['gold', values.currency, 'XAU', 'ISO 4217'],
    ['an unknown country', values.country, 'ZZ', 'ISO 3166'],
    ['a telephone country that is none of ISO', values.country, 'AC', 'ISO 3166'],
    ['a country by name', values.country, 'Germany', 'ISO 3166'],
    ['an empty name', values.line(200), '  ', '--flag must not be empty'],
    ['a name of two lines', values.line(200), 'a\nb', 'must not contain control characters'],
    ['a name too long', values.line(200), 'a'.repeat(201), 'must have at most 200 characters'],
    ['a colour by name', values.color, 'red', 'a colour such as'],
    ['a picture over http', values.httpsUrl, 'http://a.example/x.png', 'https://'],
    ['a script', values.httpsUrl, 'javascript:alert(1)', 'https://'],
    ['a link without a slug', values.linkTemplate, 'https://a.example/', '{slug}'],
    [
      'a link with the slug in its host',
      values.linkTemplate,
      'https://{slug}.example/',
      '{slug} in its path',
    ],
    ['a link over http', values.linkTemplate, 'http://a.example/{slug}', 'https://'],
    ['a link to localhost without a port', values.linkTemplate, 'http://localhost/{slug}', 'https://'],
    ['a link to a script', values.linkTemplate, 'javascript:{slug}', 'https://'],
    ['an id with its secret', values.credentialId, 'svc_live_abc', 'never the secret'],
    ['a day that does not exist', values.moment, '2026-02-30', 'a time such as'],
    ['a travel date that does not exist', values.travelDate, '2027-02-29', 'a calendar date'],
    ['a travel date that the database does not know', values.travelDate, '0000-01-01', 'a calendar date'],
    ['a reference in small letters', values.bookingRef, 'acme-1042', 'such as ACME-1042'],
    ['a time without a zone', values.moment, '2026-02-03T10:00', 'a time such as'],
  ])(
    'the terminal refuses %s as the value of a flag',
    (_, parse: (text: string, name: string) => unknown, text, message) => {
      expect(() => parse(text, '--flag')).toThrow(UsageError);
      expect(() => parse(text, '--flag')).toThrow(message);
    },
  );
});
