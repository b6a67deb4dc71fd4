import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { importExchangeRates, setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import {
  type ExchangeRate,
  isLargeChange,
  ratesByCurrency,
  type UndatedRate,
} from '../../services/api/pricing/convert-price';
import { findExchangeRates } from '../../services/api/pricing/exchange-rate.repository';
import { RatesFileRefusedError } from '../../services/api/pricing/pricing.errors';
import { isExchangeRate, readRatesFile } from '../../services/api/pricing/rates-file';
import type { Db } from '../../services/platform/database/database';
import type { Note } from '../engine/audited-change';
import { flag, type Verb } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { refuseMistakes, UsageError } from '../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../engine/list';
import { currency, STANDARD_STREAM, travelDate } from '../engine/values';
import { type ItemColumn, tableOf } from '../terminal/table';
import { countOf } from '../terminal/text';

const COLUMNS: ItemColumn<RateDocument>[] = [
  { heading: 'currency' },
  { heading: 'for 1 EUR', right: true, cell: ({ rate }) => rate },
  { heading: 'date' },
];
const NO_RATES = 'No rates: tourctl rates import FILE';
const RATES_TABLE = tableOf(COLUMNS, NO_RATES);

export const ratesVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List the exchange rates: units of each currency for one euro',
    flags: [...LIST_FLAGS, afterFlag('currency', (text, name) => currency(text, name).code)],
    run: listOf({
      find: findListedRates,
      columns: COLUMNS,
      empty: NO_RATES,
      after: (rate) => rate.currency,
    }),
  },
  {
    usage: 'set <rate...>',
    about: 'Set exchange rates: each a currency, then its units for one euro',
    flags: [flag('--date <date>', 'the day of the rates', { parse: travelDate, otherwise: 'today (UTC)' })],
    check: (_: object, words: string[]) => void readPairs(words),
    examples: ['rates set USD 1.0812 GBP 0.8437', 'rates set JPY 168.42 --date 2026-11-24'],
    audits: true,
    run: setRatesCommand,
  },
  {
    usage: 'import <file>',
    about:
      "Store the newest rates of the European Central Bank's file of reference rates, CSV or XML; - reads standard input",
    args: { file: ratesFile },
    examples: ['rates import eurofxref-daily.xml', 'rates import - < eurofxref.csv'],
    audits: true,
    run: importRatesCommand,
  },
];

