import { html, type Markup } from '../../platform/html-template';

/** Drawn in the colour of the text around them; what they mean stands beside them in words. */
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
