const MARKUP = Symbol('markup');

/** Escaped HTML. Only `html` and `trusted` create this type, so that text from the database or a request is never inserted as HTML. */
export interface Markup {
  readonly [MARKUP]: string;
}

type Value = string | number | null | undefined | false | Markup | readonly Markup[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * Escapes every string and number of the template, for text and quoted attributes. Inserts Markup as it is. Omits null, undefined and
 * false.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return trusted(strings.map((text, index) => text + toText(values[index])).join(''));
}

/** Marks a constant text as HTML. Never use this function for input. */
export function trusted(text: string): Markup {
  return { [MARKUP]: text };
}

export function toHtml(markup: Markup): string {
  return markup[MARKUP];
}

/** Removes the indentation, the empty lines and the lines of comments from a style sheet or a script, which only readers of the source need. */
export function compactSource(source: string): string {
  return source.replace(/^\s*(\/\/.*|\/\*.*\*\/)$/gm, '').replace(/\s*\n\s*/g, '\n');
}

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value !== 'object')
    return String(value).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!);
  return MARKUP in value ? value[MARKUP] : value.map(toHtml).join('');
}
