import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { findTenantSlugs } from '../queries/deliveries.repository';
import {
  type EndpointRow,
  findEndpointRows,
  findStateChanges,
  type StateChange,
  WAITING_COUNT_LIMIT,
} from '../queries/endpoints.repository';
import { type ENDPOINT_FILTERS, type EndpointsQuery } from '../queries/read-query';
import { findHours, percentile, type Span } from '../queries/stats-history.repository';
import { healthStrip, successRate, totalsOf } from './charts';
import { type TableColumn, endpointMark, filterFields, mark, tableElement } from './components';
import {
  formatAge,
  formatCountUpTo,
  formatMilliseconds,
  formatRelative,
  linkTo,
  shortUrl,
  timeElement,
} from './formats';
import { type Notice, renderMonitorPage, type Viewer } from './layout';

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
  const columns = columnsOf(hours, changes);
  const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const body = html`<div class="heading"><h1>Endpoints</h1></div>
    ${filterForm(query, slugs)}
    <section id="endpoints" aria-label="Endpoints" data-fresh>
      ${shown.length > 0 ? tableElement('Endpoints', columns, shown) : emptyMessage(query)}
      ${pager(query, last)}
    </section>`;
  const live = { refreshSeconds: 15 };
  return renderMonitorPage({ title: 'Endpoints', at: '/endpoints', viewer, notice, live, body });
}

const FILTER_NAMES: Readonly<Record<(typeof ENDPOINT_FILTERS)[number], string>> = {
  active: 'active',
  breaker: 'breaker not closed',
  paused: 'paused',
  disabled: 'disabled',
  removed: 'removed',
};

function filterForm(query: EndpointsQuery, suggestions: string[]): Markup {
  return html`<form class="filter card" method="get" action="/endpoints" role="search">
    ${filterFields(query, [
      { name: 'tenant', label: 'Tenant', placeholder: 'slug', suggestions },
      { name: 'status', label: 'Status', options: { '': 'any but removed', ...FILTER_NAMES } },
    ])}
    <div class="buttons"><button>Filter</button> <a href="/endpoints">Show all</a></div>
  </form>`;
}

function columnsOf(
  hours: ReadonlyMap<string, Span[]>,
  changes: ReadonlyMap<string, StateChange>,
): TableColumn<EndpointRow>[] {
  const hoursOf = ({ id }: EndpointRow) => hours.get(id) ?? [];
  return [
    {
      name: 'Endpoint',
      kind: 'address',
      cell: ({ id, url, tenant, format, events }) =>
        html`<a href="/endpoints/${id}">${shortUrl(url)}</a>
          <span class="sub">${tenant} · ${format} · ${eventNames(events)}</span>`,
    },
    {
      name: 'State',
      kind: 'state',
      cell: (endpoint) =>
        html`${stateMarks(endpoint)}${endpoint.statusReason && html`<span class="sub">${endpoint.statusReason}</span>`}
          <span class="sub"
            >since ${timeElement(endpoint.statusSince)}${changedBy(endpoint, changes.get(endpoint.id))}</span
          >`,
    },
    { name: '24 hours', cell: (endpoint) => healthStrip(hoursOf(endpoint), endpoint.now) },
    { name: 'Success', kind: 'number', cell: (endpoint) => successRate(totalsOf(hoursOf(endpoint))) },
    {
      name: 'p95',
      kind: 'number',
      cell: (endpoint) => {
        const slow = percentile(totalsOf(hoursOf(endpoint)).answerTimes, 0.95);
        return slow === null ? '–' : formatMilliseconds(slow);
      },
    },
    { name: 'Waiting', kind: 'number', cell: ({ waiting }) => formatCountUpTo(waiting, WAITING_COUNT_LIMIT) },
    { name: 'Breaker', kind: 'breaker', cell: breakerText },
    {
      name: 'Secret',
      kind: 'number',
      cell: ({ secretMadeAt, secrets, now }) =>
        html`${secretMadeAt ? `${formatAge(secretMadeAt, now)} old` : '–'}${
          secrets > 1 && html`<span class="sub">${secrets} sign</span>`
        }`,
    },
  ];
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

function pager({ after, given }: EndpointsQuery, last: EndpointRow | undefined): Markup | null {
  if (!after && !last) return null;
  return html`<nav class="pager" aria-label="More endpoints">
    ${after && html`<a href="${linkTo('/endpoints', { ...given, after: undefined })}">First</a>`}
    ${last && html`<a rel="next" href="${linkTo('/endpoints', { ...given, after: last.id })}">Next</a>`}
  </nav>`;
}

/** Renders the breaker: `closed`, `open until …, opened n times`, `trying`. */
export function breakerText({ now, status, failures, openings, blockedUntil }: EndpointRow): Markup {
  if (status !== 'active') return html`–`;
  if (!openings && !failures) return html`closed`;
  if (!openings) return html`closed, ${failures === 1 ? 'one failure' : `${failures} failures in a row`}`;
  const often = openings === 1 ? 'opened once' : `opened ${openings} times in a row`;
  if (blockedUntil && blockedUntil > now)
    return html`${mark('bad', 'open')} until ${timeElement(blockedUntil)}
    (${formatRelative(blockedUntil, now)}), ${often}`;
  return html`${mark('warn', 'trying')} one request at a time, ${often}`;
}

/** Renders the status, or the problem of an active endpoint. */
export function stateMarks({ now, status, openings, blockedUntil, failingSince }: EndpointRow): Markup {
  // `failingSince` is set from the first failure to the next success.
  if (status !== 'active' || failingSince === null) return endpointMark(status);
  const failingFor = `failing for ${formatMilliseconds(now.getTime() - failingSince.getTime())}`;
  if (!openings) return mark('warn', failingFor);
  const isOpen = blockedUntil && blockedUntil > now;
  const word = isOpen ? mark('bad', 'breaker open') : mark('warn', 'trying again');
  return html`${word} <span class="soft">${failingFor}</span>`;
}

/** Names the operator who set the current state. A change and its audit row have the same time. */
export function changedBy({ statusSince }: EndpointRow, change: StateChange | undefined): string {
  return change && change.at.getTime() === statusSince.getTime() ? `, by ${change.actor}` : '';
}
