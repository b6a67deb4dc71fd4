import { html, type Markup } from '../../../platform/html-template';
import { formatCountUpTo, formatMilliseconds, timeElement, formatPlural } from '../html/formats';
import type { MarkTone } from '../html/components';
import type { WorkerRow } from '../../maintenance/worker-heartbeat.repository';
import { COUNTED_MOST, type QueueCounts } from '../../stats/queue-counts.repository';

/** A longer delay is more than a short peak of load. */
export const LATE_MS = 60_000;

interface Tile {
  label: string;
  value: string;
  hint?: Markup | string;
  href?: string;
  tone?: MarkTone | false;
}

export function overviewTiles(counts: QueueCounts, workers: readonly WorkerRow[]): Markup {
  return html`<ul class="tiles">
    ${[...queueTiles(counts), ...endpointTiles(counts), workersTile(workers)].map(tile)}
  </ul>`;
}

function queueTiles(counts: QueueCounts): Tile[] {
  const late = counts.oldestDue ? counts.now.getTime() - counts.oldestDue.getTime() : 0;
  return [
    {
      label: 'Due now',
      value: bounded(counts.due),
      hint: counts.held > 0 ? `and ${bounded(counts.held)} held back` : 'none is held back',
    },
    {
      label: 'Oldest due',
      value: counts.oldestDue ? formatMilliseconds(late) : '–',
      hint: counts.oldestDue ? html`since ${timeElement(counts.oldestDue)}` : 'nothing waits for a worker',
      tone: late > LATE_MS && 'bad',
    },
    {
      label: 'Retrying',
      value: bounded(counts.retrying),
      hint: 'wait for their next attempt',
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

function endpointTiles(counts: QueueCounts): Tile[] {
  const { breakersOpen, breakersTrying, disabled } = counts;
  return [
    {
      label: 'Breakers open',
      value: String(breakersOpen),
      hint:
        breakersTrying > 0
          ? `and ${breakersTrying} trying again`
          : `of ${formatPlural(counts.endpoints, 'endpoint')}`,
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
    hint: alive.length > 0 ? `${busy} of ${formatPlural(slots, 'slot')} busy` : 'nothing is sent',
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
  return formatCountUpTo(count, COUNTED_MOST);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
