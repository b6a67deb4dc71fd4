import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** Matches marks that take no cell on a terminal, but one in string-width, which knows only those of Latin letters. */
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const ELLIPSIS = '…';

const segmenter = new Intl.Segmenter();

/** Returns the cells that the text takes: two for wide letters and pictures, none for combining marks. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
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
