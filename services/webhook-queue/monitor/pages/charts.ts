import { DAY_MS } from '../../../platform/forms/days';
import { html, type Markup } from '../../../platform/html-template';
import {
  addHistograms,
  countIn,
  type Histogram,
  percentile,
  type Span,
} from '../queries/stats-history.repository';
import { type TableColumn, tableElement } from './components';
import {
  formatCount,
  formatDay,
  formatMilliseconds,
  formatMinute,
  formatPercent,
  formatPlural,
} from './formats';

type Totals = Omit<Span, 'at' | 'end'>;
/** Selects the response times or the waits. */
type PickTimes = (of: Totals) => Histogram;

export function totalsOf(spans: readonly Span[]): Totals {
  const nothing: Totals = { delivered: 0, failed: 0, answerTimes: [], waits: [] };
  return spans.reduce(
    (sum, span) => ({
      delivered: sum.delivered + span.delivered,
      failed: sum.failed + span.failed,
      answerTimes: addHistograms(sum.answerTimes, span.answerTimes),
      waits: addHistograms(sum.waits, span.waits),
    }),
    nothing,
  );
}

/**
 * Renders three charts over the same spans of time: the success rate, the response times, and the times from the event to the 2xx response.
 */
export function statsCharts(spans: readonly Span[]): Markup {
  const totals = totalsOf(spans);
  return html`<div class="charts">
      ${successCard(spans, totals)}
      ${timeCard('Answer time', 'of the receivers, over all attempts that got one', spans, (of) => of.answerTimes)}
      ${timeCard('Event to 2xx', 'from an event to its delivery, retries included', spans, (of) => of.waits)}
    </div>
    ${attemptsOf(totals) > 0 && spanTable(spans)}`;
}

function successCard(spans: readonly Span[], totals: Totals): Markup {
  const [delivered, failed] = [formatCount(totals.delivered), formatCount(totals.failed)];
  return html`<section class="card">
    <h3>Success rate</h3>
    <p class="about">
      of ${formatPlural(attemptsOf(totals), 'attempt')}${sinceText(spans, (span) => attemptsOf(span) > 0)}
    </p>
    <p class="figure">
      <strong>${successRate(totals)}</strong> <span class="key good">${delivered} delivered</span>
      <span class="key bad">${failed} failed</span>
    </p>
    ${barChart(`Attempts: ${delivered} delivered, ${failed} failed.`, spans)}
  </section>`;
}

function timeCard(title: string, about: string, spans: readonly Span[], pick: PickTimes): Markup {
  const all = pick(totalsOf(spans));
  const [typical, slow] = [ms(percentile(all, 0.5)), ms(percentile(all, 0.95))];
  return html`<section class="card">
    <h3>${title}</h3>
    <p class="about">${about}${sinceText(spans, (span) => countIn(pick(span)) > 0)}</p>
    <p class="figure">
      <span class="key typical"><strong>${typical}</strong> p50</span>
      <span class="key slow"><strong>${slow}</strong> p95</span>
    </p>
    ${timeChart(`${title}, ${about}: p50 ${typical}, p95 ${slow}, of ${formatCount(countIn(all))}.`, spans, pick)}
  </section>`;
}

/** Says since when there are measurements, if they are too few for a line. Without this text, a single dot looks like a broken chart. */
function sinceText(spans: readonly Span[], isMeasured: (span: Span) => boolean): string {
  const measured = spans.filter(isMeasured);
  const first = measured[0];
  if (!first || measured.length >= LINE_FROM) return '';
  return `, all since ${formatDay(first.at)} ${formatMinute(first.at)} UTC`;
}

const FIGURES: readonly TableColumn<Span>[] = [
  { name: 'Time (UTC)', cell: formatSpan },
  { name: 'Delivered', cell: ({ delivered }) => formatCount(delivered) },
  { name: 'Failed', cell: ({ failed }) => formatCount(failed) },
  { name: 'Success', cell: successRate },
  { name: 'Answer p50', cell: ({ answerTimes }) => ms(percentile(answerTimes, 0.5)) },
  { name: 'p95', cell: ({ answerTimes }) => ms(percentile(answerTimes, 0.95)) },
  { name: 'Event to 2xx p50', cell: ({ waits }) => ms(percentile(waits, 0.5)) },
  { name: 'p95', cell: ({ waits }) => ms(percentile(waits, 0.95)) },
];

/** Renders the figures of the charts, the newest first. Omits spans without attempts. */
function spanTable(spans: readonly Span[]): Markup {
  const used = spans.filter((span) => attemptsOf(span) > 0).reverse();
  return html`<details class="as-table" id="charts-as-table">
    <summary>The same as a table</summary>
    ${tableElement('The charts as a table', FIGURES, used, 'figures')}
  </details>`;
}

