const MARKUP = Symbol('markup');

/** Text that is HTML already. Only `html` and `trusted` make it: nothing out of a database or a query can look like it. */
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

/** A template whose values are escaped, each of them, for text and for quoted attributes. Null and false leave nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return trusted(strings.map((text, index) => text + toText(values[index])).join(''));
}

/** For constants of ours: a style sheet, a script. */
export function trusted(text: string): Markup {
  return { [MARKUP]: text };
}

export function toHtml(markup: Markup): string {
  return markup[MARKUP];
}

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value !== 'object')
    return String(value).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!);
  return MARKUP in value ? value[MARKUP] : value.map(toHtml).join('');
}
