/** What the page is painted on and with, beside the tenant's colour. Each ink has a contrast of 4.5 and more on both grounds. */
export const LIGHT = {
  page: '#ffffff',
  card: '#ffffff',
  ink: '#17202e',
  soft: '#566072',
  line: '#e3e7ed',
  blank: '#eef1f5',
};
export const DARK: typeof LIGHT = {
  page: '#11151c',
  card: '#1a202a',
  ink: '#eef1f6',
  soft: '#a5afbf',
  line: '#2d3542',
  blank: '#252d39',
};
/** Without a colour of the tenant's own. */
export const DEFAULT_BRAND = '#0f766e';
