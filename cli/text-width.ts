import stringWidth from 'string-width';
import { CONTROL_CHARACTER } from '../services/platform/text-forms';

const ASCII = /^[\x20-\x7e]*$/;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** What string-width counts as a cell and a terminal does not: it knows the marks of Latin letters alone. */
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const CONTROL = new RegExp(CONTROL_CHARACTER, 'gu');
const BROKEN = '\ufffd';
const ELLIPSIS = '…';

const segmenter = new Intl.Segmenter();

/** Cells that a terminal gives the text: two for wide letters and pictures, none for combining marks. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  // A picture of several is drawn as one, also where string-width has not heard of it yet.
  if (PICTURE.test(segment)) return Math.min(2, stringWidth(segment));
  return stringWidth(segment.replace(WIDTHLESS, ''));
}

/** The text, or its beginning with an ellipsis, in at most `width` cells; a letter is never cut in two. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = textWidth(ELLIPSIS);
  for (const { segment } of segmenter.segment(text)) {
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

/** Lines of at most `width` cells, broken between words; a longer word stays whole, so that it can be copied. */
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

/** What others wrote, on one line: an escape sequence in it would be obeyed by the terminal. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(CONTROL, BROKEN);
}
