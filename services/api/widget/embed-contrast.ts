/** Contrast as WCAG 2 measures it. Colours are `#rrggbb`. */

/** What text needs at AA; borders and focus rings need 3. */
const TEXT = 4.5;
/** Of lightness, 0 to 1. */
const STEP = 0.01;

/** Black or white: one of the two always has a contrast of 4.5 and more. */
export function textOn(color: string): '#fff' | '#000' {
  return contrast(color, '#ffffff') >= TEXT ? '#fff' : '#000';
}

/**
 * The colour itself where it can be read on all of these, else the nearest of its shades (or tints) that can. It keeps its
 * hue and saturation: mixed with white, a navy blue would become grey.
 * @param direction darker for backgrounds that are light, lighter for dark ones
 */
export function readableOn(
  color: string,
  backgrounds: readonly string[],
  direction: 'darker' | 'lighter',
): string {
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

/** As in HSL: halfway between the strongest and the weakest part. */
function lightnessOf(color: string): number {
  const parts = partsOf(color);
  return (Math.max(...parts) + Math.min(...parts)) / 2;
}

/** In HSL a colour of the same hue and saturation is the same distances from the middle, in proportion to its chroma. */
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

/** The most that HSL allows at this lightness; never 0 for a colour that is neither black nor white. */
function chromaAt(lightness: number): number {
  return Math.max(1 - Math.abs(2 * lightness - 1), 1e-9);
}

function partsOf(color: string): number[] {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16) / 255);
}
