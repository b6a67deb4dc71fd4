import { html, type Markup } from '../../../platform/html-template';
import { formatDay, formatMilliseconds, formatMinute } from '../html/formats';

/** The drawing's units. The whole drawing scales, so that letters keep their shape. */
const WIDTH = 360;
const HEIGHT = 132;
const LEFT = 48;
const TOP = 8;
const BOTTOM = 112;
const INNER = WIDTH - LEFT - 2;

interface TimeSpan {
  at: Date;
  end: Date;
}

interface Bar extends TimeSpan {
  good: number;
  bad: number;
  tip: string;
}

interface Point extends TimeSpan {
  /** Milliseconds; null without measurements. */
  typical: number | null;
  slow: number | null;
  tip: string;
}

/** Draws attempts as stacked bars: failures on top of successes. */
export function barChart(label: string, bars: readonly Bar[]): Markup {
  const most = niceCeiling(Math.max(1, ...bars.map(({ good, bad }) => good + bad)));
  const width = INNER / bars.length;
  const high = (count: number) => (count / most) * (BOTTOM - TOP);
  const columns = bars.map(({ good, bad, tip }, index) => {
    const x = round(LEFT + index * width + width * 0.12);
    const wide = round(width * 0.76);
    const goodHigh = round(high(good));
    // Keeps a single failure among thousands visible.
    const badHigh = bad > 0 ? round(Math.max(2, high(bad))) : 0;
    return html`<g
      ><rect
        class="hit"
        x="${round(LEFT + index * width)}"
        y="${TOP}"
        width="${round(width)}"
        height="${BOTTOM - TOP}"
      ></rect
      ><rect
        class="good"
        x="${x}"
        y="${round(BOTTOM - goodHigh)}"
        width="${wide}"
        height="${goodHigh}"
        rx="1"
      ></rect
      ><rect
        class="bad"
        x="${x}"
        y="${round(BOTTOM - goodHigh - badHigh)}"
        width="${wide}"
        height="${badHigh}"
        rx="1"
      ></rect
      ><title>${tip}</title></g
    >`;
  });
  return frame(
    label,
    [gridLine(BOTTOM - high(most), shortCount(most)), gridLine(BOTTOM, '0'), html`${columns}`],
    bars,
  );
}

const TICKS = [1, 10, 100, 1e3, 1e4, 6e4, 6e5, 36e5, 36e6, 864e5, 864e6, 864e7];

/** Draws two lines on a logarithmic scale, so that 1 ms stays visible beside 1 s. */
export function timeChart(label: string, points: readonly Point[]): Markup {
  const ticks = ticksFor(points.flatMap(({ typical, slow }) => [typical, slow]).filter((ms) => ms !== null));
  const [low, top] = [Math.log(ticks[0]!), Math.log(ticks.at(-1)!)];
  const y = (ms: number) =>
    round(BOTTOM - ((Math.log(Math.max(ms, ticks[0]!)) - low) / (top - low)) * (BOTTOM - TOP));
  return frame(
    label,
    [
      html`${ticks.map((tick) => gridLine(y(tick), formatMilliseconds(tick)))}`,
      line('slow', points, ({ slow }) => slow, y),
      line('typical', points, ({ typical }) => typical, y),
      html`${points.map((point, index) => hit(point, index, points.length))}`,
    ],
    points,
  );
}

/** Returns the ticks around the values, at least two. */
function ticksFor(values: readonly number[]): number[] {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [10, 1000];
  const first = Math.max(
    0,
    TICKS.findLastIndex((tick) => tick <= least),
  );
  const last = TICKS.findIndex((tick) => tick >= most);
  return TICKS.slice(first, Math.max(last === -1 ? TICKS.length : last + 1, first + 2));
}

function frame(label: string, parts: Markup[], spans: readonly TimeSpan[]): Markup {
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
    ${parts} ${axis(spans)}
  </svg>`;
}

function axis(spans: readonly TimeSpan[]): Markup | null {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return null;
  const isLong = last.end.getTime() - first.at.getTime() > 2 * 86_400_000;
  const name = (at: Date) => (isLong ? formatDay(at) : formatMinute(at));
  const middle = spans[Math.floor(spans.length / 2)]!;
  return html`<text x="${LEFT}" y="${HEIGHT - 5}">${name(first.at)}</text
    ><text x="${LEFT + INNER / 2}" y="${HEIGHT - 5}" text-anchor="middle">${name(middle.at)}</text
    ><text x="${WIDTH - 2}" y="${HEIGHT - 5}" text-anchor="end">now</text>`;
}

function gridLine(y: number, name: string): Markup {
  return html`<line class="grid" x1="${LEFT}" x2="${WIDTH - 2}" y1="${round(y)}" y2="${round(y)}"></line
    ><text x="${LEFT - 6}" y="${round(y + 3.5)}" text-anchor="end">${name}</text>`;
}

function hit({ tip }: Point, index: number, count: number): Markup {
  const width = INNER / count;
  return html`<rect
    class="hit"
    x="${round(LEFT + index * width)}"
    y="${TOP}"
    width="${round(width)}"
    height="${BOTTOM - TOP}"
    ><title>${tip}</title></rect
  >`;
}

/** Draws a line with gaps where measurements are missing; a single point between two gaps is a dot. */
function line(
  name: string,
  points: readonly Point[],
  value: (point: Point) => number | null,
  y: (ms: number) => number,
): Markup {
  const x = (index: number) => round(LEFT + ((index + 0.5) / points.length) * INNER);
  const path: string[] = [];
  const dots: Markup[] = [];
  points.forEach((point, index) => {
    const ms = value(point);
    if (ms === null) return;
    const [before, after] = [points[index - 1], points[index + 1]].map((next) => (next ? value(next) : null));
    if (before == null && after == null)
      dots.push(html`<circle class="${name}" cx="${x(index)}" cy="${y(ms)}" r="2"></circle>`);
    path.push(`${before == null ? 'M' : 'L'}${x(index)} ${y(ms)}`);
  });
  return html`<path class="line ${name}" d="${path.join('')}"></path>${dots}`;
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
