import { parse } from 'csv-parse/sync';
import { parseXml, XmlElement, XmlError, type XmlNode } from '@rgrove/parse-xml';
import { isCalendarDate } from '../../platform/forms/days';
import type { UndatedRate } from './convert-price';
import { currencyDigits, isCurrencyCode } from './currency';
import { RatesFileRefusedError } from './pricing.errors';

/** The newest rates of a file. */
export interface RatesFile {
  /** YYYY-MM-DD */
  date: string;
  rates: UndatedRate[];
  /** Codes that ISO 4217 does not have now. Their rates are left out. */
  skipped: string[];
}

/** The rates of one day, as the file has them. */
interface DayOfRates {
  date: string;
  rates: [currency: string, units: string][];
}

/**
 * Reads the reference rates of the European Central Bank, as CSV or XML: those of a day, or those of all days, of which only the newest day
 * is used. The base of all rates is the euro.
 * @throws RatesFileRefusedError
 */
export function readRatesFile(text: string): RatesFile {
  const days = /^\ufeff?\s*</.test(text) ? readXml(text) : readCsv(text);
  const newest = days.reduce<DayOfRates | undefined>(
    (found, day) => (found && found.date >= day.date ? found : day),
    undefined,
  );
  if (!newest) throw new RatesFileRefusedError('it has no day with rates');
  return checkRates(newest);
}

/** Checks the currencies and the rates of a day. @throws RatesFileRefusedError */
function checkRates({ date, rates: found }: DayOfRates): RatesFile {
  const rates: RatesFile['rates'] = [];
  const skipped: string[] = [];
  for (const [currency, units] of found) {
    if (!isCurrencyCode(currency)) throw new RatesFileRefusedError('a currency must be a code such as USD');
    if (currencyDigits(currency) === undefined) skipped.push(currency);
    else if (isExchangeRate(units)) rates.push({ currency, unitsPerEur: units });
    else
      throw new RatesFileRefusedError(
        `${currency} of ${date} must be a number above 0 with at most 10 decimals`,
      );
  }
  const twice = found.map(([currency]) => currency).find((currency, n, all) => all.indexOf(currency) < n);
  if (twice !== undefined) throw new RatesFileRefusedError(`it has ${twice} twice`);
  if (rates.some(({ currency }) => currency === 'EUR'))
    throw new RatesFileRefusedError('it has a rate of EUR, but EUR must be the base of its rates');
  if (rates.length === 0) throw new RatesFileRefusedError(`it has no rate of ${date}`);
  return { date, rates, skipped };
}

/**
 * Returns whether the text is a decimal from 0.0000001 on, with at most 10 digits before the point and 10 after it. The table has the same
 * limits (0123_selling_currency.sql).
 */
export function isExchangeRate(text: string): boolean {
  return /^\d{1,10}(\.\d{1,10})?$/.test(text) && Number(text) >= 0.0000001;
}

/** The text in place of a rate that was not published. */
const NO_RATE = ['', 'N/A'];

/**
 * Reads a header line `Date, USD, JPY, …`, and a line of rates for each day. A line may end with a comma, as those of the European Central
 * Bank. A line with fewer cells than the header has currencies is cut off.
 */
function readCsv(text: string): DayOfRates[] {
  const [header = [], ...lines] = readCells(text);
  const [first, ...currencies] = header;
  if (first !== 'Date')
    throw new RatesFileRefusedError('its first line must begin with Date, or the file must be XML');
  return lines.map(([day = '', ...cells], n) => {
    const date = readDate(day);
    if (date === undefined) throw new RatesFileRefusedError(`line ${n + 2} must begin with a date`);
    if (cells.length > currencies.length) throw new RatesFileRefusedError(`line ${n + 2} has too many cells`);
    if (cells.length < currencies.filter(Boolean).length)
      throw new RatesFileRefusedError(`line ${n + 2} has fewer cells than the first line: it may be cut off`);
    const rates = cells.map((units, column): [string, string] => [currencies[column]!, units]);
    return { date, rates: rates.filter(([currency, units]) => currency !== '' && !NO_RATE.includes(units)) };
  });
}

function readCells(text: string): string[][] {
  try {
    return parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    throw new RatesFileRefusedError((error as Error).message);
  }
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Reads `2026-11-25`, or `25 November 2026` as in the file of a day. */
function readDate(text: string): string | undefined {
  const [, day, name, year] = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name ?? '') + 1;
  const date = day === undefined ? text : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date) ? date : undefined;
}

/** Reads the elements `<Cube time='…'>` with their elements `<Cube currency='…' rate='…'/>`. */
function readXml(text: string): DayOfRates[] {
  return cubesOf(parseDocument(text)).flatMap((cube) => {
    const { time } = cube.attributes;
    if (time === undefined) return [];
    const date = readDate(time);
    if (date === undefined) throw new RatesFileRefusedError('the time of a Cube must be a date');
    const rates = cube.children
      .filter(isCube)
      .map(({ attributes: { currency = '', rate = '' } }): [string, string] => [currency, rate]);
    return [{ date, rates: rates.filter(([currency]) => currency !== '') }];
  });
}

/** Returns the nodes of the document. The parser knows no entities but those of XML itself, so a file can include no other file. */
function parseDocument(text: string): readonly XmlNode[] {
  try {
    return parseXml(text.replace(/^\ufeff?\s*/, '')).children;
  } catch (error) {
    if (error instanceof XmlError) throw new RatesFileRefusedError(error.message.split('\n')[0]!);
    // The parser calls itself for each element, so the stack overflows if thousands of elements are nested.
    if (error instanceof RangeError) throw new RatesFileRefusedError(NESTED_TOO_DEEPLY);
    throw error;
  }
}

/** The most levels of elements. The files of the European Central Bank have four. */
const LEVELS_MAX = 10;
const NESTED_TOO_DEEPLY = 'its elements are nested too deeply';

/** Returns all elements named Cube, one level after the other. */
function cubesOf(document: readonly XmlNode[]): XmlElement[] {
  const cubes: XmlElement[] = [];
  let level = document.filter(isElement);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > LEVELS_MAX) throw new RatesFileRefusedError(NESTED_TOO_DEEPLY);
    for (const element of level) if (isCube(element)) cubes.push(element);
    level = level.flatMap(({ children }) => children.filter(isElement));
  }
  return cubes;
}

function isElement(node: XmlNode): node is XmlElement {
  return node instanceof XmlElement;
}

function isCube(node: XmlNode): node is XmlElement {
  return isElement(node) && node.name === 'Cube';
}
