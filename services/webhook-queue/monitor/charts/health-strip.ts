import { html, type Markup } from '../../../platform/html-template';
import { percent, plural } from '../html/number-forms';
import type { Span } from '../queries/pulse-history.repository';
import { minuteOf } from '../html/time-forms';

const HOURS = 24;
const HOUR_MS = 3_600_000;
const CELL = 8;
const HEIGHT = 24;

/** Below that an hour is bad, above it only not good. */
const BAD_BELOW = 0.8;
const GOOD_FROM = 0.98;

/** The last 24 hours, an hour a cell, the newest on the right: how much of what was tried in it went well. */
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
  const tries = hour ? hour.delivered + hour.failed : 0;
  const said =
    hour && tries > 0
      ? `${percent(hour.delivered, tries)} of ${plural(tries, 'try', 'tries')}`
      : 'nothing was tried';
  const end = new Date(at.getTime() + HOUR_MS);
  // The height says it as well as the colour.
  const high = tries === 0 ? 3 : HEIGHT - 4;
  return html`<rect
    class="${tone(hour, tries)}"
    x="${index * CELL + 0.75}"
    y="${(HEIGHT - high) / 2}"
    width="${CELL - 1.5}"
    height="${high}"
    rx="1.5"
    ><title>${minuteOf(at)}–${minuteOf(end)} UTC: ${said}</title></rect
  >`;
}

function tone(hour: Span | undefined, tries: number): string {
  if (!hour || tries === 0) return 'none';
  const rate = hour.delivered / tries;
  if (rate < BAD_BELOW) return 'bad';
  return rate < GOOD_FROM ? 'warn' : 'good';
}

/** The same in a sentence. */
export function healthSentence(hours: readonly Span[]): string {
  const [delivered, failed] = hours.reduce(([d, f], hour) => [d + hour.delivered, f + hour.failed], [0, 0]);
  const tries = delivered + failed;
  if (tries === 0) return 'Nothing was tried in the last 24 hours.';
  const bad = hours.filter((hour) => tone(hour, hour.delivered + hour.failed) === 'bad');
  const worst =
    bad.length > 0 ? ` Bad since ${minuteOf(bad[0]!.at)} UTC in ${plural(bad.length, 'hour')}.` : '';
  return `Last 24 hours: ${percent(delivered, tries)} of ${plural(tries, 'try', 'tries')} delivered.${worst}`;
}