function ratesFile(text: string, name: string): string {
  if (text === STANDARD_STREAM) return text;
  const found = statSync(text, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${name} must be a file that exists, and ${text} does not`);
  if (found.isDirectory()) throw new UsageError(`${name} must be a file, and ${text} is a directory`);
  return text;
}

/** Reads `USD 1.0812 GBP 0.8437`. @throws UsageError with all mistakes */
function readPairs(words: string[]): UndatedRate[] {
  const mistakes: string[] = [];
  const pairs: UndatedRate[] = [];
  for (let n = 0; n < words.length; n += 2) {
    const [name, unitsPerEur = ''] = words.slice(n, n + 2) as [string, string?];
    try {
      const { code } = currency(name, '<rate>');
      pairs.push({ currency: code, unitsPerEur });
      if (code === 'EUR') mistakes.push('EUR is the base of all rates, so it has none');
      else if (!isExchangeRate(unitsPerEur))
        mistakes.push(`${code} must be followed by its units for one euro, above 0, such as 1.0812`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      mistakes.push(error.message);
    }
  }
  const codes = pairs.map(({ currency: code }) => code);
  const twice = codes.find((code, n) => codes.indexOf(code) < n);
  refuseMistakes([...mistakes, twice && `${twice} may be given only once`]);
  return pairs;
}

/** Returns one page of the rates. Reads all rates, because ISO 4217 has fewer than 200 currencies. */
async function findListedRates(db: Db, { after = '', limit }: { after?: string; limit: number }) {
  const rates = await findExchangeRates(db);
  return rates
    .filter((rate) => rate.currency > after)
    .slice(0, limit)
    .map(toRateDocument);
}

async function setRatesCommand(
  { audited, output }: AuditedContext,
  { date }: { date?: string },
  words: string[],
): Promise<void> {
  const rates = readPairs(words);
  const document = await audited({ action: 'rates.set' }, async (trx, note) => {
    const { before, after } = await setExchangeRates(trx, { rates, date });
    noteRates(note, before, after);
    const warnings = [...describeLargeChanges(before, after), ...describeEarlier(before, after)];
    return { items: after.map(toRateDocument), warnings };
  });
  await output.answer(document, (screen) => RATES_TABLE(document.items, screen));
  for (const warning of document.warnings) output.warn(warning);
}

async function importRatesCommand(
  { audited, io, output }: AuditedContext,
  _: object,
  file: string,
): Promise<void> {
  const text = await readText(file === STANDARD_STREAM ? io.stdin : createReadStream(file));
  const read = readRatesFile(text);
  const document = await audited(
    { action: 'rates.import', subject: path.basename(file) },
    async (trx, note) => {
      const { before, after, kept } = await importExchangeRates(trx, read);
      noteRates(note, before, after);
      const known = new Set(before.map(textOf));
      const unchanged = after.filter((rate) => known.has(textOf(rate))).length;
      const names = kept.map(({ currency: code }) => code);
      return {
        date: read.date,
        changed: after.length - unchanged,
        unchanged,
        kept: names,
        skipped: read.skipped,
        warnings: [
          ...describeLargeChanges(before, after),
          ...describeKept(names),
          ...describeSkipped(read.skipped),
        ],
      };
    },
  );
  const { changed, unchanged, warnings } = document;
  await output.answer(
    document,
    () => `${countOf(changed, 'rate')} of ${read.date} stored, ${unchanged} unchanged`,
  );
  for (const warning of warnings) output.warn(warning);
}

function describeKept(kept: string[]): string[] {
  if (kept.length === 0) return [];
  const names = kept.join(', ');
  return [
    `Not changed, because the known rates are of a later day: ${names}. tourctl rates set replaces them`,
  ];
}

function describeSkipped(skipped: string[]): string[] {
  if (skipped.length === 0) return [];
  return [`Left out, because ISO 4217 does not have them: ${skipped.join(', ')}`];
}

/** Warns of each rate that changes by so much that it may be a mistake. All prices in the currency change as much. */
function describeLargeChanges(before: ExchangeRate[], after: ExchangeRate[]): string[] {
  const known = ratesByCurrency(before);
  return after.flatMap((rate) => {
    const old = known.get(rate.currency);
    if (!old || !isLargeChange(old, rate)) return [];
    return [
      `${rate.currency} changes from ${old.unitsPerEur} to ${rate.unitsPerEur} for 1 EUR. ${undoing(old)}`,
    ];
  });
}

/** Warns of each rate that takes the place of one of a later day: prices follow it from now on. */
function describeEarlier(before: ExchangeRate[], after: ExchangeRate[]): string[] {
  const known = ratesByCurrency(before);
  return after.flatMap(({ currency: code, rateDate }) => {
    const old = known.get(code);
    return old && rateDate < old.rateDate
      ? [`${code} had a rate of ${old.rateDate}, and prices follow that of ${rateDate} now. ${undoing(old)}`]
      : [];
  });
}

function undoing({ currency: code, unitsPerEur, rateDate }: ExchangeRate): string {
  return `If this is wrong: tourctl rates set ${code} ${unitsPerEur} --date ${rateDate}`;
}

/** The most bytes of a file: the file of all days since 1999 has 8 MB as XML. */
const BYTES_MAX = 16 * 1024 * 1024;

async function readText(source: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += (chunk as Buffer).length;
    if (bytes > BYTES_MAX) throw new RatesFileRefusedError('it has more than 16 MiB');
    chunks.push(Buffer.from(chunk as Buffer));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RatesFileRefusedError('it must be UTF-8 text');
  }
}

function toRateDocument({ currency: code, unitsPerEur, rateDate }: ExchangeRate) {
  return { currency: code, rate: Number(unitsPerEur), date: rateDate };
}
type RateDocument = ReturnType<typeof toRateDocument>;

/** Records the rates by currency in the audit log. */
function noteRates(note: Note, before: ExchangeRate[], after: ExchangeRate[]): void {
  const byCurrency = (rates: ExchangeRate[]) =>
    Object.fromEntries(rates.map((rate) => [rate.currency, textOf(rate)]));
  note(byCurrency(before), byCurrency(after));
}

function textOf({ unitsPerEur, rateDate }: ExchangeRate): string {
  return `${unitsPerEur} of ${rateDate}`;
}
