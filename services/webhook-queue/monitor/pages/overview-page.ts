import type { Db } from '../../../platform/database/database';
import { html, type Markup, trusted } from '../../../platform/html-template';
import { START_WEBHOOK_QUEUE } from '../../../platform/start-advice';
import { type FailingEndpoint, findFailingEndpoints } from '../../endpoints/endpoint.repository';
import { findWorkers, type WorkerRow } from '../../maintenance/worker-heartbeat.repository';
import { COUNTED_MAX, findQueueCounts, type QueueCounts } from '../../stats/queue-counts.repository';
import { findWaitingTenants, type WaitingTenant } from '../queries/deliveries.repository';
import { type OverviewQuery, type Range, RANGES } from '../queries/read-query';
import { findSpans } from '../queries/stats-history.repository';
import { statsCharts } from './charts';
import { type TableColumn, mark, type MarkTone, tableElement } from './components';
import { nameEndpoints } from './endpoint-names';
import { sendingText } from './endpoints-page';
import {
  formatCountUpTo,
  formatMilliseconds,
  formatPlural,
  formatRelative,
  linkTo,
  timeElement,
} from './formats';
import { csrfField, type Notice, renderMonitorPage, type Viewer } from './layout';

/** Maximum number of failing endpoints that the overview names. */
const FAILING_NAMED = 5;
/** The overview reports a problem when the oldest due delivery is later than this. A shorter delay may be only a short peak of load. */
const LATE_MS = 60_000;

/** The buttons of the banner belong to this form. The banner itself cannot hold a CSRF token, because all sessions get the same text. */
const ACTION_FORM = 'act';

const RANGE_NAMES: Readonly<Record<Range, string>> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' };

export async function overviewPage(
  db: Db,
  { range }: OverviewQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const { needs, tiles, workers } = await stateFragments(db);
  const body = html`<h1 class="hidden">Overview</h1>
    <form id="${ACTION_FORM}" method="post">${csrfField(viewer)}</form>
    ${needs} ${tiles}
    <div class="heading">
      <h2>The last ${RANGE_NAMES[range]}</h2>
      ${rangeLinks(range)}
    </div>
    ${await statsFragment(db, range)}
    <h2>Workers</h2>
    ${workers}`;
  return renderMonitorPage({ title: 'Overview', at: '/', viewer, notice, live: { fragments: range }, body });
}

/** Renders the current state in parts, by element id. Live updates send a part again when it changes. */
export async function stateFragments(db: Db) {
  const counts = await findQueueCounts(db);
  const workers = await findWorkers(db);
  const failing = await findFailingEndpoints(db, FAILING_NAMED);
  const names = await nameEndpoints(db, failing);
  const named = failing.map((endpoint) => ({ ...endpoint, name: names.get(endpoint.id)! }));
  const waiting = counts.waiting > 0 ? await findWaitingTenants(db) : [];
  return {
    needs: html`<section id="needs" aria-label="Needs attention">
      ${attentionList(counts, workers, named, waiting)}
    </section>`,
    tiles: html`<section id="tiles" aria-label="At this moment">
      ${tileList('tiles', mainTiles(counts))} ${tileList('tiles minor', minorTiles(counts, workers))}
    </section>`,
    workers: html`<section id="workers" aria-label="Workers">${workerTable(workers)}</section>`,
  };
}

export async function statsFragment(db: Db, range: Range): Promise<Markup> {
  return html`<section id="statistics" aria-label="Success and time">
    ${statsCharts(await findSpans(db, range))}
  </section>`;
}

function rangeLinks(current: Range): Markup {
  const links = RANGES.map((range) => {
    const present = range === current && trusted('aria-current="true"');
    return html`<a class="button quiet" href="${linkTo('/', { range })}" ${present}
      >${RANGE_NAMES[range]}</a
    >`;
  });
  return html`<nav class="actions" aria-label="Range">${links}</nav>`;
}

interface NamedEndpoint extends FailingEndpoint {
  name: string;
}

interface AttentionItem {
  tone: MarkTone;
  text: Markup;
  actions?: Markup;
}

