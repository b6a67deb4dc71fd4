import type { Tenant } from '../tenants/tenant';
import { readableOn, textOn } from './embed-contrast';
import { DARK, DEFAULT_BRAND, LIGHT } from './embed-palette';

/** What the tenant decides about the page's looks; null leaves it to us. */
export type Brand = Pick<Tenant, 'brandColor' | 'brandLogo' | 'brandRadius' | 'brandFont'>;

export const NO_BRAND: Brand = { brandColor: null, brandLogo: null, brandRadius: null, brandFont: null };

const HEX = /^#[0-9a-f]{6}$/;
/** What CSS knows without quotes. */
const GENERIC = /^(serif|sans-serif|monospace|cursive|system-ui|ui-(serif|sans-serif|monospace|rounded))$/;
const FAMILY = /^[a-z][a-z0-9 -]*$/i;

/** The style element that follows EMBED_STYLE, or nothing: constant for a tenant, so that its hash stands in the policy. */
export function brandStyle({ brandColor, brandRadius, brandFont }: Brand): string {
  const declarations = [
    brandColor && HEX.test(brandColor) && colorsOf(brandColor),
    brandRadius !== null && Number.isInteger(brandRadius) && `--radius: ${brandRadius}px;`,
    brandFont && `--font: ${fontStack(brandFont)};`,
  ].filter(Boolean);
  return declarations.length > 0 ? `:root { ${declarations.join(' ')} }` : '';
}

/**
 * The colour as it is for areas, with what can be read on it; and its tint or shade that can itself be read, as text, border
 * or focus ring, on a light page and on a dark one.
 */
function colorsOf(brand: string): string {
  const onLight = readableOn(brand, [LIGHT.page, LIGHT.card, LIGHT.blank], 'darker');
  const onDark = readableOn(brand, [DARK.page, DARK.card, DARK.blank], 'lighter');
  return `--brand: ${brand}; --on-brand: ${textOn(brand)}; --on-light: ${onLight}; --on-dark: ${onDark};`;
}

export const DEFAULT_COLORS = colorsOf(DEFAULT_BRAND);

/** A picture over https, or none. */
export function logoOf({ brandLogo }: Brand): string | null {
  return brandLogo && /^https:\/\//i.test(brandLogo) ? brandLogo : null;
}

/** Quoted names, and ours behind them. What is no name of a font is left out, whoever wrote it into the database. */
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
