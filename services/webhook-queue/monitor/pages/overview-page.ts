import type { Db } from '../../../platform/database';
import { html, type Markup, trusted } from '../../../platform/html-template';
import { linkTo, timeElement } from '../html/formats';
import { attentionList } from './attention';
import { type Notice, renderMonitorPage, type Viewer } from '../html/layout';
import { overviewTiles } from './overview-tiles';
import { findFailingEndpoints } from '../../endpoints/endpoint.repository';
import { findWaitingTenants } from '../queries/overview.repository';
import { statsCharts } from '../charts/stats-charts';
import { findSpans } from '../queries/stats-history.repository';
import { type OverviewQuery, type Range, RANGES } from '../queries/read-query';
import { findWorkers, type WorkerRow } from '../../maintenance/worker-heartbeat.repository';
import { findQueueCounts } from '../../stats/queue-counts.repository';
import { cardTable, mark } from '../html/components';

/** Parts of the overview by element id. Live updates send a part again when it changes. */
type Fragments = Readonly<Record<string, Markup>>;

/** Limits the failing endpoints that the overview names. */
const FAILING_NAMED = 5;

const RANGE_NAMES: Readonly<Record<Range, string>> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' };

export async function overviewPage(
  db: Db,
  { range }: OverviewQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const { needs, tiles, workers } = await stateFragments(db);
  const body = html`<h1 class="hidden">Overview</h1>
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

/** Renders the current state. */
export async function stateFragments(db: Db) {
  const counts = await findQueueCounts(db);
  const workers = await findWorkers(db);
  const failing = await findFailingEndpoints(db, FAILING_NAMED);
  const waiting = counts.waiting > 0 ? await findWaitingTenants(db) : [];
  return {
    needs: html`<section id="needs" aria-label="Needs attention">
      ${attentionList({ counts, workers, failing, waiting })}
    </section>`,
    tiles: html`<section id="tiles" aria-label="At this moment">${overviewTiles(counts, workers)}</section>`,
    workers: html`<section id="workers" aria-label="Workers">${workerTable(workers)}</section>`,
  } satisfies Fragments;
}

/** Renders the statistics of a range. */
export async function statsFragment(db: Db, range: Range): Promise<Markup> {
  return html`<section id="statistics" aria-label="Success and time">
    ${statsCharts(await findSpans(db, range))}
  </section>`;
}

function rangeLinks(current: Range): Markup {
  return html`<nav class="switch" aria-label="Range">
    ${RANGES.map(
      (range) =>
        html`<a href="${linkTo('/', { range })}" ${range === current && trusted('aria-current="true"')}
          >${RANGE_NAMES[range]}</a
        >`,
    )}
  </nav>`;
}

const COLUMNS = ['Worker', 'State', 'Slots busy', 'Last heartbeat (UTC)', 'Started (UTC)'];

/** Renders the workers with their last heartbeat. */
function workerTable(workers: readonly WorkerRow[]): Markup {
  if (workers.length === 0)
    return html`<p class="empty">
      No worker has started yet. Start one with <code>npm run webhook-queue</code>.
    </p>`;
  return cardTable('Workers', COLUMNS, workers.map(row));
}

function row({ id, alive, slots, inFlight, beatAt, startedAt }: WorkerRow): Markup {
  return html`<tr>
    <th scope="row" data-label="Worker"><code>${id}</code></th>
    <td data-label="State">${alive ? mark('good', 'alive') : mark('idle', 'gone')}</td>
    <td data-label="Slots busy">
      ${alive ? html`<meter min="0" max="${slots}" value="${inFlight}">${inFlight}</meter> ${inFlight} of ${slots}` : '–'}
    </td>
    <td data-label="Last heartbeat (UTC)">${timeElement(beatAt)}</td>
    <td data-label="Started (UTC)">${timeElement(startedAt)}</td>
  </tr>`;
}
