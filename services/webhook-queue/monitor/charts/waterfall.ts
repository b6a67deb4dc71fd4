import { html, type Markup } from '../../../platform/html-template';
import { PHASES, type AttemptReport, type Phase } from '../../deliveries/delivery';
import { formatMilliseconds } from '../html/formats';

const NAMES: Readonly<Record<Phase, string>> = {
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  first_byte: 'first byte',
  body: 'body',
};

interface PhaseBar {
  phase: string;
  name: string;
  from: number;
  ms: number;
}

/** Draws the phases of an attempt, one line each. The rest of an unanswered attempt is the wait before its end. */
export function waterfall(
  phases: NonNullable<AttemptReport['phases']>,
  durationMs: number,
  unanswered: boolean,
): Markup {
  const bars = barsOf(phases, durationMs, unanswered);
  const total = Math.max(1, durationMs, ...bars.map(({ from, ms }) => from + ms));
  return html`<dl class="waterfall">${bars.map((bar) => row(bar, total))}</dl>`;
}

function barsOf(
  phases: NonNullable<AttemptReport['phases']>,
  durationMs: number,
  unanswered: boolean,
): PhaseBar[] {
  const bars: PhaseBar[] = [];
  let from = 0;
  for (const phase of PHASES) {
    const ms = phases[phase];
    if (ms === undefined) continue;
    bars.push({ phase, name: NAMES[phase], from, ms });
    from += ms;
  }
  if (unanswered && durationMs - from > 1)
    bars.push({ phase: 'cut', name: 'no answer', from, ms: durationMs - from });
  return bars;
}

/** Puts the words beside the drawing, because the drawing stretches with the page. */
function row({ phase, name, from, ms }: PhaseBar, total: number): Markup {
  const [x, width] = [(from / total) * 100, Math.max(0.4, (ms / total) * 100)];
  return html`<dt>${name}</dt>
    <dd>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="grid" y="4.5" width="100" height="1"></rect>
        <rect
          class="phase ${phase}"
          x="${Math.min(x, 99.6).toFixed(2)}"
          width="${width.toFixed(2)}"
          height="10"
        ></rect>
      </svg>
      <span>${formatMilliseconds(ms)}</span>
    </dd>`;
}
