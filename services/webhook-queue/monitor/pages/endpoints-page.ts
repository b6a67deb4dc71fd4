import type { Db } from '../../../platform/database/database';
import { html, type Markup } from '../../../platform/html-template';
import {
  type EndpointRow,
  findEndpointRows,
  findStateChanges,
  findTenantChoices,
  type StateChange,
  WAITING_COUNT_LIMIT,
} from '../queries/endpoints.repository';
import { type ENDPOINT_FILTERS, type EndpointsQuery } from '../queries/read-query';
import { findHours, percentile, type Span } from '../queries/stats-history.repository';
import { healthStrip, successRate, totalsOf } from './charts';
import {
  type TableColumn,
  copyable,
  endpointMark,
  filterForm,
  mark,
  pickerField,
  tableElement,
} from './components';
import {
  formatAge,
  formatCountUpTo,
  formatMilliseconds,
  formatPlural,
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
  const tenants = await findTenantChoices(db);
  const columns = columnsOf(hours, changes);
  const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const body = html`<div class="heading"><h1>Endpoints</h1></div>
    ${filterForm('/endpoints', query, [
      pickerField({ name: 'tenant', label: 'Tenant' }, tenants, query.given.tenant),
      { name: 'status', label: 'Status', choices: { '': 'any but removed', ...FILTER_NAMES } },
    ])}
    <section id="endpoints" aria-label="Endpoints" data-fresh>
      ${shown.length > 0 ? tableElement('Endpoints', columns, shown) : emptyMessage(query)}
      ${pager(query, last)}
    </section>`;
  const live = { refreshSeconds: 15 };
  return renderMonitorPage({ title: 'Endpoints', at: '/endpoints', viewer, notice, live, body });
}

const FILTER_NAMES: Readonly<Record<(typeof ENDPOINT_FILTERS)[number], string>> = {
  active: 'active',
  breaker: 'sending paused after failures',
  paused: 'paused by an operator',
  disabled: 'disabled',
  removed: 'removed',
};

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
      cell: (endpoint) => {
        const reason = stateReason(endpoint);
        return html`${stateMark(endpoint)} ${reason && html`<span class="sub">${reason}</span>`}
          <span class="sub"
            >${endpoint.status === 'active' && 'active '}since
            ${timeElement(endpoint.statusSince)}${changedBy(endpoint, changes.get(endpoint.id))}</span
          >`;
      },
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
    ${copyable('add-command', 'Command', 'tourctl webhook add <tenant> https://www.example.com/webhooks')}
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

type Sending = Pick<EndpointRow, 'now' | 'failures' | 'openings' | 'blockedUntil'>;

/** Describes in a sentence how an active endpoint fails, and until when its breaker blocks requests. */
export function sendingText({ now, failures, openings, blockedUntil }: Sending): Markup {
  // Responses 429 and 503 are not counted as failures.
  if (!failures) return html`It asks to wait (429 or 503) at each attempt.`;
  const after = `after ${formatPlural(failures, 'failure')}`;
  if (blockedUntil && blockedUntil > now)
    return html`We pause sending until ${timeElement(blockedUntil)} (${formatRelative(blockedUntil, now)}),
    ${after}.`;
  if (openings) return html`We send one request at a time to test it, ${after}.`;
  return failures === 1
    ? html`Its last attempt failed.`
    : html`Every attempt fails: ${failures} failures in a row.`;
}

/** Returns the reason of the endpoint's state; null for a healthy endpoint. */
export function stateReason(endpoint: EndpointRow): Markup | string | null {
  if (endpoint.status !== 'active') return endpoint.statusReason;
  // `failingSince` is set from the first failure to the next success.
  return endpoint.failingSince && sendingText(endpoint);
}

/** Renders the status. If an active endpoint fails, renders the problem instead. */
export function stateMark({ now, status, openings, blockedUntil, failingSince }: EndpointRow): Markup {
  if (status !== 'active' || failingSince === null) return endpointMark(status);
  if (!openings)
    return mark('warn', `failing for ${formatMilliseconds(now.getTime() - failingSince.getTime())}`);
  return blockedUntil && blockedUntil > now ? mark('bad', 'sending paused') : mark('warn', 'trying again');
}

/** Returns the name of the operator if an operator set the current state: the state and the audit row then have the same time. */
export function changedBy({ statusSince }: EndpointRow, change: StateChange | undefined): string {
  return change && change.at.getTime() === statusSince.getTime() ? `, by ${change.actor}` : '';
}
