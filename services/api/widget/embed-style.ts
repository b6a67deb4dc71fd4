import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactSource } from '../../platform/html-template';
import { isHttpsAddress } from '../../platform/forms/text-forms';
import type { Tenant } from '../tenants/tenant';

/** The colours of the page, besides those of the tenant. Each text colour has a contrast of at least 4.5 on both backgrounds. */
export const LIGHT = {
  card: '#ffffff',
  ink: '#17202e',
  soft: '#566072',
  line: '#e3e7ed',
  blank: '#eef1f5',
};
export const DARK: typeof LIGHT = {
  card: '#1a202a',
  ink: '#eef1f6',
  soft: '#a5afbf',
  line: '#2d3542',
  blank: '#252d39',
};
/** The colour for a tenant that has set none. */
const DEFAULT_BRAND = '#0f766e';

/** The contrast of text that WCAG 2 requires at level AA. Borders and focus rings need only 3. */
const TEXT = 4.5;
/** Step of the search for a readable lightness. Lightness is from 0 to 1. */
const STEP = 0.01;

/** The tenant's settings for the look of the page; null means the default. */
export type Brand = Pick<Tenant, 'brandColor' | 'brandLogo' | 'brandRadius' | 'brandFont'>;

export const NO_BRAND: Brand = { brandColor: null, brandLogo: null, brandRadius: null, brandFont: null };

const HEX = /^#[0-9a-f]{6}$/;
/** Generic families of CSS, which have no quotes. */
const GENERIC = /^(serif|sans-serif|monospace|cursive|system-ui|ui-(serif|sans-serif|monospace|rounded))$/;
const FAMILY = /^[a-z][a-z0-9 -]*$/i;

/**
 * Returns the style sheet of the tenant's brand, which follows EMBED_STYLE. Returns an empty text for a tenant without a brand. The
 * Content-Security-Policy of the page contains the hash of this style sheet.
 */
export function brandStyle({ brandColor, brandRadius, brandFont }: Brand): string {
  const declarations = [
    brandColor && HEX.test(brandColor) && colorsOf(brandColor),
    brandRadius !== null && Number.isInteger(brandRadius) && `--radius: ${brandRadius}px;`,
    brandFont && `--font: ${fontStack(brandFont)};`,
  ].filter(Boolean);
  return declarations.length > 0 ? `:root { ${declarations.join(' ')} }` : '';
}

/**
 * Returns CSS declarations: the brand colour for areas, the colour of text on such areas, and two readable shades of the brand colour for
 * text, borders and focus rings. One shade is for light pages, the other one for dark pages.
 */
function colorsOf(brand: string): string {
  const onLight = readableOn(brand, [LIGHT.card, LIGHT.blank], 'darker');
  const onDark = readableOn(brand, [DARK.card, DARK.blank], 'lighter');
  return `--brand: ${brand}; --on-brand: ${textOn(brand)}; --on-light: ${onLight}; --on-dark: ${onDark};`;
}

const DEFAULT_COLORS = colorsOf(DEFAULT_BRAND);

/** Returns the logo if its address is https. */
export function logoOf({ brandLogo }: Brand): string | null {
  return brandLogo && isHttpsAddress(brandLogo) ? brandLogo : null;
}

/** Returns quoted names with the default fonts after them. Drops invalid names from the database. */
function fontStack(families: string): string {
  const named = families.split(',').map((family) => family.trim());
  return [
    ...named
      .filter((family) => FAMILY.test(family))
      .map((family) => (GENERIC.test(family) ? family : `"${family}"`)),
    'system-ui',
    'sans-serif',
  ].join(', ');
}

/** Returns black or white: one of the two always has a contrast of at least 4.5. */
function textOn(color: string): '#fff' | '#000' {
  return contrast(color, '#ffffff') >= TEXT ? '#fff' : '#000';
}

/**
 * Returns the colour itself if it is readable on all backgrounds, otherwise the nearest readable shade or tint of it. Keeps hue and
 * saturation: a mix with white would turn navy blue into grey.
 * @param direction darker for light backgrounds, lighter for dark ones
 */
function readableOn(color: string, backgrounds: readonly string[], direction: 'darker' | 'lighter'): string {
  const lightness = lightnessOf(color);
  const step = direction === 'darker' ? -STEP : STEP;
  for (let moved = lightness; moved > 0 && moved < 1; moved += step) {
    const shade = moved === lightness ? color : withLightness(color, moved);
    if (backgrounds.every((background) => contrast(shade, background) >= TEXT)) return shade;
  }
  return direction === 'darker' ? '#000000' : '#ffffff';
}

export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = partsOf(color).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Returns the lightness of a colour in HSL: the mean of the largest and the smallest of red, green and blue. */
function lightnessOf(color: string): number {
  const parts = partsOf(color);
  return (Math.max(...parts) + Math.min(...parts)) / 2;
}

/**
 * Changes the lightness of a colour in HSL. Scales the distances of red, green and blue from the lightness by the ratio of the new to the
 * old largest chroma.
 */
function withLightness(color: string, lightness: number): string {
  const before = lightnessOf(color);
  const share = chromaAt(lightness) / chromaAt(before);
  const parts = partsOf(color).map((part) => lightness + (part - before) * share);
  return `#${parts
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** Returns the largest chroma of HSL at this lightness; never 0. */
function chromaAt(lightness: number): number {
  return Math.max(1 - Math.abs(2 * lightness - 1), 1e-9);
}

function partsOf(color: string): number[] {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16) / 255);
}

const LIGHT_THEME = `--accent: var(--on-light); ${variables(LIGHT)} --shade: 0 1px 2px rgb(16 24 40 / 5%);
  --plate: none; --inset: 0;`;
const DARK_THEME = `--accent: var(--on-dark); ${variables(DARK)} --shade: none;
  --plate: #fff; --inset: 6px 10px;`;
const THEMES = `
:root { ${DEFAULT_COLORS} --radius: 14px; ${LIGHT_THEME}
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK_THEME} } }
:root[data-theme=light] { ${LIGHT_THEME} color-scheme: light; }
:root[data-theme=dark] { ${DARK_THEME} color-scheme: dark; }
`;

/** The embed page's inline style sheet and script. They are constant: the policy of every page names their hashes. */
export const EMBED_STYLE = compactStyle(THEMES + readAsset('embed.css'));
export const EMBED_SCRIPT = compactSource(readAsset('embed.js'));

function readAsset(name: string): string {
  return readFileSync(join(__dirname, 'assets', name), 'utf8');
}

/** Removes the spaces that a browser does not need: 0.8 of 7.1 KB. */
function compactStyle(source: string): string {
  return compactSource(source)
    .replace(/([{};:,])\s+/g, '$1')
    .replace(/\s+\{/g, '{');
}

function variables(colors: Record<string, string>): string {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');
}
