import type { Db, Trx } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import {
  countHeldBack,
  countReplayable,
  type HeldBack,
  REPLAY_LIMIT,
  type ReplayFilter,
} from '../../deliveries/replay-deliveries';
import { findTenantIdBySlug, findTenantSlugs } from '../queries/deliveries.repository';
import { REPLAYABLE, type ReplayQuery } from '../queries/read-query';
import { filterFields, optionsOf } from './components';
import { formatCount, formatCountUpTo } from './formats';
import { csrfField, type Notice, renderMonitorPage, type Viewer } from './layout';

export async function replayPage(
  db: Db,
  query: ReplayQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const slugs = await findTenantSlugs(db);
  const hasFilter = Object.keys(query.given).length > 0;
  const body = html`<div class="heading"><h1>Replay</h1></div>
    <p class="lead">
      Sends finished deliveries again, the oldest first, each with its old <code>webhook-id</code>. A receiver
      that checks this id processes no event twice.
    </p>
    ${filterForm(query, slugs)} ${hasFilter && (await preview(db, query, viewer))}`;
  return renderMonitorPage({ title: 'Replay', at: '/replay', viewer, notice, body });
}

function filterForm(query: ReplayQuery, suggestions: string[]): Markup {
  return html`<form class="filter card" method="get" action="/replay">
    ${filterFields(query, [
      { name: 'status', label: 'Status', options: optionsOf(REPLAYABLE), selected: query.status },
      { name: 'tenant', label: 'Tenant', placeholder: 'slug', suggestions },
      { name: 'endpoint', label: 'Endpoint', placeholder: 'id' },
      { name: 'since', label: 'Made since (UTC)', at: query.since },
    ])}
    <div class="buttons"><button>Count</button></div>
  </form>`;
}

async function preview(db: Db, query: ReplayQuery, viewer: Viewer): Promise<Markup> {
  if (Object.keys(query.issues).length > 0)
    return html`<p class="empty">
      Correct the fields above first: an ignored field would have narrowed the filter.
    </p>`;
  const filter = await toReplayFilter(db, query);
  if (!filter) return html`<p class="empty">There is no tenant <code>${query.tenant}</code>.</p>`;
  const count = await countReplayable(db, filter, REPLAY_LIMIT + 1);
  const heldBack = await countHeldBack(db, filter, REPLAY_LIMIT + 1);
  return html`<section class="card" aria-label="What would be sent">
    <p class="verdict">${willSend(count, query)}</p>
    ${heldBackNote(heldBack)} ${count > 0 && (isNarrow(query) ? confirmForm(count, query, viewer) : TOO_WIDE)}
  </section>`;
}

const TOO_WIDE = html`<p>Name a tenant, an endpoint or a time above. A replay needs at least one.</p>`;

/** Checks that the filter is narrow enough; the replay action refuses a wider one. */
function isNarrow({ tenant, endpoint, since }: ReplayQuery): boolean {
  return Boolean(tenant ?? endpoint ?? since);
}

function willSend(count: number, { status }: ReplayQuery): Markup {
  if (count === 0) return html`<strong>No</strong> ${status} delivery would be sent again.`;
  const what = count === 1 ? 'delivery' : 'deliveries';
  const more = count > REPLAY_LIMIT && ` The oldest ${formatCount(REPLAY_LIMIT)} go first; then count again.`;
  return html`<strong>${formatCountUpTo(count, REPLAY_LIMIT)} ${what}</strong> would be sent again.${more}`;
}

/** Counts matching deliveries that a replay does not send. */
function heldBackNote(heldBack: HeldBack): Markup[] {
  const remedies = { paused: 'resume', disabled: 'enable' } as const;
  return (['paused', 'disabled'] as const)
    .filter((state) => heldBack[state] > 0)
    .map(
      (state) =>
        html`<p class="soft">
          ${formatCountUpTo(heldBack[state], REPLAY_LIMIT)} more of
          <a href="/endpoints?status=${state}">${state} endpoints</a> are not included: ${remedies[state]}
          these endpoints first.
        </p>`,
    );
}

function confirmForm(count: number, { given, status, since }: ReplayQuery, viewer: Viewer): Markup {
  const values: Record<string, string> = { ...given, status, ...(since && { since: since.toISOString() }) };
  const fields = (['tenant', 'endpoint', 'since', 'status'] as const).filter((name) => values[name]);
  const text = count === 1 ? 'Send it again' : `Send ${formatCount(Math.min(count, REPLAY_LIMIT))} again`;
  return html`<form method="post" action="/replay">
    ${csrfField(viewer)}
    ${fields.map((name) => html`<input type="hidden" name="${name}" value="${values[name]}" />`)}
    <button class="primary">${text}</button>
  </form>`;
}

/** Converts the query for replayDeliveries; undefined if no tenant has the slug. */
export async function toReplayFilter(db: Db | Trx, query: ReplayQuery): Promise<ReplayFilter | undefined> {
  const { tenant, endpoint: endpointId, since, status } = query;
  const tenantId = tenant === undefined ? undefined : await findTenantIdBySlug(db, tenant);
  if (tenant !== undefined && tenantId === undefined) return undefined;
  return { tenantId, endpointId, since, status };
}
