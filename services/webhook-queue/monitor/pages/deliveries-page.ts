import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { DELIVERY_STATUSES } from '../../deliveries/delivery';
import { type DeliveryItem, findDeliveriesWithin } from '../../deliveries/delivery-list.repository';
import type { DeliverySearch } from '../../deliveries/delivery-search.repository';
import { readClock } from '../../deliveries/queue.repository';
import { address } from '../html/address';
import { findPlaces } from '../queries/delivery-place.repository';
import { deliveryTable } from './delivery-table';
import { momentField, selectField, textField } from '../html/field';
import { renderPage } from '../html/layout';
import { OUTCOME_WORDS } from '../queries/outcome-words';
import { type DeliveriesQuery, NO_ENDPOINT, OUTCOMES, SENT_TYPES } from '../queries/read-query';
import { findTenantId, findTenantSlugs } from '../queries/tenant-list.repository';
import { inputMoment, moment } from '../html/time-forms';
import type { Notice, Viewer } from '../html/viewer';

const PAGE_SIZE = 50;
/** Candidates that one page looks through: 60 ms, where nothing among them fits. */
const WINDOW = 20_000;

interface Found {
  items: DeliveryItem[];
  /** Id of the last delivery that was looked at, where there may be more. */
  next: string | null;
  /** Until then it was looked, and found too few. */
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
  const places = await findPlaces(db, [...new Set(endpointIds)]);
  const slugs = await findTenantSlugs(db);
  const table = deliveryTable(found.items, places, await readClock(db));
  const body = html`<div class="heading"><h1>Deliveries</h1></div>
    ${filterForm(query, slugs)}
    <section id="deliveries" aria-label="Deliveries" data-fresh>
      ${found.items.length > 0 ? table : nothing(query, found.stoppedAt)} ${pager(query, found)}
    </section>`;
  // Further back nothing changes but by hand.
  const live = query.before ? undefined : { refreshSeconds: 5 };
  return renderPage({ title: 'Deliveries', at: '/deliveries', viewer, notice, live, body });
}

async function find(db: Db, query: DeliveriesQuery): Promise<Found> {
  const search = await toSearch(db, query);
  if (!search) return { items: [], next: null, stoppedAt: null };
  const limit = PAGE_SIZE + 1;
  const { items, stoppedAt } = await findDeliveriesWithin(db, search, { limit, window: WINDOW });
  const shown = items.slice(0, PAGE_SIZE);
  const next = items.length > PAGE_SIZE ? shown.at(-1)!.id : (stoppedAt?.id ?? null);
  return { items: shown, next, stoppedAt: stoppedAt?.created_at ?? null };
}

/** Undefined where no tenant has the slug. */
async function toSearch(db: Db, query: DeliveriesQuery): Promise<DeliverySearch | undefined> {
  const tenantId = query.tenant === undefined ? undefined : await findTenantId(db, query.tenant);
  if (query.tenant !== undefined && tenantId === undefined) return undefined;
  const { endpoint, status, type, outcome, code: codes, since, until, bookingRef, before } = query;
  const place = endpoint === NO_ENDPOINT ? { withoutEndpoint: true } : { endpointId: endpoint };
  return { tenantId, ...place, status, type, outcome, codes, since, until, bookingRef, before };
}

function filterForm(asked: DeliveriesQuery, slugs: string[]): Markup {
  const any = ['', 'any'] as const;
  const same = (value: string) => [value, value] as const;
  return html`<form class="filter card" method="get" action="/deliveries" role="search">
    ${textField({ name: 'booking_ref', label: 'Booking', asked, placeholder: 'ACME-1042, exactly' })}
    ${textField({ name: 'tenant', label: 'Tenant', asked, placeholder: 'slug', options: slugs })}
    ${selectField({ name: 'status', label: 'Status', asked, options: [any, ...DELIVERY_STATUSES.map(same)] })}
    ${selectField({ name: 'type', label: 'Event', asked, options: [any, ...SENT_TYPES.map(same)] })}
    ${selectField({
      name: 'outcome',
      label: 'Last outcome',
      asked,
      options: [any, ...OUTCOMES.map((outcome) => [outcome, OUTCOME_WORDS[outcome]] as const)],
    })}
    ${textField({ name: 'code', label: 'Last code', asked, placeholder: '503 or 5xx' })}
    ${momentField({ name: 'since', label: 'Since (UTC)', asked, value: asked.since && inputMoment(asked.since) })}
    ${momentField({ name: 'until', label: 'Before (UTC)', asked, value: asked.until && inputMoment(asked.until) })}
    ${textField({ name: 'endpoint', label: 'Endpoint', asked, placeholder: 'id, or none' })}
    <div class="buttons"><button>Filter</button> <a href="/deliveries">Show all</a></div>
  </form>`;
}

function nothing(query: DeliveriesQuery, stoppedAt: Date | null): Markup {
  if (stoppedAt)
    return html`<p class="empty">
      None among the newest ${WINDOW.toLocaleString('en')} that come into question.
    </p>`;
  if (Object.keys(query.given).length > 0)
    return html`<p class="empty">No delivery fits. <a href="/deliveries">Show all</a></p>`;
  return html`<div class="empty">
    <p>No delivery yet: each booking leaves one here.</p>
    <p>
      To see one without a booking, add an endpoint and ping it:
      <code>tourctl webhook add &lt;tenant&gt; https://…</code>, then
      <code>tourctl webhook ping &lt;id&gt;</code>.
    </p>
  </div>`;
}

function pager(query: DeliveriesQuery, { next, stoppedAt }: Found): Markup | null {
  if (!query.before && !next) return null;
  const older = next && address('/deliveries', { ...query.given, before: next });
  return html`<nav class="pager" aria-label="More deliveries">
    ${query.before && html`<a href="${address('/deliveries', { ...query.given, before: undefined })}">Newest</a>`}
    ${stoppedAt && html`<span class="soft">Looked back to ${moment(stoppedAt)}.</span>`}
    ${older && html`<a rel="next" href="${older}">${stoppedAt ? 'Look further back' : 'Older'}</a>`}
  </nav>`;
}
