import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { cardTable, selectField, textField } from '../html/components';
import {
  formatAge,
  formatCountUpTo,
  formatMilliseconds,
  formatPercent,
  linkTo,
  shortUrl,
  timeElement,
} from '../html/formats';
import {
  type EndpointRow,
  findEndpointRows,
  findStateChanges,
  type StateChange,
  WAITING_COUNT_LIMIT,
} from '../queries/endpoints.repository';
import { breakerText, changedBy, healthStrip, stateMarks } from './endpoint-health';
import { findHours, percentile, type Span } from '../queries/stats-history.repository';
import { type Notice, renderMonitorPage, type Viewer } from '../html/layout';
import { totalsOf } from '../charts/stats-charts';
import { ENDPOINT_FILTERS, type EndpointsQuery } from '../queries/read-query';
import { findTenantSlugs } from '../queries/deliveries.repository';

const PAGE_SIZE = 50;

export async function endpointsPage(
  db: Db,
  query: EndpointsQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const rows = await findEndpointRows(db, query, PAGE_SIZE + 1);
  const shown = rows.slice(0, PAGE_SIZE);
  const hours = await findHours(
    db,
    shown.map(({ id }) => id),
  );
  const changes = await findStateChanges(
    db,
    shown.filter(({ status }) => status !== 'active'),
  );
  const slugs = await findTenantSlugs(db);
  const body = html`<div class="heading"><h1>Endpoints</h1></div>
    ${filterForm(query, slugs)}
    <section id="endpoints" aria-label="Endpoints" data-fresh>
      ${shown.length > 0 ? table(shown, hours, changes) : emptyMessage(query)}
      ${pager(query, rows.length > PAGE_SIZE ? shown.at(-1)! : undefined)}
    </section>`;
  return renderMonitorPage({
    title: 'Endpoints',
    at: '/endpoints',
    viewer,
    notice,
    live: { refreshSeconds: 15 },
    body,
  });
}

function filterForm(input: EndpointsQuery, slugs: string[]): Markup {
  const options = [
    ['', 'any but removed'] as const,
    ...ENDPOINT_FILTERS.map((name) => [name, FILTER_NAMES[name]] as const),
  ];
  return html`<form class="filter card" method="get" action="/endpoints" role="search">
    ${textField({ name: 'tenant', label: 'Tenant', input, placeholder: 'slug', options: slugs })}
    ${selectField({ name: 'status', label: 'Status', input, options })}
    <div class="buttons"><button>Filter</button> <a href="/endpoints">Show all</a></div>
  </form>`;
}

const FILTER_NAMES: Readonly<Record<(typeof ENDPOINT_FILTERS)[number], string>> = {
  active: 'active',
  breaker: 'breaker not closed',
  paused: 'paused',
  disabled: 'disabled',
  removed: 'removed',
};

const COLUMNS = ['Endpoint', 'State', '24 hours', 'Success', 'p95', 'Waiting', 'Breaker', 'Secret'];

function table(
  rows: readonly EndpointRow[],
  hours: ReadonlyMap<string, Span[]>,
  changes: ReadonlyMap<string, StateChange>,
): Markup {
  return cardTable(
    'Endpoints',
    COLUMNS,
    rows.map((endpoint) => row(endpoint, hours.get(endpoint.id) ?? [], changes.get(endpoint.id))),
  );
}

function row(endpoint: EndpointRow, hours: readonly Span[], change: StateChange | undefined): Markup {
  const { id, tenant, url, format, events, now, statusReason, secretMadeAt, secrets } = endpoint;
  const { delivered, failed, answerTimes } = totalsOf(hours);
  const slow = percentile(answerTimes, 0.95);
  return html`<tr>
    <th scope="row" data-label="Endpoint" class="address">
      <a href="/endpoints/${id}">${shortUrl(url)}</a>
      <span class="sub">${tenant} · ${format} · ${eventNames(events)}</span>
    </th>
    <td data-label="State" class="state">
      ${stateMarks(endpoint)}${statusReason && html`<span class="sub">${statusReason}</span>`}
      <span class="sub">since ${timeElement(endpoint.statusSince)}${changedBy(endpoint, change)}</span>
    </td>
    <td data-label="24 hours">${healthStrip(hours, now)}</td>
    <td data-label="Success" class="number">${formatPercent(delivered, delivered + failed)}</td>
    <td data-label="p95" class="number">${slow === null ? '–' : formatMilliseconds(slow)}</td>
    <td data-label="Waiting" class="number">${formatCountUpTo(endpoint.waiting, WAITING_COUNT_LIMIT)}</td>
    <td data-label="Breaker" class="breaker">${breakerText(endpoint)}</td>
    <td data-label="Secret" class="number">
      ${secretMadeAt ? `${formatAge(secretMadeAt, now)} old` : '–'}${
        secrets > 1 && html`<span class="sub">${secrets} sign</span>`
      }
    </td>
  </tr>`;
}

/** Renders the first event and the number of others. The endpoint's page lists all. */
function eventNames([first, ...more]: readonly string[]): Markup {
  return html`${first}${more.length > 0 && html` <span title="${more.join(', ')}">+ ${more.length}</span>`}`;
}

function emptyMessage(query: EndpointsQuery): Markup {
  if (Object.keys(query.given).length > 0)
    return html`<p class="empty">No endpoint matches. <a href="/endpoints">Show all</a></p>`;
  return html`<div class="empty">
    <p>No endpoint yet. Add a tenant’s first one:</p>
    <pre><code>tourctl webhook add &lt;tenant&gt; https://www.example.com/webhooks</code></pre>
    <p>It prints the signing secret and sends waiting deliveries at once.</p>
  </div>`;
}

function pager(query: EndpointsQuery, last: EndpointRow | undefined): Markup | null {
  if (!query.after && !last) return null;
  return html`<nav class="pager" aria-label="More endpoints">
    ${query.after && html`<a href="${linkTo('/endpoints', { ...query.given, after: undefined })}">First</a>`}
    ${last && html`<a rel="next" href="${linkTo('/endpoints', { ...query.given, after: last.id })}">Next</a>`}
  </nav>`;
}
