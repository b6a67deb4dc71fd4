import { chain, type Form, ofText } from './form';
import { EMAIL_MAX, NAME_MAX, NOTES_MAX, REASON_MAX, REFERENCE_MAX, SEARCH_MAX } from './lengths';
import {
  cleanName,
  CONTROL_CHARACTER,
  CONTROL_CHARACTER_IN_PROSE,
  hasControlCharacter,
  withoutDirection,
  withoutInvisible,
} from './text-forms';
import { readEmail } from './contact-forms';

/**
 * Matches more combining marks in a row than any script needs (the Stream-Safe Text Format of UAX 15 allows 30). Such texts are refused,
 * because normalization sorts the marks in quadratic time: 16 KiB took 45 ms.
 */
const STACKED_MARKS = /\p{M}{31}/u;
const TOO_MANY_MARKS = 'must not have more than 30 combining marks in a row';
const EMPTY = 'must not be empty';
export const HAS_CONTROL_CHARACTER = 'must not contain control characters';

/** Returns what is wrong with the length of a text. Counts characters, as the database does: the length of a string counts an emoji twice. */
export function lengthIssue(text: string, most: number): string | undefined {
  if (text.length <= most || [...text].length <= most) return undefined;
  return `must have at most ${most} characters`;
}

interface TextRule {
  most: number;
  /** Tests the text before `fold` changes it, because some forbidden characters are invisible too. */
  isForbidden: (text: string) => boolean;
  fold: (text: string) => string;
}

/** Returns the form of a text that is kept in NFC, without white space around it. */
function textForm({ most, isForbidden, fold }: TextRule): Form<string> {
  return ofText((given) => {
    if (!given.isWellFormed()) return { issue: 'must be well-formed Unicode' };
    if (isForbidden(given)) return { issue: HAS_CONTROL_CHARACTER };
    const folded = fold(given);
    if (STACKED_MARKS.test(folded)) return { issue: TOO_MANY_MARKS };
    const text = folded.normalize('NFC').trim();
    const issue = text === '' ? EMPTY : lengthIssue(text, most);
    return issue === undefined ? { value: text } : { issue };
  });
}

/**
 * Returns the form of one line of text. Drops invisible characters; those that a writing system needs stay.
 * @rule which texts of one line and of several are read: test/unit/forms.test.ts
 */
export function lineForm(most: number): Form<string> {
  return textForm({ most, isForbidden: (text) => CONTROL_CHARACTER.test(text), fold: withoutInvisible });
}

/** Reads the name of a person like a line. Keeps marks of direction that end in the name. */
export const personNameForm = textForm({
  most: NAME_MAX,
  isForbidden: (text) => hasControlCharacter(text, CONTROL_CHARACTER),
  fold: cleanName,
});

/**
 * Returns the form of a text that may have line breaks and tabs. Keeps invisible characters, because some mark where a long line may break,
 * and marks of direction that end in the text.
 */
export function proseForm(most: number): Form<string> {
  return textForm({
    most,
    isForbidden: (text) => hasControlCharacter(text, CONTROL_CHARACTER_IN_PROSE),
    fold: (text) => text.replaceAll('\r\n', '\n'),
  });
}

export const referenceForm = lineForm(REFERENCE_MAX);
export const notesForm = proseForm(NOTES_MAX);
export const reasonForm = proseForm(REASON_MAX);

/** Returns the form of a phone number or an e-mail address: a line without marks of direction, because address books add them. */
export function contactForm(most: number): Form<string> {
  return ofText((text) => lineForm(most)(withoutDirection(text)));
}

/**
 * Returns the form of an e-mail address. Drops a name before it and signs around it: `Ana Lima <ana@example.com>`.
 * @param emailAsSent keeps them, as earlier releases did
 */
export function emailForm({ emailAsSent }: EmailReading = {}): Form<string> {
  return chain(contactForm(EMAIL_MAX), (text) => {
    const address = readEmail(text);
    if (address === undefined) return { issue: 'must be an e-mail address' };
    return { value: emailAsSent ? text : address };
  });
}

/** The form in which the e-mail addresses of a request are kept. */
export interface EmailReading {
  /** True: with the signs around them, as earlier releases stored them. */
  emailAsSent?: boolean;
}

/** Reads a search text. Returns it in the form in which names are stored, but with its white space. */
export const searchTextForm: Form<string> = ofText((given) => {
  const visible = withoutInvisible(given);
  if (STACKED_MARKS.test(visible)) return { issue: TOO_MANY_MARKS };
  const text = visible.normalize('NFC');
  const issue = text === '' ? EMPTY : lengthIssue(text, SEARCH_MAX);
  return issue === undefined ? { value: text } : { issue };
});
