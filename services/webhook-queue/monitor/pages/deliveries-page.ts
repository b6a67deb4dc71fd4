import type { Db } from '../../../platform/database/database';
import { html, type Markup } from '../../../platform/html-template';
import { DELIVERY_STATUSES } from '../../deliveries/delivery';
import type { DeliverySearch } from '../../deliveries/delivery-search.repository';
import { type DeliveryItem, findDeliveriesWithin } from '../../deliveries/find-deliveries';
import { readDatabaseTime } from '../../deliveries/queue.repository';
import {
  type DeliveryEndpoint,
  findDeliveryEndpoints,
  findTenantIdBySlug,
} from '../queries/deliveries.repository';
import { findEndpointChoices, findTenantChoices } from '../queries/endpoints.repository';
import { type DeliveriesQuery, NO_ENDPOINT, OUTCOME_WORDS, SENT_TYPES } from '../queries/read-query';
import {
  type TableColumn,
  deliveryMark,
  filterForm,
  optionsOf,
  pickerField,
  tableElement,
} from './components';
import { nameEndpoints } from './endpoint-names';
import { linkTo, timeElement } from './formats';
import { type Notice, renderMonitorPage, type Viewer } from './layout';
import { nextStep } from './next-step';

const PAGE_SIZE = 50;
/** Maximum number of candidates that one page searches. If none of them matches, the search takes 60 ms. */
const WINDOW = 20_000;

interface Found {
  items: DeliveryItem[];
  /** The next page begins after this id. Null: there is no next page. */
  next: string | null;
  /** Creation time of the last candidate, if the search stopped at WINDOW candidates; otherwise null. */
  stoppedAt: Date | null;
}

export async function deliveriesPage(
  db: Db,
  query: DeliveriesQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const found = await find(db, query);
  const endpointIds = found.items.flatMap(({ endpoint }) => endpoint ?? []);
  const places = await findDeliveryEndpoints(db, [...new Set(endpointIds)]);
  const names = await nameEndpoints(db, [...places.values()]);
  const columns = columnsOf(places, names, await readDatabaseTime(db));
  const body = html`<div class="heading"><h1>Deliveries</h1></div>
    ${await filter(db, query)}
    <section id="deliveries" aria-label="Deliveries" data-fresh>
      ${found.items.length > 0 ? tableElement('Deliveries', columns, found.items) : emptyMessage(query, found.stoppedAt)}
      ${pager(query, found)}
    </section>`;
  // Only the first page updates itself, because new deliveries never appear on the pages of older deliveries.
  const live = query.before ? undefined : { refreshSeconds: 5 };
  return renderMonitorPage({ title: 'Deliveries', at: '/deliveries', viewer, notice, live, body });
}

async function find(db: Db, query: DeliveriesQuery): Promise<Found> {
  const search = await toSearch(db, query);
  if (!search) return { items: [], next: null, stoppedAt: null };
  const limit = PAGE_SIZE + 1;
  const { items, stoppedAt } = await findDeliveriesWithin(db, search, { limit, window: WINDOW });
  const shown = items.slice(0, PAGE_SIZE);
  const next = items.length > PAGE_SIZE ? shown.at(-1)!.id : (stoppedAt?.id ?? null);
  return { items: shown, next, stoppedAt: stoppedAt?.createdAt ?? null };
}

/** Converts the query to a search. Returns undefined if no tenant has the slug. */
async function toSearch(db: Db, query: DeliveriesQuery): Promise<DeliverySearch | undefined> {
  const tenantId = query.tenant === undefined ? undefined : await findTenantIdBySlug(db, query.tenant);
  if (query.tenant !== undefined && tenantId === undefined) return undefined;
  const { endpoint, status, type, outcome, code: codes, since, until, bookingRef, before } = query;
  const place = endpoint === NO_ENDPOINT ? { withoutEndpoint: true } : { endpointId: endpoint };
  return { tenantId, ...place, status, type, outcome, codes, since, until, bookingRef, before };
}

