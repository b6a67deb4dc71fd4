import { spellingsOf } from '../privacy/person-finder';
import { nationalDigits } from '../tenants/phone';

/** The folded words of a lead `l`. The index booking_leads_search (0118_booking_search_indexes.sql) has the same expression. */
const WORDS = `fold_words(' ' || l.booking_ref || ' | ' || coalesce(l.customer_name, '') || ' | ' || coalesce(l.customer_phone, '') || ' | '
  || coalesce(l.customer_email, '') || ' | ' || coalesce(l.external_ref, '') || ' ')`;

/** A condition on leads `l`, and the values of its bindings. */
export interface LeadSearch {
  condition: string;
  bindings: Record<string, string>;
}

/**
 * Returns the condition of the leads whose reference, customer or `external_ref` has every word of the text, at least as the beginning of
 * a word. A word with punctuation, such as an e-mail address, must occur as it is. A phone number is found in any spelling.
 * @param text has a letter or a digit
 */
export function searchBookings(text: string): LeadSearch {
  const bindings: Record<string, string> = {};
  const bind = (value: string) => {
    const name = `searched${Object.keys(bindings).length}`;
    bindings[name] = value;
    return `:${name}::text`;
  };
  const hasWord = (word: string) => `${WORDS} like '% ' || btrim(fold_words(${bind(word)})) || '%'`;
  const phone = nationalDigits(text);
  const words = phone === undefined ? text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)) : [text];
  const hasWords = words.map((word) => `(${spellingsOfWord(word).map(hasWord).join(' or ')})`).join(' and ');
  const hasPhone = phone === undefined ? [] : [`${WORDS} like '%' || ${bind(phone)} || '%'`];
  return { condition: `(${[hasWords, ...hasPhone].join(' or ')})`, bindings };
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