/** Size of a drawing in SVG units. The whole drawing scales, so that letters keep their shape. */
const WIDTH = 360;
const HEIGHT = 138;
const LEFT = 48;
const TOP = 14;
const BOTTOM = 118;
const INNER = WIDTH - LEFT - 2;

/** Draws attempts as stacked bars: failures on top of successes. */
function barChart(label: string, spans: readonly Span[]): Markup {
  const most = niceCeiling(Math.max(1, ...spans.map(attemptsOf)));
  const width = INNER / spans.length;
  const high = (count: number) => (count / most) * (BOTTOM - TOP);
  const columns = spans.flatMap((span, index) => {
    const good = round(high(span.delivered));
    // Keeps a single failure among thousands visible.
    const bad = span.failed > 0 ? round(Math.max(2, high(span.failed))) : 0;
    const bar = { x: LEFT + index * width + width * 0.12, width: width * 0.76, corner: 1 };
    return [
      box({ ...bar, name: 'good', y: BOTTOM - good, height: good }),
      box({ ...bar, name: 'bad', y: BOTTOM - good - bad, height: bad }),
      hitBox(index, spans.length, `${formatSpan(span)}: ${successText(span)}`),
    ];
  });
  const grid = [gridLine(BOTTOM - high(most), shortCount(most)), gridLine(BOTTOM, '0')];
  return frame(label, html`${grid}${columns}`, spans);
}

const TICKS = [1, 10, 100, 1e3, 1e4, 6e4, 6e5, 36e5, 36e6, 864e5, 864e6, 864e7];

/** Draws the 50th and the 95th percentile on a logarithmic scale, so that 1 ms stays visible beside 1 s. */
function timeChart(label: string, spans: readonly Span[], pick: PickTimes): Markup {
  const typical = spans.map((span) => percentile(pick(span), 0.5));
  const slow = spans.map((span) => percentile(pick(span), 0.95));
  const ticks = ticksFor([...typical, ...slow].filter((value) => value !== null));
  const [low, top] = [Math.log(ticks[0]!), Math.log(ticks.at(-1)!)];
  const y = (value: number) =>
    round(BOTTOM - ((Math.log(Math.max(value, ticks[0]!)) - low) / (top - low)) * (BOTTOM - TOP));
  const grid = ticks.map((tick) => gridLine(y(tick), formatMilliseconds(tick)));
  const lines = [line('slow', slow, y), line('typical', typical, y)];
  const hits = spans.map((span, index) =>
    hitBox(index, spans.length, `${formatSpan(span)}: p50 ${ms(typical[index]!)}, p95 ${ms(slow[index]!)}`),
  );
  const scale = html`<text x="${WIDTH - 2}" y="${TOP - 5}" text-anchor="end">logarithmic scale</text>`;
  return frame(`${label} Logarithmic scale.`, html`${grid}${scale}${lines}${hits}`, spans);
}

/** Returns the ticks around the values, at least two. */
function ticksFor(values: readonly number[]): number[] {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [10, 1000];
  const below = TICKS.findLastIndex((tick) => tick <= least);
  const first = Math.max(0, below);
  const last = TICKS.findIndex((tick) => tick >= most);
  return TICKS.slice(first, Math.max(last === -1 ? TICKS.length : last + 1, first + 2));
}

/** A line joins at least this number of adjacent measurements. Fewer measurements show no trend and are drawn as dots. */
const LINE_FROM = 3;

/** Draws a line with gaps where measurements are missing. */
function line(name: string, values: readonly (number | null)[], y: (value: number) => number): Markup {
  const runs: (readonly [x: number, y: number])[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) runs.push([]);
    else runs.at(-1)!.push([round(LEFT + ((index + 0.5) / values.length) * INNER), y(value)]);
  });
  return html`${runs.map((run) =>
    run.length < LINE_FROM
      ? html`${run.map(([x, y]) => html`<circle class="${name}" cx="${x}" cy="${y}" r="2.5"></circle>`)}`
      : html`<path class="line ${name}" d="M${run.map((point) => point.join(' ')).join('L')}"></path>`,
  )}`;
}