/** Lists the problems that need an operator, the most severe first; or states that there are none. */
function attentionList(
  counts: QueueCounts,
  workers: readonly WorkerRow[],
  failing: readonly NamedEndpoint[],
  waiting: readonly WaitingTenant[],
): Markup {
  const items: AttentionItem[] = [
    ...workerItems(counts, workers),
    ...failing.map((endpoint) => endpointItem(endpoint, counts.now)),
    ...deadItems(counts),
    ...waiting.map(waitingItem),
  ];
  if (counts.endpoints === 0) items.push({ tone: 'idle', text: NO_ENDPOINT });
  if (items.length === 0) items.push({ tone: 'good', text: ALL_WELL });
  items.sort((a, b) => Number(a.tone !== 'bad') - Number(b.tone !== 'bad'));
  return html`<ul class="needs card">
    ${items.map(
      ({ tone, text, actions }) =>
        html`<li class="${tone}">
          <div>${text}</div>
          ${actions && html`<div class="actions">${actions}</div>`}
        </li>`,
    )}
  </ul>`;
}

const ALL_WELL = html`No problems: every endpoint accepts its deliveries.`;

const NO_ENDPOINT = html`<strong>No endpoint yet.</strong> Add a tenant’s first one with
  <code>tourctl webhook add &lt;tenant&gt; https://…</code>: waiting deliveries are sent at once.`;

/** Returns the delay of the oldest due delivery; 0 without one. */
function lateMs({ now, oldestDue }: QueueCounts): number {
  return oldestDue ? now.getTime() - oldestDue.getTime() : 0;
}

function workerItems(counts: QueueCounts, workers: readonly WorkerRow[]): AttentionItem[] {
  if (!workers.some(({ alive }) => alive)) {
    const last = workers[0];
    const since = last && html`The last one was seen ${formatRelative(last.beatAt, counts.now)}. `;
    const text = html`<strong>No worker is alive: nothing is sent.</strong> ${since}To go on,
      ${START_WEBHOOK_QUEUE}.`;
    return [{ tone: 'bad', text }];
  }
  const late = lateMs(counts);
  if (late <= LATE_MS) return [];
  const text = html`<strong>Deliveries start ${formatMilliseconds(late)} late.</strong> The workers are
    overloaded: add a worker, or check whether the database is slow.`;
  return [{ tone: 'bad', text }];
}

function endpointItem(endpoint: NamedEndpoint, now: Date): AttentionItem {
  const { id, status, statusReason, failingSince } = endpoint;
  const name = `${endpoint.name} of ${endpoint.tenant}`;
  const open = html`<a class="button quiet" href="/endpoints/${id}" aria-label="Open ${name}">Open</a>`;
  if (status === 'disabled')
    return { tone: 'bad', text: html`<strong>${name} is disabled.</strong> ${statusReason}`, actions: open };
  const since =
    failingSince && html` It has failed for ${formatMilliseconds(now.getTime() - failingSince.getTime())}.`;
  const text = html`<strong>${name}:</strong> ${sendingText({ ...endpoint, now })}${since}`;
  const retry = html`<button
    class="quiet"
    form="${ACTION_FORM}"
    formaction="/endpoints/${id}/retry"
    aria-label="Retry ${name}"
    title="Sends the next delivery now. If the receiver accepts it, sending continues."
  >
    Retry
  </button>`;
  return { tone: 'warn', text, actions: html`${retry} ${open}` };
}

function deadItems({ deadToday }: QueueCounts): AttentionItem[] {
  if (deadToday === 0) return [];
  const text = html`<strong
      ><a href="/deliveries?status=dead"
        >${bounded(deadToday)} ${deadToday === 1 ? 'delivery' : 'deliveries'}</a
      >
      died within 24 hours.</strong
    >
    When the receiver works again, <a href="/replay?status=dead">send them again</a>.`;
  return [{ tone: 'bad', text }];
}

function waitingItem({ tenant, waiting }: WaitingTenant): AttentionItem {
  const text = html`<strong
      >${formatPlural(waiting, 'delivery', 'deliveries')} of ${tenant} ${waiting === 1 ? 'waits' : 'wait'} for
      an endpoint.</strong
    >
    Sent as soon as it has one: <code>tourctl webhook add ${tenant} https://…</code>`;
  return { tone: 'warn', text };
}

interface Tile {
  label: string;
  value: string;
  hint?: Markup | string;
  href?: string;
  tone?: MarkTone | false;
}

