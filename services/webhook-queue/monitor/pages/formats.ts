import { html, type Markup } from '../../../platform/html-template';

/** Formats a count as `12,345`, the same on every machine. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count. A count above `most` becomes `10,000+`, because the counting stopped there. */
export function formatCountUpTo(count: number, most: number): string {
  return count > most ? `${formatCount(most)}+` : formatCount(count);
}

/** Rounds down, so that one failure is never shown as 100 %. Returns a dash if `whole` is 0. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  return `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`;
}

export function formatPlural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Renders `20 Nov 12:58:03` in UTC, with the full time as the tooltip. */
export function timeElement(at: Date): Markup {
  return time(at, `${formatDay(at)} ${clockOf(at)}`);
}

/** Renders `20 Nov 2026, 12:58:03 UTC`. */
export function fullTimeElement(at: Date): Markup {
  return time(at, `${formatDay(at)} ${at.getUTCFullYear()}, ${clockOf(at)} UTC`);
}

/** Formats a time as `12:58`, for axes whose day is known. */
export function formatMinute(at: Date): string {
  return at.toISOString().slice(11, 16);
}

export function formatDay(at: Date): string {
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
}

/** Formats a time for `<input type=datetime-local>`, in UTC. */
export function formatTimeForInput(at: Date): string {
  return at.toISOString().slice(0, at.getUTCSeconds() === 0 ? 16 : 19);
}

/** Formats a distance in time: `in 4 min`, `4 min ago`, `now`. */
export function formatRelative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `in ${formatMilliseconds(ms)}` : `${formatMilliseconds(-ms)} ago`;
}

/** Formats milliseconds with at most two units: `38 ms`, `1.2 s`, `4 min`, `2 h 10 min`, `3 d 4 h`. */
export function formatMilliseconds(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9.95 * SECOND) return `${(ms / SECOND).toFixed(1).replace('.0', '')} s`;
  if (ms < 99.5 * SECOND) return `${Math.round(ms / SECOND)} s`;
  if (ms < 59.5 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return twoUnits(Math.round(ms / MINUTE), 60, 'h', 'min');
  return twoUnits(Math.round(ms / HOUR), 24, 'd', 'h');
}

/** Formats an age; from two days on, in whole days. */
export function formatAge(since: Date, now: Date): string {
  const ms = now.getTime() - since.getTime();
  return ms < 2 * DAY ? formatMilliseconds(ms) : `${Math.floor(ms / DAY)} d`;
}

function twoUnits(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  return `${Math.floor(total / size)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}

function time(at: Date, text: string): Markup {
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso.replace('T', ' ').replace('Z', ' UTC')}">${text}</time>`;
}

function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

/** Returns the path with the parameters that have a value. */
export function linkTo(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Indents a JSON object or array. Returns any other text as it is. */
export function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** Returns a URL without `https://`. */
export function shortUrl(url: string): string {
  return url.replace(/^https:[/][/]/, '');
}

/** Returns the host of a URL; the whole text if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
