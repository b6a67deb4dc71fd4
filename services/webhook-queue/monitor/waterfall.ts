import { html, type Markup } from '../../platform/html-template';
import type { AttemptReport, Phase } from '../delivery';
import { duration } from './time-forms';

const PHASES: readonly (readonly [Phase, string])[] = [
  ['dns', 'name'],
  ['connect', 'connect'],
  ['tls', 'TLS'],
  ['first_byte', 'first byte'],
  ['body', 'body'],
];

const WIDTH = 520;
const NAME = 74;
const TIME = 60;
const ROW = 20;
const BAR = 10;
const INNER = WIDTH - NAME - TIME;

interface Bar {
  phase: string;
  name: string;
  from: number;
  ms: number;
}

/** Where the time of a try went, a line a phase, one after the other; what no phase accounts for is the wait that ended it. */
export function waterfall(
  phases: NonNullable<AttemptReport['phases']>,
  durationMs: number,
  failed: boolean,
): Markup {
  const bars = barsOf(phases, durationMs, failed);
  const total = Math.max(1, durationMs, ...bars.map(({ from, ms }) => from + ms));
  const told = bars.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ');
  return html`<svg
    class="waterfall"
    viewBox="0 0 ${WIDTH} ${bars.length * ROW}"
    role="img"
    aria-label="${told}"
  >
    ${bars.map((bar, index) => row(bar, index, total))}
  </svg>`;
}

function barsOf(phases: NonNullable<AttemptReport['phases']>, durationMs: number, failed: boolean): Bar[] {
  const bars: Bar[] = [];
  let from = 0;
  for (const [phase, name] of PHASES) {
    const ms = phases[phase];
    if (ms === undefined) continue;
    bars.push({ phase, name, from, ms });
    from += ms;
  }
  if (failed && durationMs - from > 1)
    bars.push({ phase: 'cut', name: 'no answer', from, ms: durationMs - from });
  return bars;
}

function row({ phase, name, from, ms }: Bar, index: number, total: number): Markup {
  const y = index * ROW;
  const x = NAME + (from / total) * INNER;
  const width = Math.max(1.5, (ms / total) * INNER);
  return html`<text x="0" y="${y + 14}">${name}</text
    ><line class="grid" x1="${NAME}" x2="${NAME + INNER}" y1="${y + ROW / 2}" y2="${y + ROW / 2}"></line
    ><rect
      class="phase ${phase}"
      x="${x.toFixed(1)}"
      y="${y + (ROW - BAR) / 2}"
      width="${width.toFixed(1)}"
      height="${BAR}"
      rx="2"
    ></rect
    ><text x="${WIDTH}" y="${y + 14}" text-anchor="end">${duration(ms)}</text>`;
}
