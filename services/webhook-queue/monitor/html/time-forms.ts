import { html, type Markup } from '../../../platform/html-template';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `20 Nov 12:58:03`, in UTC as everything here; hovering tells the rest. */
export function moment(at: Date): Markup {
  return time(at, `${dayOf(at)} ${clockOf(at)}`);
}

/** `20 Nov 2026, 12:58:03 UTC` */
export function fullMoment(at: Date): Markup {
  return time(at, `${dayOf(at)} ${at.getUTCFullYear()}, ${clockOf(at)} UTC`);
}

/** `12:58` of today's or of any other day: for axes, where the day is plain. */
export function minuteOf(at: Date): string {
  return at.toISOString().slice(11, 16);
}

export function dayOf(at: Date): string {
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
}

/** What `<input type=datetime-local>` takes; the page says that it means UTC. */
export function inputMoment(at: Date): string {
  return at.toISOString().slice(0, at.getUTCSeconds() === 0 ? 16 : 19);
}

/** `in 4 min`, `4 min ago`, `now`. */
export function relative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
}

/** Milliseconds with two units at most: `38 ms`, `1.2 s`, `4 min`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9.95 * SECOND) return `${(ms / SECOND).toFixed(1).replace('.0', '')} s`;
  if (ms < 99.5 * SECOND) return `${Math.round(ms / SECOND)} s`;
  if (ms < 59.5 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return twoUnits(Math.round(ms / MINUTE), 60, 'h', 'min');
  return twoUnits(Math.round(ms / HOUR), 24, 'd', 'h');
}

/** In whole days, where that says enough. */
export function age(since: Date, now: Date): string {
  const ms = now.getTime() - since.getTime();
  return ms < 2 * DAY ? duration(ms) : `${Math.floor(ms / DAY)} d`;
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
