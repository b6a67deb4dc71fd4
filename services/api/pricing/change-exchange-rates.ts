import type { Trx } from '../../platform/database/database';
import { type ExchangeRate, type ExchangeRates, ratesByCurrency, type UndatedRate } from './convert-price';
import {
  findExchangeRates,
  lockExchangeRates,
  putExchangeRates,
  readToday,
} from './exchange-rate.repository';
import { FutureRateError } from './pricing.errors';
import type { RatesFile } from './rates-file';

/** The rates before and after a change: only those that the change names. */
interface ChangedRates {
  before: ExchangeRate[];
  after: ExchangeRate[];
}

export interface NewRates {
  rates: UndatedRate[];
  /** The day of the rates, YYYY-MM-DD. Undefined: today, by the database's clock in UTC. */
  date?: string;
}

/**
 * Sets rates, and replaces the known ones of the same currencies. After the commit, every price depends on the new rates, on every instance.
 * @throws FutureRateError
 */
export async function setExchangeRates(trx: Trx, { rates, date }: NewRates): Promise<ChangedRates> {
  const today = await readToday(trx);
  const rateDate = date ?? today.utc;
  if (rateDate > today.latest) throw new FutureRateError(rateDate);
  await lockExchangeRates(trx);
  return putRates(
    trx,
    rates.map((rate) => ({ ...rate, rateDate })),
  );
}

export interface ImportedRates extends ChangedRates {
  /** The known rates that the import has left, because they are of a later day than the file. */
  kept: ExchangeRate[];
}

/**
 * Stores the rates of a file. Leaves a known rate of a later day.
 * @throws FutureRateError
 */
export async function importExchangeRates(trx: Trx, { date, rates }: RatesFile): Promise<ImportedRates> {
  if (date > (await readToday(trx)).latest) throw new FutureRateError(date);
  await lockExchangeRates(trx);
  const known = ratesByCurrency(await findExchangeRates(trx));
  const isNewer = (currency: string) => (known.get(currency)?.rateDate ?? '') > date;
  const put = rates.filter(({ currency }) => !isNewer(currency));
  const changed = await putRates(
    trx,
    put.map((rate) => ({ ...rate, rateDate: date })),
  );
  const kept = rates.flatMap(({ currency }) => (isNewer(currency) ? known.get(currency)! : []));
  return { ...changed, kept };
}

/** Adds today's rates of the currencies that have none. */
export async function addMissingRates(trx: Trx, rates: UndatedRate[]): Promise<void> {
  const known = ratesByCurrency(await findExchangeRates(trx));
  const missing = rates.filter(({ currency }) => !known.has(currency));
  if (missing.length > 0) await setExchangeRates(trx, { rates: missing });
}

async function putRates(trx: Trx, rates: ExchangeRate[]): Promise<ChangedRates> {
  const named = (known: ExchangeRates) => rates.flatMap(({ currency }) => known.get(currency) ?? []);
  const before = named(ratesByCurrency(await findExchangeRates(trx)));
  await putExchangeRates(trx, rates);
  return { before, after: named(ratesByCurrency(await findExchangeRates(trx))) };
}
