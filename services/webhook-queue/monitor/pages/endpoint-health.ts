import { html, type Markup } from '../../../platform/html-template';
import type { EndpointRow, StateChange } from '../queries/endpoints.repository';
import { endpointMark, mark } from '../html/components';
import {
  formatMilliseconds,
  formatMinute,
  formatPercent,
  formatPlural,
  formatRelative,
  timeElement,
} from '../html/formats';
import type { Span } from '../queries/stats-history.repository';

const HOURS = 24;
const HOUR_MS = 3_600_000;
const CELL = 8;
const HEIGHT = 24;

/** Below BAD_BELOW, an hour is bad; from GOOD_FROM on, it is good. */
const BAD_BELOW = 0.8;
const GOOD_FROM = 0.98;

/** Draws the success rate of the last 24 hours, one cell per hour, the newest on the right. */
export function healthStrip(hours: readonly Span[], now: Date): Markup {
  const thisHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const byHour = new Map(hours.map((hour) => [hour.at.getTime(), hour]));
  const cells = Array.from({ length: HOURS }, (_, index) => {
    const at = new Date(thisHour - (HOURS - 1 - index) * HOUR_MS);
    return cell(at, index, byHour.get(at.getTime()));
  });
  return html`<svg
    class="strip"
    viewBox="0 0 ${HOURS * CELL} ${HEIGHT}"
    role="img"
    aria-label="${healthSentence(hours)}"
  >
    ${cells}
  </svg>`;
}

function cell(at: Date, index: number, hour: Span | undefined): Markup {
  const attempts = hour ? hour.delivered + hour.failed : 0;
  const said =
    hour && attempts > 0
      ? `${formatPercent(hour.delivered, attempts)} of ${formatPlural(attempts, 'attempt')}`
      : 'no attempt';
  const end = new Date(at.getTime() + HOUR_MS);
  // The height carries the same information as the colour.
  const high = attempts === 0 ? 3 : HEIGHT - 4;
  return html`<rect
    class="${tone(hour, attempts)}"
    x="${index * CELL + 0.75}"
    y="${(HEIGHT - high) / 2}"
    width="${CELL - 1.5}"
    height="${high}"
    rx="1.5"
    ><title>${formatMinute(at)}–${formatMinute(end)} UTC: ${said}</title></rect
  >`;
}

function tone(hour: Span | undefined, attempts: number): string {
  if (!hour || attempts === 0) return 'none';
  const rate = hour.delivered / attempts;
  if (rate < BAD_BELOW) return 'bad';
  return rate < GOOD_FROM ? 'warn' : 'good';
}

/** Describes the strip in a sentence. */
export function healthSentence(hours: readonly Span[]): string {
  const [delivered, failed] = hours.reduce(([d, f], hour) => [d + hour.delivered, f + hour.failed], [0, 0]);
  const attempts = delivered + failed;
  if (attempts === 0) return 'No attempt in the last 24 hours.';
  const bad = hours.filter((hour) => tone(hour, hour.delivered + hour.failed) === 'bad');
  const worst =
    bad.length > 0
      ? ` Bad since ${formatMinute(bad[0]!.at)} UTC in ${formatPlural(bad.length, 'hour')}.`
      : '';
  return `Last 24 hours: ${formatPercent(delivered, attempts)} of ${formatPlural(attempts, 'attempt')} delivered.${worst}`;
}

type Health = Pick<EndpointRow, 'now' | 'status' | 'failures' | 'openings' | 'blockedUntil' | 'failingSince'>;

/** Renders the breaker: `closed`, `open until …, opened n times`, `trying`. */
export function breakerText({ now, status, failures, openings, blockedUntil }: Health): Markup {
  if (status !== 'active') return html`–`;
  if (!openings) {
    const row = failures ? `, ${failures === 1 ? 'one failure' : `${failures} failures in a row`}` : '';
    return html`closed${row}`;
  }
  const often = openings === 1 ? 'opened once' : `opened ${openings} times in a row`;
  if (blockedUntil && blockedUntil > now)
    return html`${mark('bad', 'open')} until ${timeElement(blockedUntil)}
    (${formatRelative(blockedUntil, now)}), ${often}`;
  return html`${mark('warn', 'trying')} one request at a time, ${often}`;
}

/** Renders the status, or the problem of an active endpoint. */
export function stateMarks({ now, status, openings, blockedUntil, failingSince }: Health): Markup {
  // The row of failures exists from the first failure to the next success.
  if (status !== 'active' || failingSince === null) return endpointMark(status);
  const failingFor = `failing for ${formatMilliseconds(now.getTime() - failingSince.getTime())}`;
  if (!openings) return mark('warn', failingFor);
  const isOpen = blockedUntil && blockedUntil > now;
  const word = isOpen ? mark('bad', 'breaker open') : mark('warn', 'trying again');
  return html`${word} <span class="soft">${failingFor}</span>`;
}

/** Names the operator who set the current state. A change and its audit row have the same time. */
export function changedBy(
  { statusSince }: Pick<EndpointRow, 'statusSince'>,
  change: StateChange | undefined,
): string {
  return change && change.at.getTime() === statusSince.getTime() ? `, by ${change.actor}` : '';
}
