import { daysFromToday } from './given';

/** A text that a visitor types or pastes, and what is stored. Undefined: the text is refused. */
type Case = [sent: string, stored: string | undefined];

/** The cases of the API, of OCTO, of the terminal and of the booking element. */
export const EMAILS: Case[] = [
  ['ana@example.com', 'ana@example.com'],
  [' ana@example.com ', 'ana@example.com'],
  ['jürgen@müller.example', 'jürgen@müller.example'],
  ['\u202aana@example.com\u202c', 'ana@example.com'],
  ['\u2068ana@example.com', 'ana@example.com'],
  ['ana@\u200eexam\u00adple.com', 'ana@example.com'],
  ['<ana@example.com>', 'ana@example.com'],
  ['< ana@example.com >;', 'ana@example.com'],
  ['Ana Lima <ana@example.com>', 'ana@example.com'],
  ['"Lima, Ana" <ana@example.com>, ', 'ana@example.com'],
  ['mailto:ana@example.com', 'ana@example.com'],
  ['<MAILTO: ana@example.com>', 'ana@example.com'],
  ['MAILTO:ana@example.com?subject=Hi', 'ana@example.com'],
  ["'ana@example.com'", 'ana@example.com'],
  ['"ana@example.com"', 'ana@example.com'],
  ['ana@exam-ple.example', 'ana@exam-ple.example'],
  ['ana@उदाहरण.example', 'ana@उदाहरण.example'],
  ['ana@example.com;', 'ana@example.com'],
  ['ana@example.com ,', 'ana@example.com'],
  ["o'neil+tours@sub.example.com", "o'neil+tours@sub.example.com"],
  ['', undefined],
  ['ana', undefined],
  ['ana@example', undefined],
  ['@example.com', undefined],
  ['ana@example.com.', undefined],
  ['ana@example..com', undefined],
  ['ana@@example.com', undefined],
  ['ana@-example.com', undefined],
  ['ana@example-.com', undefined],
  ['ana@example.com?', 'ana@example.com'],
  ["ana@example.com'x", undefined],
  ['<ana@example.com', undefined],
  ['ana@example.com>', undefined],
  ['<<ana@example.com>>', undefined],
  ['Ana ana@example.com', undefined],
  ['ana@example.com (home)', undefined],
  ['ana@example.com; rui@example.com', undefined],
  ['Ana <ana@example.com>, Rui <rui@example.com>', undefined],
  ['mailto:ana@example.com?subject=Hi there', undefined],
  ['mailto:mailto:ana@example.com', undefined],
  ['tel:ana@example.com', undefined],
  [`${'a'.repeat(65)}@example.com`, undefined],
];

/** Read for a tenant in Germany. */
export const PHONES: Case[] = [
  ['\u202a+49 30 901820\u202c', '+4930901820'],
  ['\u2066+49 30 901820\u2069', '+4930901820'],
  ['\u202d030 901820', '+4930901820'],
  ['\u200e+49\u200b 30 90\u00ad1820\u200f', '+4930901820'],
  ['٠٣٠ ٩٠١٨٢٠', '+4930901820'],
  ['۰۳۰ ۹۰۱۸۲۰', '+4930901820'],
  ['０３０ ９０１８２０', '+4930901820'],
  ['०३० ९०१८२०', undefined],
  ['\u202a12345\u202c', undefined],
  ['\u202a\u202c', undefined],
];

/** The dates in which a traveller may be born. */
export const BIRTH_DATES: Case[] = [
  ['1900-01-01', '1900-01-01'],
  ['2019-05-04', '2019-05-04'],
  [daysFromToday(0), daysFromToday(0)],
  [daysFromToday(1), undefined],
  ['9999-12-31', undefined],
  ['20190-05-04', undefined],
  ['1899-12-31', undefined],
  ['1000-01-01', undefined],
];

/** Marks of direction in names, as programs put them around names that are written from the right. */
export const NAMES: Case[] = [
  ['\u202bعلی رضا\u202c', '\u202bعلی رضا\u202c'],
  ['Ana (\u2067רותי\u2069) Lima', 'Ana (\u2067רותי\u2069) Lima'],
  ['\u2068\u202aAna\u202c Lima\u2069', '\u2068\u202aAna\u202c Lima\u2069'],
  ['\u200fעדי\u200f', 'עדי'],
  ['Ana\u202e', undefined],
  ['Ana\u2066', undefined],
  ['Ana\u202c', undefined],
  ['\u2069Ana\u2068', undefined],
  ['\u2068\u202bAna\u2069\u202c', undefined],
  ['\u202bAna\u2069', undefined],
  ['\u2068\u2069', undefined],
];