/** Draws a chart with the given parts and its time axis. */
function frame(label: string, parts: Markup, spans: readonly Span[]): Markup {
  const { at: first } = spans[0]!;
  const isLong = spans.at(-1)!.end.getTime() - first.getTime() > 2 * DAY_MS;
  const name = (at: Date) => (isLong ? formatDay(at) : formatMinute(at));
  const y = HEIGHT - 5;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
    ${parts}
    <text x="${LEFT}" y="${y}">${name(first)}</text>
    <text x="${LEFT + INNER / 2}" y="${y}" text-anchor="middle">
      ${name(spans[Math.floor(spans.length / 2)]!.at)}
    </text>
    <text x="${WIDTH - 2}" y="${y}" text-anchor="end">now</text>
  </svg>`;
}

function gridLine(y: number, name: string): Markup {
  return html`<line class="grid" x1="${LEFT}" x2="${WIDTH - 2}" y1="${round(y)}" y2="${round(y)}"></line
    ><text x="${LEFT - 6}" y="${round(y + 3.5)}" text-anchor="end">${name}</text>`;
}

/** Draws an invisible area over a span of time. The browser shows the tip while the pointer is over the area. */
function hitBox(index: number, count: number, tip: string): Markup {
  const width = INNER / count;
  return box({ name: 'hit', x: LEFT + index * width, y: TOP, width, height: BOTTOM - TOP, tip });
}

interface Box {
  /** CSS class. */
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  corner?: number;
  tip?: string;
}

function box({ name, x, y, width, height, corner, tip }: Box): Markup {
  return html`<rect
    class="${name}"
    x="${round(x)}"
    y="${round(y)}"
    width="${round(width)}"
    height="${round(height)}"
    ${corner && html`rx="${corner}"`}
    >${tip && html`<title>${tip}</title>`}</rect
  >`;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
const CELL = 8;
const STRIP_HEIGHT = 24;
/** Success rates: an hour is bad below BAD_BELOW, and good from GOOD_FROM on. */
const BAD_BELOW = 0.8;
const GOOD_FROM = 0.98;

/** Draws the success rate of the last 24 hours, one cell per hour, the newest on the right. */
export function healthStrip(hours: readonly Span[], now: Date): Markup {
  const thisHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const byHour = new Map(hours.map((hour) => [hour.at.getTime(), hour]));
  const cells = Array.from({ length: HOURS }, (_, index) => {
    const at = thisHour - (HOURS - 1 - index) * HOUR_MS;
    const hour = byHour.get(at) ?? { ...totalsOf([]), at: new Date(at), end: new Date(at + HOUR_MS) };
    // Draws an hour without attempts lower than the other hours, so that not only the colour shows the difference.
    const height = attemptsOf(hour) === 0 ? 3 : STRIP_HEIGHT - 4;
    const tip = `${formatMinute(hour.at)}–${formatMinute(hour.end)} UTC: ${successText(hour)}`;
    const [x, y] = [index * CELL + 0.75, (STRIP_HEIGHT - height) / 2];
    return box({ name: toneOf(hour), x, y, width: CELL - 1.5, height, corner: 1.5, tip });
  });
  return html`<svg
    class="strip"
    viewBox="0 0 ${HOURS * CELL} ${STRIP_HEIGHT}"
    role="img"
    aria-label="${healthSentence(hours)}"
  >
    ${cells}
  </svg>`;
}

/** Describes the strip in a sentence. */
export function healthSentence(hours: readonly Span[]): string {
  const totals = totalsOf(hours);
  if (attemptsOf(totals) === 0) return 'No attempt in the last 24 hours.';
  const bad = hours.filter((hour) => toneOf(hour) === 'bad');
  const first = bad[0];
  const worst = first
    ? ` Bad since ${formatMinute(first.at)} UTC in ${formatPlural(bad.length, 'hour')}.`
    : '';
  return `Last 24 hours: ${successText(totals)} delivered.${worst}`;
}

function toneOf(hour: Totals): string {
  if (attemptsOf(hour) === 0) return 'none';
  const rate = hour.delivered / attemptsOf(hour);
  if (rate < BAD_BELOW) return 'bad';
  return rate < GOOD_FROM ? 'warn' : 'good';
}

function attemptsOf({ delivered, failed }: Totals): number {
  return delivered + failed;
}

export function successRate(totals: Totals): string {
  return formatPercent(totals.delivered, attemptsOf(totals));
}

function successText(totals: Totals): string {
  const attempts = attemptsOf(totals);
  return attempts === 0 ? 'no attempt' : `${successRate(totals)} of ${formatPlural(attempts, 'attempt')}`;
}

function formatSpan({ at, end }: Span): string {
  return `${formatDay(at)} ${formatMinute(at)}–${formatMinute(end)}`;
}

function ms(value: number | null): string {
  return value === null ? '–' : formatMilliseconds(value);
}

/** Rounds up to a number that is easy to read. */
function niceCeiling(count: number): number {
  const size = 10 ** Math.floor(Math.log10(count));
  return size * ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * size >= count) ?? 10);
}

function shortCount(count: number): string {
  if (count >= 1_000_000) return `${count / 1_000_000} m`;
  return count >= 1000 ? `${count / 1000} k` : String(count);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
