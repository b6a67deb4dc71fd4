import { readRatesFile } from '../../services/api/pricing/rates-file';

const XML_HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ' +
  'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject><Cube>';
const xml = (cubes: string) => `${XML_HEAD}${cubes}</Cube></gesmes:Envelope>`;
const USD_AND_JPY = [
  { currency: 'USD', unitsPerEur: '1.0812' },
  { currency: 'JPY', unitsPerEur: '168.42' },
];

describe('a file of reference rates', () => {
  it.each([
    ['the CSV of a day', 'Date, USD, JPY, \n25 November 2026, 1.0812, 168.42, \n'],
    ['a CSV whose lines lack the last comma', 'Date, USD, JPY, \n2026-11-25, 1.0812, 168.42\n'],
    [
      'a CSV with a byte order mark and Windows line ends',
      '\ufeffDate,USD,JPY,\r\n2026-11-25,1.0812,168.42,\r\n',
    ],
    [
      'the CSV of all days, in any order',
      'Date,USD,CYP,JPY,\n2026-11-24,1.09,N/A,167,\n2026-11-25,1.0812,N/A,168.42,\n2026-11-23,1.10,0.5,166,\n',
    ],
    [
      'the XML of a day',
      xml(
        `<Cube time='2026-11-25'><Cube currency='USD' rate='1.0812'/><Cube currency="JPY" rate="168.42"/></Cube>`,
      ),
    ],
    [
      'the XML of all days',
      xml(
        `<Cube time='2026-11-24'><Cube currency='USD' rate='2'/></Cube>` +
          `<Cube time='2026-11-25'><Cube currency='USD' rate='1.0812'/><Cube currency='JPY' rate='168.42'/></Cube>`,
      ),
    ],
  ])('%s gives the newest rates', (_what, text) => {
    expect(readRatesFile(text)).toEqual({ date: '2026-11-25', rates: USD_AND_JPY, skipped: [] });
  });

  it('a file leaves out a currency that ISO 4217 does not have now, and names it', () => {
    const { rates, skipped } = readRatesFile('Date, USD, HRK, \n2026-11-25, 1.0812, 7.5, \n');
    expect([rates, skipped]).toEqual([[USD_AND_JPY[0]], ['HRK']]);
  });

  const day = (cubes: string) => xml(`<Cube time='2026-11-25'>${cubes}</Cube>`);

  it.each([
    ['an empty file', '', 'must begin with Date'],
    ['a web page', '<!doctype html><html><p>Not found</html>', 'Root element'],
    ['another CSV', 'slug,name\na,b\n', 'must begin with Date'],
    ['a CSV without a line of rates', 'Date, USD\n', 'no day with rates'],
    ['a date that does not exist', 'Date, USD\n2026-02-30, 1.08\n', 'line 2 must begin with a date'],
    ['a month in another language', 'Date, USD\n25 novembre 2026, 1.08\n', 'line 2 must begin with a date'],
    ['more cells than columns', 'Date, USD\n2026-11-25, 1.08, 7\n', 'too many cells'],
    ['a line that is cut off after a rate', 'Date, USD, JPY, \n2026-11-25, 1.08', 'line 2 has fewer cells'],
    [
      'a last line that is cut off',
      'Date,USD,JPY,\n2026-11-25,1.08,168.42,\n2026-11-24,1.0',
      'line 3 has fewer cells',
    ],
    ['a rate of 0', 'Date, USD\n2026-11-25, 0\n', 'USD of 2026-11-25 must be a number above 0'],
    ['a negative rate', 'Date, USD\n2026-11-25, -1.08\n', 'USD of 2026-11-25'],
    ['an exponent', 'Date, USD\n2026-11-25, 1e3\n', 'USD of 2026-11-25'],
    ['a decimal comma', 'Date, USD\n2026-11-25, "1,0812"\n', 'USD of 2026-11-25'],
    ['eleven decimals', 'Date, USD\n2026-11-25, 1.08120000001\n', 'at most 10 decimals'],
    ['a currency twice', 'Date, USD, USD\n2026-11-25, 1, 2\n', 'USD twice'],
    ['a rate of the euro', 'Date, USD, EUR\n2026-11-25, 1.08, 1\n', 'EUR must be the base'],
    ['no rate at all', 'Date, USD\n2026-11-25, N/A\n', 'no rate of 2026-11-25'],
    ['an open quote', 'Date, USD\n2026-11-25, "1.08\n', 'refused'],
    ['XML that is cut off', day(`<Cube currency='USD' rate='1.08'/>`).slice(0, -20), 'end tag'],
    ['XML without a time', xml(`<Cube currency='USD' rate='1.08'/>`), 'no day with rates'],
    ['XML with an empty rate', day(`<Cube currency='USD' rate=''/>`), 'USD of 2026-11-25'],
    ['XML without a rate', day(`<Cube currency='USD'/>`), 'USD of 2026-11-25'],
    ['a currency in lower case', day(`<Cube currency='usd' rate='1'/>`), 'a code such as USD'],
    [
      'an entity of another file',
      `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${day(`<Cube currency='&x;' rate='1'/>`).replace(/^<\?.*\?>/, '')}`,
      "isn't defined",
    ],
    [
      'a rate that is not a direct child of its day',
      day(`<Cube><Cube currency='USD' rate='1'/></Cube>`),
      'no rate of',
    ],
    ...[11, 400, 5_000, 100_000].map((depth): [string, string, string] => [
      `XML with ${depth} nested elements`,
      '<Cube>'.repeat(depth) + '</Cube>'.repeat(depth),
      'nested too deeply',
    ]),
  ])('%s is refused with the reason', (_what, text, reason) => {
    expect(() => readRatesFile(text)).toThrow(reason);
  });

  it('entities that expand a billion times are refused at once', () => {
    const levels = Array.from({ length: 10 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      '',
    );
    const bomb = `<!DOCTYPE a [<!ENTITY l0 "lol">${levels}]><a>&l10;</a>`;
    const begun = performance.now();
    expect(() => readRatesFile(bomb)).toThrow("isn't defined");
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('400 nested days are refused at once, because each element is read only once', () => {
    const nested = `<Cube time='2026-11-25'>`.repeat(400) + '</Cube>'.repeat(400);
    const begun = performance.now();
    expect(() => readRatesFile(nested)).toThrow('nested too deeply');
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('the XML of 7,000 days is read, and its newest day is used', () => {
    const first = Date.parse('2007-09-28');
    const days = Array.from({ length: 7_000 }, (_, n) => {
      const date = new Date(first + n * 86_400_000).toISOString().slice(0, 10);
      return `<Cube time="${date}"><Cube currency="USD" rate="1.0812"/><Cube currency="JPY" rate="168.42"/></Cube>`;
    });
    const { date, rates } = readRatesFile(xml(days.reverse().join('')));
    expect([date, rates]).toEqual(['2026-11-26', USD_AND_JPY]);
  });
});
