import { spellingsOf } from './person-finder';
import { nationalDigits } from './phone';

/** @param first SQL: the words before the customer's phone */
const wordsOf = (
  alias: string,
  first: string,
) => `fold_words(' ' || ${first} || ' | ' || coalesce(${alias}.customer_phone, '')
  || ' | ' || coalesce(${alias}.customer_email, '') || ' | ' || coalesce(${alias}.external_ref, '')
  || ' | ' || coalesce(${alias}.customer_phone_as_sent, '')
  || ' | ' || coalesce(regexp_replace(${alias}.customer_phone_as_sent, '\\D', '', 'g'), '') || ' ')`;

/** The searched words of a lead `l` and of a hold `h`. The indexes of 0139_customers_of_holds_indexes.sql have the same expressions. */
const WORDS = {
  l: wordsOf('l', "l.booking_ref || ' | ' || coalesce(l.customer_name, '')"),
  h: wordsOf('h', "coalesce(h.customer_name, '')"),
};

/** Holds without a customer are not in the index. */
const IN_INDEX = { l: '', h: 'num_nonnulls(h.customer_name, h.customer_phone, h.customer_email) > 0 and ' };

/** A condition on leads `l` or holds `h`, and the values of its bindings. */
export interface PeopleSearch {
  condition: string;
  bindings: Record<string, string>;
}

/**
 * Returns the condition of the leads or holds whose reference, customer or `external_ref` has every word of the text, at least as the
 * beginning of a word. A word with punctuation, such as an e-mail address, must occur as it is. A phone number is found in any spelling.
 * @param text has a letter or a digit
 */
export function searchPeople(alias: keyof typeof WORDS, text: string): PeopleSearch {
  const bindings: Record<string, string> = {};
  const bind = (value: string) => {
    const name = `searched${Object.keys(bindings).length}`;
    bindings[name] = value;
    return `:${name}::text`;
  };
  const hasWord = (word: string) => `${WORDS[alias]} like '% ' || btrim(fold_words(${bind(word)})) || '%'`;
  const phone = nationalDigits(text);
  const words = phone === undefined ? text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)) : [text];
  const hasWords = words.map((word) => `(${spellingsOfWord(word).map(hasWord).join(' or ')})`).join(' and ');
  const hasPhone = phone === undefined ? [] : [`${WORDS[alias]} like '%' || ${bind(phone)} || '%'`];
  return { condition: `${IN_INDEX[alias]}(${[hasWords, ...hasPhone].join(' or ')})`, bindings };
}

/** The shortest word that may have an umlaut written as two letters. In shorter words, such as Zoe, `oe` is rarely ö. */
const LEAST_WITH_UMLAUT = 5;

/**
 * Returns the word in all spellings that a stored name may have. For müller, adds mueller. For mueller, adds muller, because the name
 * Müller is stored as muller in the search words.
 */
function spellingsOfWord(word: string): string[] {
  const spellings = spellingsOf(word);
  const shortened = spellings
    .filter(({ length }) => length >= LEAST_WITH_UMLAUT)
    .map((spelling) => spelling.replace(/([aou])e/g, '$1'));
  return [...new Set([...spellings, ...shortened])];
}
