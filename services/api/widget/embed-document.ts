import { html, type Markup, toHtml, trusted } from '../../platform/html-template';
import { type Brand, brandStyle, logoOf } from './embed-brand';
import { EMBED_SCRIPT } from './embed-script';
import { EMBED_STYLE } from './embed-style';
import type { Language } from './embed-words';

/** What every page for the frame is made for, a list or a refusal. */
export interface Surroundings {
  language: Language;
  /** Null: as the visitor's device has it. */
  theme: Theme | null;
  brand: Brand;
  /** The pages that are told how high this one is. */
  origins: string[];
}

export type Theme = 'light' | 'dark';

export interface Contents {
  title: string;
  /** Alternative text of the tenant's logo; without it there is none. */
  logoName?: string;
  /** Beside the logo. */
  head?: Markup;
  body: Markup;
}

// No blank more and none less than in the texts whose hashes stand in the policy.
const SCRIPT_ELEMENT = `<script>${EMBED_SCRIPT}</script>`;
const styleElement = (style: string) => style && `<style>${style}</style>`;

export function renderDocument(
  surroundings: Surroundings,
  { title, logoName, head, body }: Contents,
): string {
  const { language, theme, brand, origins } = surroundings;
  const { locale, dir } = language;
  const settings = html`lang="${locale}" dir="${dir}" data-origins="${origins.join(' ')}"`;
  const logo = logoName === undefined ? null : logoOf(brand);
  const picture = logo && html`<img class="logo" src="${logo}" alt="${logoName}" />`;
  const page = html`${(picture || head) && html`<header class="head">${picture} ${head}</header>`} ${body}`;
  return [
    '<!doctype html>',
    `<html ${toHtml(settings)}${theme ? ` data-theme="${theme}"` : ''}>`,
    '<head>',
    '<meta charset="utf-8" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    compact(html`<title>${title}</title>`),
    `${styleElement(EMBED_STYLE)}${styleElement(brandStyle(brand))}`,
    '</head>',
    `<body>${compact(page)}`,
    SCRIPT_ELEMENT,
    '</body></html>',
    '',
  ].join('\n');
}

/** Without the indentation of our templates, which was 3.4 of 51.0 KB at 30 tours; a page may have 51.2. */
function compact(markup: Markup): string {
  return toHtml(markup)
    .replace(/>\s*\n\s*</g, '>\n<')
    .replace(/\s*\n\s+/g, ' ');
}

/** JSON that cannot end its element, whatever a stranger wrote into it. */
export function dataElement(id: string, value: object): Markup {
  const json = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return trusted(`<script type="application/ld+json" id="${id}">${json}</script>`);
}
