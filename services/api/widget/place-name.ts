/** The continents' numbers in UN M.49, under which Intl knows their names. */
const REGION: Record<string, string> = {
  africa: '002',
  antarctica: 'AQ',
  asia: '142',
  europe: '150',
  'north-america': '003',
  oceania: '009',
  'south-america': '005',
};

/** `south-america` → South America, in the language; a slug of the operator's own making as it reads. */
export function continentName(slug: string, locale: string): string {
  const region = Object.hasOwn(REGION, slug) ? REGION[slug] : undefined;
  return region
    ? regionName(region, locale)
    : slug.replace(/(^|-)(.)/g, (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase());
}

/** @param code ISO 3166 alpha-2 or UN M.49; one that nobody knows is shown as it is */
export function regionName(code: string, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code;
}