async function filter(db: Db, query: DeliveriesQuery): Promise<Markup> {
  const { tenant, endpoint } = query.given;
  const endpoints = {
    [NO_ENDPOINT]: 'without an endpoint',
    ...(await findEndpointChoices(db, query.tenant)),
  };
  return filterForm('/deliveries', query, [
    { name: 'booking_ref', label: 'Booking', placeholder: 'ACME-1042, exactly' },
    { name: 'status', label: 'Status', choices: { '': 'any', ...optionsOf(DELIVERY_STATUSES) } },
    pickerField({ name: 'tenant', label: 'Tenant' }, await findTenantChoices(db), tenant),
    pickerField({ name: 'endpoint', label: 'Endpoint' }, endpoints, endpoint),
    { name: 'type', label: 'Event', choices: { '': 'any', ...optionsOf(SENT_TYPES) } },
    { name: 'outcome', label: 'Last outcome', choices: { '': 'any', ...OUTCOME_WORDS } },
    { name: 'code', label: 'Last code', placeholder: '503 or 5xx' },
    { name: 'since', label: 'Since (UTC)', at: query.since },
    { name: 'until', label: 'Before (UTC)', at: query.until },
  ]);
}

function emptyMessage(query: DeliveriesQuery, stoppedAt: Date | null): Markup {
  if (stoppedAt)
    return html`<p class="empty">No match among the newest ${WINDOW.toLocaleString('en')} candidates.</p>`;
  if (Object.keys(query.given).length > 0)
    return html`<p class="empty">No delivery matches. <a href="/deliveries">Show all</a></p>`;
  return html`<div class="empty">
    <p>No delivery yet. Each booking creates one.</p>
    <p>
      To see one without a booking, add an endpoint and ping it:
      <code>tourctl webhook add &lt;tenant&gt; https://…</code>, then
      <code>tourctl webhook ping &lt;id&gt;</code>.
    </p>
  </div>`;
}

function pager(query: DeliveriesQuery, { next, stoppedAt }: Found): Markup | null {
  if (!query.before && !next) return null;
  const older = next && linkTo('/deliveries', { ...query.given, before: next });
  return html`<nav class="pager" aria-label="More deliveries">
    ${query.before && html`<a href="${linkTo('/deliveries', { ...query.given, before: undefined })}">Newest</a>`}
    ${stoppedAt && html`<span class="soft">Searched back to ${timeElement(stoppedAt)}.</span>`}
    ${older && html`<a rel="next" href="${older}">${stoppedAt ? 'Search further back' : 'Older'}</a>`}
  </nav>`;
}

/**
 * @param places the endpoints of the deliveries, by id
 * @param names the names of these endpoints, by id
 */
function columnsOf(
  places: ReadonlyMap<string, DeliveryEndpoint>,
  names: ReadonlyMap<string, string>,
  now: Date,
): TableColumn<DeliveryItem>[] {
  const placeOf = ({ endpoint }: DeliveryItem) => (endpoint ? places.get(endpoint) : undefined);
  return [
    {
      name: 'Event',
      cell: ({ id, bookingRef, eventType, tenant }) =>
        html`<a href="/deliveries/${id}">${bookingRef ?? eventType}</a>
          <span class="sub">${bookingRef && html`${eventType} · `}${tenant}</span>`,
    },
    { name: 'Status', cell: ({ status }) => deliveryMark(status) },
    {
      name: 'What next',
      cell: (item) =>
        nextStep({ ...item, now, finishedAt: null, endpoint: placeOf(item) ?? null, lease: null }).short,
    },
    { name: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
    { name: 'Last answer', kind: 'reason', cell: answer },
    { name: 'Goes to', cell: ({ endpoint }) => goesTo(endpoint, names) },
    { name: 'Made (UTC)', kind: 'when', cell: ({ createdAt }) => timeElement(createdAt) },
  ];
}

function answer({ lastStatusCode: code, lastError: error, status }: DeliveryItem): Markup | string | null {
  if (error) return error;
  return code !== null && status === 'delivered' ? html`<span class="soft">${code}</span>` : null;
}

function goesTo(endpoint: string | null, names: ReadonlyMap<string, string>): Markup {
  if (!endpoint) return html`<span class="soft">no endpoint</span>`;
  return html`<a class="host" href="/endpoints/${endpoint}">${names.get(endpoint) ?? endpoint}</a>`;
}
