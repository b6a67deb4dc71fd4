import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { DELIVERY_STATUSES } from '../../deliveries/delivery';
import { type DeliveryItem, findDeliveriesWithin } from '../../deliveries/find-deliveries';
import type { DeliverySearch } from '../../deliveries/delivery-search.repository';
import { readDatabaseTime } from '../../deliveries/queue.repository';
import { formatTimeForInput, hostOf, linkTo, timeElement } from '../html/formats';
import {
  type DeliveryEndpoint,
  findDeliveryEndpoints,
  findTenantIdBySlug,
  findTenantSlugs,
} from '../queries/deliveries.repository';
import { cardTable, deliveryMark, selectField, textField, timeField } from '../html/components';
import { type Notice, renderMonitorPage, type Viewer } from '../html/layout';
import {
  type DeliveriesQuery,
  NO_ENDPOINT,
  OUTCOME_WORDS,
  OUTCOMES,
  SENT_TYPES,
} from '../queries/read-query';
import { nextStep } from './next-step';

const PAGE_SIZE = 50;
/** Limits the candidates that one page searches: 60 ms where none of them matches. */
const WINDOW = 20_000;

interface Found {
  items: DeliveryItem[];
  /** Id of the last delivery that was searched; null at the end. */
  next: string | null;
  /** Creation of the last candidate, where the search stopped early. */
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
  const slugs = await findTenantSlugs(db);
  const table = deliveryTable(found.items, places, await readDatabaseTime(db));
  const body = html`<div class="heading"><h1>Deliveries</h1></div>
    ${filterForm(query, slugs)}
    <section id="deliveries" aria-label="Deliveries" data-fresh>
      ${found.items.length > 0 ? table : emptyMessage(query, found.stoppedAt)} ${pager(query, found)}
    </section>`;
  // Older pages change only by an operator's action.
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

/** Returns undefined where no tenant has the slug. */
async function toSearch(db: Db, query: DeliveriesQuery): Promise<DeliverySearch | undefined> {
  const tenantId = query.tenant === undefined ? undefined : await findTenantIdBySlug(db, query.tenant);
  if (query.tenant !== undefined && tenantId === undefined) return undefined;
  const { endpoint, status, type, outcome, code: codes, since, until, bookingRef, before } = query;
  const place = endpoint === NO_ENDPOINT ? { withoutEndpoint: true } : { endpointId: endpoint };
  return { tenantId, ...place, status, type, outcome, codes, since, until, bookingRef, before };
}

function filterForm(input: DeliveriesQuery, slugs: string[]): Markup {
  const any = ['', 'any'] as const;
  const same = (value: string) => [value, value] as const;
  return html`<form class="filter card" method="get" action="/deliveries" role="search">
    ${textField({ name: 'booking_ref', label: 'Booking', input, placeholder: 'ACME-1042, exactly' })}
    ${textField({ name: 'tenant', label: 'Tenant', input, placeholder: 'slug', options: slugs })}
    ${selectField({ name: 'status', label: 'Status', input, options: [any, ...DELIVERY_STATUSES.map(same)] })}
    ${selectField({ name: 'type', label: 'Event', input, options: [any, ...SENT_TYPES.map(same)] })}
    ${selectField({
      name: 'outcome',
      label: 'Last outcome',
      input,
      options: [any, ...OUTCOMES.map((outcome) => [outcome, OUTCOME_WORDS[outcome]] as const)],
    })}
    ${textField({ name: 'code', label: 'Last code', input, placeholder: '503 or 5xx' })}
    ${timeField({ name: 'since', label: 'Since (UTC)', input, value: input.since && formatTimeForInput(input.since) })}
    ${timeField({ name: 'until', label: 'Before (UTC)', input, value: input.until && formatTimeForInput(input.until) })}
    ${textField({ name: 'endpoint', label: 'Endpoint', input, placeholder: 'id, or none' })}
    <div class="buttons"><button>Filter</button> <a href="/deliveries">Show all</a></div>
  </form>`;
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

const COLUMNS = ['Event', 'Status', 'What next', 'Attempts', 'Last answer', 'Goes to', 'Made (UTC)'];

/** Renders the deliveries as a table. */
function deliveryTable(
  items: readonly DeliveryItem[],
  places: ReadonlyMap<string, DeliveryEndpoint>,
  now: Date,
): Markup {
  return cardTable(
    'Deliveries',
    COLUMNS,
    items.map((item) => row(item, places, now)),
  );
}

function row(item: DeliveryItem, places: ReadonlyMap<string, DeliveryEndpoint>, now: Date): Markup {
  const place = item.endpoint ? places.get(item.endpoint) : undefined;
  const { short } = nextStep({
    now,
    status: item.status,
    tenant: item.tenant,
    attempts: item.attempts,
    createdAt: item.createdAt,
    finishedAt: null,
    nextAttemptAt: item.nextAttemptAt,
    lastError: item.lastError,
    endpoint: place ?? null,
    lease: null,
  });
  return html`<tr>
    <th scope="row" data-label="Event">
      <a href="/deliveries/${item.id}">${item.bookingRef ?? item.eventType}</a>
      <span class="sub">${item.bookingRef && html`${item.eventType} · `}${item.tenant}</span>
    </th>
    <td data-label="Status">${deliveryMark(item.status)}</td>
    <td data-label="What next">${short}</td>
    <td data-label="Attempts" class="number">${item.attempts}</td>
    <td data-label="Last answer" class="reason">${answer(item)}</td>
    <td data-label="Goes to">${goesTo(item, place)}</td>
    <td data-label="Made (UTC)" class="when">${timeElement(item.createdAt)}</td>
  </tr>`;
}

function answer({ lastStatusCode: code, lastError: error, status }: DeliveryItem): Markup | null {
  if (error) return html`${error}`;
  return code !== null && status === 'delivered' ? html`<span class="soft">${code}</span>` : null;
}

function goesTo({ endpoint }: DeliveryItem, place: DeliveryEndpoint | undefined): Markup {
  if (!endpoint) return html`<span class="soft">no endpoint</span>`;
  return html`<a class="host" href="/endpoints/${endpoint}" title="${place?.url}"
    >${place ? hostOf(place.url) : endpoint}</a
  >`;
}
