const BROKEN = '\ufffd';
const PICTURE = '\\p{Extended_Pictographic}';

/** Joiners and soft hyphens, which words of several scripts have. Between pictures a joiner makes one of them, and stays. */
const JOINERS = new RegExp(
  `[\\u00ad\\u200c]|(?<![${PICTURE}\\p{Emoji_Modifier}\\ufe0f])\\u200d|\\u200d(?!${PICTURE})`,
  'gu',
);
/** Matches a character that a terminal executes or hides: a control, separator, mark of direction, zero-width or tag character. */
const UNSEEN =
  '(?![\\u200d\\p{Variation_Selector}])[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]';
const UNSAFE = new RegExp(`(?![\\n\\t])${UNSEEN}`, 'gu');
/** Leaves C0 controls: in JSON text they occur only between values, because JSON.stringify escapes the others. */
const UNSAFE_IN_JSON = new RegExp(`(?![\\0-\\x1f])(?:${UNSEEN}|\\u200d)`, 'gu');

/** Removes characters that a terminal executes or hides. Keeps line breaks and tabs. */
export function cleanText(text: string): string {
  return text.replace(JOINERS, '').replace(UNSAFE, BROKEN);
}

/** Cleans the text and joins it to one line. */
export function oneLine(text: string): string {
  return cleanText(text.replace(/\s*[\r\n]+\s*/g, ' ')).replaceAll('\t', BROKEN);
}

/** Escapes in JSON text the characters that `cleanText` would replace. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (character) => character.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
