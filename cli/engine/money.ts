import { currencyDigits } from '../../services/api/pricing/currency';

/** Formats an amount in major units for a person, with the digits of its currency: `72.80 EUR`, `9,950,000 VND`. */
export function formatMoney(amount: number, currency: string): string {
  const digits = currencyDigits(currency);
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${amount.toLocaleString('en-US', format)} ${currency}`;
}

/** Formats the named amounts of a document for a person. Drops `currency`, which each of them names. */
export function withMoney<T extends { currency: string | null }>(
  { currency, ...document }: T,
  fields: readonly (keyof T)[],
): Record<string, unknown> {
  const format = (field: string, value: unknown) =>
    typeof value === 'number' && currency !== null && fields.includes(field as keyof T)
      ? formatMoney(value, currency)
      : value;
  return Object.fromEntries(
    Object.entries(document).map(([field, value]): [string, unknown] => [field, format(field, value)]),
  );
}
