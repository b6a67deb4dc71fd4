import { getCountries } from 'libphonenumber-js';

/** ISO 3166 has territories without a telephone country of their own; the other list has two that ISO lacks. */
const COUNTRIES = new Set<string>([...getCountries(), 'AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM']);
COUNTRIES.delete('AC');
COUNTRIES.delete('TA');

/** An ISO 3166 code of two capital letters. */
export function isCountry(code: string): boolean {
  return COUNTRIES.has(code);
}
