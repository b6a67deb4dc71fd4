import stringWidth from 'string-width';
import { endsDirection, withoutDirection } from '../../services/platform/forms/text-forms';

const BROKEN = '\ufffd';
const PICTOGRAPH = '\\p{Extended_Pictographic}';

/** Matches joiners and soft hyphens, except a joiner that joins two emoji to one. */
const JOINERS = new RegExp(
  `[\\u00ad\\u200c]|(?<![${PICTOGRAPH}\\p{Emoji_Modifier}\\ufe0f])\\u200d|\\u200d(?!${PICTOGRAPH})`,
  'gu',
);
/** Matches a character that a terminal executes or hides: a control, separator, mark of direction, zero-width or tag character. */
const UNSEEN =
  '(?![\\u200d\\p{Variation_Selector}])[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]';
const UNSAFE = new RegExp(`(?![\\n\\t])${UNSEEN}`, 'gu');
/** Leaves out C0 controls. In JSON text they occur only between values, because JSON.stringify escapes C0 controls inside values. */
const UNSAFE_IN_JSON = new RegExp(`(?![\\0-\\x1f])(?:${UNSEEN}|\\u200d)`, 'gu');

/**
 * Removes joiners, soft hyphens, and marks of direction that end in the text. Replaces other characters that a terminal executes or hides, but
 * keeps line breaks and tabs.
 */
export function cleanText(text: string): string {
  const visible = endsDirection(text) ? withoutDirection(text) : text;
  return visible.replace(JOINERS, '').replace(UNSAFE, BROKEN);
}

/** Joins the lines of a text. */
export function foldLines(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ');
}

/** Cleans the text and joins it to one line. */
export function oneLine(text: string): string {
  return cleanText(foldLines(text)).replaceAll('\t', BROKEN);
}

/** Escapes in JSON text the characters that `cleanText` would replace. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (character) => character.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const ASCII = /^[\x20-\x7e]*$/;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/**
 * Matches marks that take no cell on a terminal. string-width knows only the marks of Latin letters, and counts one cell for all other
 * marks.
 */
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const ELLIPSIS = '…';

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into letters. Makes the segmenter at the first text that needs it, because its tables load in 20 ms. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Returns the cells that the text takes: two for wide letters and pictures, none for combining marks. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  // A joined emoji takes two cells, also when string-width does not know it yet.
  if (PICTURE.test(segment)) return Math.min(2, stringWidth(segment));
  return stringWidth(segment.replace(WIDTHLESS, ''));
}

/** Cuts the text to at most `width` cells with an ellipsis; never splits a letter. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = textWidth(ELLIPSIS);
  for (const { segment } of segmentsOf(text)) {
    used += segmentWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept.trimEnd() + ELLIPSIS;
}

export function padText(text: string, width: number, right = false): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}

/** Breaks between words into lines of at most `width` cells; a longer word is not broken, so that it can be copied. */
export function wrapText(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Breaks a line anywhere into parts of at most `width` cells. */
function breakLine(line: string, width: number): string[] {
  if (textWidth(line) <= width) return [line];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const { segment } of segmentsOf(line)) {
    const cells = segmentWidth(segment);
    if (used + cells > width && part !== '') {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += segment;
    used += cells;
  }
  return [...parts, part];
}

/** The indentation of foreign text: our own lines begin in the first column, or are indented less. */
const FOREIGN_INDENT = '    ';
const NARROWEST_FOREIGN = 20;

/**
 * Indents every line of a text that another program or a customer wrote, so that none of its lines can look like ours. Breaks the lines at
 * the width of the screen, because the terminal would continue a longer line in the first column.
 * @rule a text of others never looks like one of our lines: test/cli/foreign-lines.test.ts
 */
export function foreignText(text: string, columns = Infinity): string {
  const width = Math.max(NARROWEST_FOREIGN, columns - FOREIGN_INDENT.length);
  const lines = text.split('\n').flatMap((line) => breakLine(cleanText(line).replaceAll('\t', '  '), width));
  return lines.map((line) => FOREIGN_INDENT + line).join('\n');
}

/** Formats a number with its noun: `1 seat`, `3 seats`, `2 deliveries`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

export function pluralOf(noun: string): string {
  return noun.endsWith('s') ? noun : `${noun.replace(/([^aeiou])y$/, '$1ie')}s`;
}

/** Formats a number with its noun and verb: `1 booking is`, `3 bookings are`. */
export function countIs(count: number, noun: string): string {
  return `${countOf(count, noun)} ${count === 1 ? 'is' : 'are'}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats seconds roughly, with at most two units: `12 s`, `4 min`, `2 h 10 min`, `3 d 4 h`. */
export function roughDuration(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return twoUnits(Math.floor(seconds / MINUTE), 60, 'h', 'min');
  return twoUnits(Math.floor(seconds / HOUR), 24, 'd', 'h');
}

function twoUnits(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  return `${Math.floor(total / size)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}
