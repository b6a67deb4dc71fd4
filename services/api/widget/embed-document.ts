import { createHash } from 'node:crypto';
import type { Language } from './languages';
import { html, type Markup, toHtml, trusted } from '../../platform/html-template';
import { type Brand, brandStyle, EMBED_SCRIPT, EMBED_STYLE, logoOf } from './embed-style';

/** The settings of every page in the frame: a list or an error. */
export interface DocumentSettings {
  language: Language;
  /** Null: the setting of the visitor's device. */
  theme: Theme | null;
  brand: Brand;
  /** The origins that receive the height of the page. */
  origins: string[];
}

export type Theme = 'light' | 'dark';

export interface Contents {
  title: string;
  /** Alternative text of the tenant's logo. Without it the page shows no logo. */
  logoName?: string;
  /** Content beside the logo. */
  head?: Markup;
  body: Markup;
}

// The elements hold exactly the texts whose hashes are in the policy.
const SCRIPT_ELEMENT = `<script>${EMBED_SCRIPT}</script>`;
const styleElement = (style: string) => style && `<style>${style}</style>`;

export function renderDocument(
  surroundings: DocumentSettings,
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

const SCRIPT_HASH = hash(EMBED_SCRIPT);
const STYLE_HASH = hash(EMBED_STYLE);

/**
 * Returns the Content-Security-Policy of the page. The policy allows the inline style sheets and the script by their hashes.
 * @param origins the origins of the token: only their pages may show this page in a frame
 */
export function embedPolicy(origins: string[], brand: Brand): string {
  const style = brandStyle(brand);
  return [
    "default-src 'none'",
    `frame-ancestors ${origins.join(' ') || "'none'"}`,
    `script-src ${SCRIPT_HASH}`,
    `style-src ${[STYLE_HASH, ...(style ? [hash(style)] : [])].join(' ')}`,
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
  ].join('; ');
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Removes the indentation of the templates: 3.4 of 51.0 KB on a page with 30 tours. A page may have at most 51.2 KB. */
function compact(markup: Markup): string {
  return toHtml(markup)
    .replace(/>\s*\n\s*</g, '>\n<')
    .replace(/\s*\n\s+/g, ' ');
}

/** Renders JSON in a script element. Escapes every character that could end the element. */
export function dataElement(id: string, value: object): Markup {
  const json = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return trusted(`<script type="application/ld+json" id="${id}">${json}</script>`);
}

/** Renders an icon in the colour of the text. The text beside it names its meaning. */
function icon(size: number, view: number, paths: Markup): Markup {
  return html`<svg
    width="${size}"
    height="${size}"
    viewBox="0 0 ${view} ${view}"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${paths}
  </svg>`;
}

export const MAGNIFIER = icon(20, 20, html`<circle cx="8.5" cy="8.5" r="5.5" /> <path d="m13 13 4.5 4.5" />`);
export const COMPASS = icon(
  56,
  48,
  html`<circle cx="24" cy="24" r="19" />
    <path d="m31 17-4.5 9.5L17 31l4.5-9.5z" />
    <path d="M24 5v3M24 40v3M5 24h3M40 24h3" />`,
);
export const ALERT = icon(56, 48, html`<circle cx="24" cy="24" r="19" /> <path d="M24 14v13M24 33.5v.1" />`);
