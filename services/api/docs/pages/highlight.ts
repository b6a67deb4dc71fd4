import { html, type Markup } from '../../../platform/html-template';

const STRING = String.raw`(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;
const NUMBER = String.raw`\b(?<value>\d[\d_.]*|true|false|null|nil|None|True|False)\b`;

/**
 * The coloured parts of each language. A group's name is the name of its colour. Text outside of the groups stays plain. A language without
 * an entry has no colours.
 */
const LANGUAGES: Record<string, RegExp> = {
  json: pattern(String.raw`(?<key>"(?:[^"\\]|\\.)*")(?=:)`, STRING, NUMBER),
  sh: pattern(
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    STRING,
    String.raw`(?<=^|[|(]\s*)(?<word>curl|jq|npm|npx|node|export|tourctl|read|for|do|done)\b`,
    String.raw`(?<key>(?<=\s)--?[a-zA-Z][\w-]*)`,
  ),
  js: pattern(
    String.raw`(?<comment>\/\/.*|\/\*[^]*?\*\/)`,
    STRING.replace('|"', '|`(?:[^`\\\\]|\\\\.)*`|"'),
    words('async await const else export for function if import from let new of return throw typeof while'),
    NUMBER,
  ),
  html: pattern(String.raw`(?<comment><!--[^]*?-->)`, String.raw`(?<word><\/?[\w-]+|\/?>)`, STRING),
  python: pattern(
    String.raw`(?<comment>#.*)`,
    STRING,
    words('def except for from if import in not return try'),
    NUMBER,
  ),
  ruby: pattern(
    String.raw`(?<comment>#.*)`,
    STRING,
    words('def do else end if require return unless'),
    NUMBER,
  ),
  php: pattern(String.raw`(?<comment>\/\/.*)`, STRING, words('as else foreach function if return'), NUMBER),
  go: pattern(
    String.raw`(?<comment>\/\/.*)`,
    STRING,
    words('else for func if import package range return'),
    NUMBER,
  ),
};

function pattern(...parts: string[]): RegExp {
  return new RegExp(parts.join('|'), 'gm');
}

function words(list: string): string {
  return String.raw`\b(?<word>${list.replaceAll(' ', '|')})\b`;
}

/** The element of each colour in samples.css. Its name has one letter where it can, because the reference has 4,000 coloured parts. */
const ELEMENTS: Record<string, (text: string) => Markup> = {
  key: (text) => html`<b>${text}</b>`,
  string: (text) => html`<i>${text}</i>`,
  value: (text) => html`<u>${text}</u>`,
  word: (text) => html`<em>${text}</em>`,
  comment: (text) => html`<small>${text}</small>`,
};

/** Returns the code with an element around each coloured part. */
export function highlight(code: string, language = ''): Markup {
  const parts: Markup[] = [];
  let end = 0;
  for (const match of code.matchAll(LANGUAGES[language] ?? /$^/g)) {
    const color = Object.entries(match.groups!).find(([, text]) => text !== undefined)![0];
    parts.push(html`${code.slice(end, match.index)}${ELEMENTS[color]!(match[0])}`);
    end = match.index + match[0].length;
  }
  return html`${parts}${code.slice(end)}`;
}
