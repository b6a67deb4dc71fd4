/** The second letters of the codes of ISO 3166, by their first letter from A to Z. */
const SECOND_LETTERS =
  'DEFGILMOQRSTUWXZ ABDEFGHIJLMNOQRSTVWYZ ACDFGHIKLMNORUVWXYZ EJKMOZ CEGHRST IJKMOR ABDEFGHILMNPQRSTUWY KMNRTU DELMNOQRST EMOP EGHIMNPRWYZ ABCIKRSTUVY ACDEFGHKLMNOPQRSTUVWXYZ ACEFGILOPRUZ M AEFGHKLMNRSTWY A EOSUW ABCDEGHIJKLMNORSTVXYZ CDFGHJKLMNORTVWZ AGMSYZ ACEGINU FS K ET AMW';

/** The codes of the countries that may be an answer, in the order of the alphabet. */
export const COUNTRIES: readonly string[] = SECOND_LETTERS.split(' ').flatMap((letters, index) =>
  [...letters].map((letter) => String.fromCharCode(65 + index) + letter),
);

/** The countries of each locale that was asked for. */
const lists = new Map<string, [code: string, name: string][]>();

/** Returns the countries with their names, in the order of the names. @param locale a canonical language tag */
export function countriesIn(locale: string): [code: string, name: string][] {
  let list = lists.get(locale);
  if (!list) {
    const names = new Intl.DisplayNames(locale, { type: 'region' });
    list = COUNTRIES.map((code): [string, string] => [code, names.of(code)!]);
    list.sort(([, name], [, other]) => name.localeCompare(other, locale));
    lists.set(locale, list);
  }
  return list;
}
