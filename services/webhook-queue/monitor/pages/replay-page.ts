import type { Db, Trx } from '../../../platform/database/database';
import { html, type Markup } from '../../../platform/html-template';
import {
  countHeldBack,
  countReplayable,
  countReplayByEndpoint,
  type HeldBack,
  REPLAY_LIMIT,
  type ReplayFilter,
  type ReplayShare,
} from '../../deliveries/replay-deliveries';
import { findTenantIdBySlug } from '../queries/deliveries.repository';
import { findEndpointChoices, findTenantChoices } from '../queries/endpoints.repository';
import { REPLAYABLE, type ReplayQuery } from '../queries/read-query';
import { filterFields, optionsOf, pickerField, type TableColumn, tableElement } from './components';
import { formatCount, formatCountUpTo, shortUrl, timeElement } from './formats';
import { csrfField, type Notice, renderMonitorPage, type Viewer } from './layout';

export async function replayPage(
  db: Db,
  query: ReplayQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const hasFilter = Object.keys(query.given).length > 0;
  const body = html`<div class="heading"><h1>Replay</h1></div>
    <p class="lead">
      Sends finished deliveries again, the oldest first, each with its old <code>webhook-id</code>. A receiver
      that checks this id processes no event twice.
    </p>
    ${await filterForm(db, query)} ${hasFilter && (await preview(db, query, viewer))}`;
  return renderMonitorPage({ title: 'Replay', at: '/replay', viewer, notice, body });
}

async function filterForm(db: Db, query: ReplayQuery): Promise<Markup> {
  const { tenant, endpoint } = query.given;
  const [tenants, endpoints] = [await findTenantChoices(db), await findEndpointChoices(db, query.tenant)];
  return html`<form class="filter card" method="get" action="/replay">
    ${filterFields(query, [
      { name: 'status', label: 'Status', choices: optionsOf(REPLAYABLE), selected: query.status },
      pickerField({ name: 'tenant', label: 'Tenant' }, tenants, tenant),
      pickerField({ name: 'endpoint', label: 'Endpoint' }, endpoints, endpoint),
      { name: 'since', label: 'Made since (UTC)', at: query.since },
    ])}
    <div class="buttons"><button>Preview</button></div>
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
  const shares = count > 0 ? await countReplayByEndpoint(db, filter) : [];
  return html`<section aria-label="What would be sent">
    <p class="verdict">${willSend(count, query)}</p>
    ${shares.length > 0 && tableElement('By endpoint', SHARE_COLUMNS, shares.slice(0, SHARES_SHOWN))}
    ${shares.length > SHARES_SHOWN && html`<p class="soft">and ${shares.length - SHARES_SHOWN} more endpoints</p>`}
    ${heldBackNote(heldBack)} ${count > 0 && (isNarrow(query) ? confirmForm(count, query, viewer) : TOO_WIDE)}
  </section>`;
}

/** Maximum number of endpoints that the page names. */
const SHARES_SHOWN = 50;

const SHARE_COLUMNS: readonly TableColumn<ReplayShare>[] = [
  {
    name: 'Endpoint',
    cell: ({ endpointId, url, tenant }) =>
      html`<a href="/endpoints/${endpointId}">${shortUrl(url)}</a> <span class="sub">${tenant}</span>`,
  },
  { name: 'Deliveries', kind: 'number', cell: ({ count }) => formatCount(count) },
  { name: 'Oldest (UTC)', cell: ({ oldest }) => timeElement(oldest) },
  { name: 'Newest (UTC)', cell: ({ newest }) => timeElement(newest) },
];

const TOO_WIDE = html`<p>Name a tenant, an endpoint or a time above. A replay needs at least one.</p>`;

/** Checks that the filter names a tenant, an endpoint or a time. The replay action refuses a filter that names none of these. */
function isNarrow({ tenant, endpoint, since }: ReplayQuery): boolean {
  return Boolean(tenant ?? endpoint ?? since);
}

function willSend(count: number, { status }: ReplayQuery): Markup {
  if (count === 0) return html`<strong>No</strong> ${status} delivery would be sent again.`;
  const what = count === 1 ? 'delivery' : 'deliveries';
  const more = count > REPLAY_LIMIT && ` The oldest ${formatCount(REPLAY_LIMIT)} go first; then count again.`;
  return html`<strong>${formatCountUpTo(count, REPLAY_LIMIT)} ${what}</strong> would be sent again.${more}`;
}

/** Renders the numbers of matching deliveries that a replay does not send. */
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