function tileList(style: string, tiles: readonly Tile[]): Markup {
  return html`<ul class="${style}">
    ${tiles.map(({ label, value, hint, href, tone }) => {
      const inside = html`<span class="label">${label}</span>
        <strong>${value}</strong> ${hint && html`<span class="soft">${hint}</span>`}`;
      return html`<li class="card tile ${tone || 'plain'}">
        ${href ? html`<a href="${href}">${inside}</a>` : html`<div>${inside}</div>`}
      </li>`;
    })}
  </ul>`;
}

/** Returns the three figures that tell whether customers' websites get their events. */
function mainTiles(counts: QueueCounts): Tile[] {
  const { oldestDue, breakersOpen, breakersTrying, endpoints, dead, deadToday } = counts;
  const tested = breakersTrying > 0 && `and ${breakersTrying} tested again`;
  return [
    {
      label: 'Oldest due',
      value: oldestDue ? formatMilliseconds(lateMs(counts)) : '–',
      hint: oldestDue ? html`since ${timeElement(oldestDue)}` : 'nothing waits for a worker',
      tone: lateMs(counts) > LATE_MS && 'bad',
    },
    {
      label: 'Sending paused after failures',
      value: String(breakersOpen),
      hint: tested || `of ${formatPlural(endpoints, 'endpoint')}`,
      href: '/endpoints?status=breaker',
      tone: breakersOpen + breakersTrying > 0 && 'warn',
    },
    {
      label: 'Dead within 24 hours',
      value: bounded(deadToday),
      hint: `${bounded(dead)} in all`,
      href: '/deliveries?status=dead',
      tone: deadToday > 0 && 'bad',
    },
  ];
}

function minorTiles(counts: QueueCounts, workers: readonly WorkerRow[]): Tile[] {
  const { due, held, retrying, waiting, disabled, paused } = counts;
  const alive = workers.filter((worker) => worker.alive);
  const slots = alive.reduce((sum, worker) => sum + worker.slots, 0);
  const busy = alive.reduce((sum, worker) => sum + worker.inFlight, 0);
  return [
    { label: 'Due now', value: bounded(due), hint: held > 0 ? `and ${bounded(held)} held back` : '' },
    {
      label: 'Retrying',
      value: bounded(retrying),
      href: '/deliveries?status=retrying',
      tone: retrying > 0 && 'warn',
    },
    {
      label: 'Without endpoint',
      value: bounded(waiting),
      href: '/deliveries?endpoint=none',
      tone: waiting > 0 && 'warn',
    },
    {
      label: 'Disabled',
      value: String(disabled),
      hint: paused > 0 ? `and ${paused} paused` : '',
      href: '/endpoints?status=disabled',
      tone: disabled > 0 && 'bad',
    },
    {
      label: 'Workers',
      value: String(alive.length),
      hint:
        alive.length > 0 ? `alive, ${busy} of ${formatPlural(slots, 'slot')} busy` : 'alive: nothing is sent',
      href: '#workers',
      tone: alive.length === 0 ? 'bad' : 'good',
    },
  ];
}

function bounded(count: number): string {
  return formatCountUpTo(count, COUNTED_MAX);
}

const WORKER_COLUMNS: readonly TableColumn<WorkerRow>[] = [
  { name: 'Worker', cell: ({ id }) => html`<code>${id}</code>` },
  { name: 'State', cell: ({ alive }) => (alive ? mark('good', 'alive') : mark('idle', 'gone')) },
  {
    name: 'Slots busy',
    cell: ({ alive, slots, inFlight }) =>
      alive
        ? html`<meter min="0" max="${slots}" value="${inFlight}">${inFlight}</meter> ${inFlight} of ${slots}`
        : '–',
  },
  { name: 'Heartbeat (UTC)', cell: ({ beatAt }) => timeElement(beatAt) },
  { name: 'Started (UTC)', cell: ({ startedAt }) => timeElement(startedAt) },
];

/** Renders the workers with their last heartbeat. */
function workerTable(workers: readonly WorkerRow[]): Markup {
  if (workers.length === 0)
    return html`<p class="empty">No worker has started yet. To begin, ${START_WEBHOOK_QUEUE}.</p>`;
  return tableElement('Workers', WORKER_COLUMNS, workers);
}
