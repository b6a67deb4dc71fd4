import { html, type Markup } from '../../../platform/html-template';
import { atMost, plural } from '../html/number-forms';
import { COUNTED_MOST, type Counts, type WorkerRow } from '../queries/overview.repository';
import type { Tone } from '../html/status-mark';
import { duration, moment } from '../html/time-forms';

/** Later than that is more than a full house for a moment. */
export const LATE_MS = 60_000;

interface Tile {
  label: string;
  value: string;
  hint?: Markup | string;
  href?: string;
  tone?: Tone | false;
}

export function overviewTiles(counts: Counts, workers: readonly WorkerRow[]): Markup {
  return html`<ul class="tiles">
    ${[...queueTiles(counts), ...endpointTiles(counts), workersTile(workers)].map(tile)}
  </ul>`;
}

function queueTiles(counts: Counts): Tile[] {
  const late = counts.oldestDue ? counts.now.getTime() - counts.oldestDue.getTime() : 0;
  return [
    {
      label: 'Due now',
      value: bounded(counts.due),
      hint: counts.held > 0 ? `and ${bounded(counts.held)} held back` : 'none is held back',
    },
    {
      label: 'Oldest due',
      value: counts.oldestDue ? duration(late) : '–',
      hint: counts.oldestDue ? html`since ${moment(counts.oldestDue)}` : 'nothing waits for a worker',
      tone: late > LATE_MS && 'bad',
    },
    {
      label: 'Retrying',
      value: bounded(counts.retrying),
      hint: 'wait for their next try',
      href: '/deliveries?status=retrying',
      tone: counts.retrying > 0 && 'warn',
    },
    {
      label: 'Dead',
      value: bounded(counts.dead),
      hint: counts.deadToday > 0 ? `${bounded(counts.deadToday)} within 24 hours` : 'none within 24 hours',
      href: '/deliveries?status=dead',
      tone: counts.deadToday > 0 && 'bad',
    },
    {
      label: 'Without endpoint',
      value: bounded(counts.waiting),
      hint: 'wait until one is added',
      href: '/deliveries?endpoint=none',
      tone: counts.waiting > 0 && 'warn',
    },
  ];
}

function endpointTiles(counts: Counts): Tile[] {
  const { breakersOpen, breakersTrying, disabled } = counts;
  return [
    {
      label: 'Breakers open',
      value: String(breakersOpen),
      hint:
        breakersTrying > 0
          ? `and ${breakersTrying} trying again`
          : `of ${plural(counts.endpoints, 'endpoint')}`,
      href: '/endpoints?status=breaker',
      tone: breakersOpen + breakersTrying > 0 && 'warn',
    },
    {
      label: 'Disabled',
      value: String(disabled),
      hint: counts.paused > 0 ? `and ${counts.paused} paused` : 'none is paused',
      href: '/endpoints?status=disabled',
      tone: disabled > 0 && 'bad',
    },
  ];
}

function workersTile(workers: readonly WorkerRow[]): Tile {
  const alive = workers.filter((worker) => worker.alive);
  const [slots, busy] = [
    sum(alive.map((worker) => worker.slots)),
    sum(alive.map((worker) => worker.inFlight)),
  ];
  return {
    label: 'Workers',
    value: String(alive.length),
    hint: alive.length > 0 ? `${busy} of ${plural(slots, 'slot')} busy` : 'nothing is sent',
    href: '#workers',
    tone: alive.length === 0 ? 'bad' : 'good',
  };
}

function tile({ label, value, hint, href, tone }: Tile): Markup {
  const inside = html`<span class="label">${label}</span> <strong>${value}</strong>
    <span class="soft">${hint}</span>`;
  return html`<li class="card tile ${tone || 'plain'}">
    ${href ? html`<a href="${href}">${inside}</a>` : inside}
  </li>`;
}

function bounded(count: number): string {
  return atMost(count, COUNTED_MOST);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
