import type { Db } from '../../../platform/database';
import { html, type Markup, trusted } from '../../../platform/html-template';
import { address } from '../html/address';
import { attention } from './attention';
import { renderPage } from '../html/layout';
import { overviewTiles } from './overview-tiles';
import {
  findCounts,
  findSickEndpoints,
  findWaitingTenants,
  findWorkers,
} from '../queries/overview.repository';
import { pulseCharts } from '../charts/pulse-charts';
import { findSpans } from '../queries/pulse-history.repository';
import { type OverviewQuery, type Range, RANGES } from '../queries/read-query';
import type { Notice, Viewer } from '../html/viewer';
import { workerTable } from './worker-table';

/** Parts of the overview by the ids of their elements: what the page begins with, and what is sent anew when it changes. */
export type Fragments = Readonly<Record<string, Markup>>;

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
    ${await pulseFragment(db, range)}
    <h2>Workers</h2>
    ${workers}`;
  return renderPage({ title: 'Overview', at: '/', viewer, notice, live: { fragments: range }, body });
}

/** What is true at this moment. */
export async function stateFragments(db: Db) {
  const counts = await findCounts(db);
  const workers = await findWorkers(db);
  const sick = await findSickEndpoints(db);
  const waiting = counts.waiting > 0 ? await findWaitingTenants(db) : [];
  return {
    needs: html`<section id="needs" aria-label="What needs a look">
      ${attention({ counts, workers, sick, waiting })}
    </section>`,
    tiles: html`<section id="tiles" aria-label="At this moment">${overviewTiles(counts, workers)}</section>`,
    workers: html`<section id="workers" aria-label="Workers">${workerTable(workers)}</section>`,
  } satisfies Fragments;
}

/** What happened over the range. */
export async function pulseFragment(db: Db, range: Range): Promise<Markup> {
  return html`<section id="pulse" aria-label="Success and time">
    ${pulseCharts(await findSpans(db, range))}
  </section>`;
}

function rangeLinks(current: Range): Markup {
  return html`<nav class="switch" aria-label="Range">
    ${RANGES.map(
      (range) =>
        html`<a href="${address('/', { range })}" ${range === current && trusted('aria-current="true"')}
          >${RANGE_NAMES[range]}</a
        >`,
    )}
  </nav>`;
}
