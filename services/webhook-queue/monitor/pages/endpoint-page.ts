import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { isUuid } from '../../../platform/text-forms';
import { findLiveSecrets, type LiveSecret } from '../../endpoints/endpoint-secrets';
import { cardTable, deliveryMark } from '../html/components';
import {
  formatCountUpTo,
  formatMilliseconds,
  formatRelative,
  fullTimeElement,
  hostOf,
  linkTo,
  shortUrl,
  timeElement,
} from '../html/formats';
import { endpointForms } from './endpoint-forms';
import {
  type EndpointRow,
  type FailureRow,
  findEndpointRow,
  findRecentFailures,
  findStateChanges,
  type StateChange,
  WAITING_COUNT_LIMIT,
} from '../queries/endpoints.repository';
import { breakerText, changedBy, healthSentence, healthStrip, stateMarks } from './endpoint-health';
import { type Notice, renderMonitorPage, type Viewer } from '../html/layout';
import { statsCharts } from '../charts/stats-charts';
import { findHours, findSpans, type Span } from '../queries/stats-history.repository';

const FAILURES_SHOWN = 10;

/** Renders an endpoint; undefined where it does not exist. */
export async function endpointPage(
  db: Db,
  id: string,
  viewer: Viewer,
  notice?: Notice,
): Promise<string | undefined> {
  const endpoint = isUuid(id) ? await findEndpointRow(db, id) : undefined;
  if (!endpoint) return undefined;
  const change = (await findStateChanges(db, [endpoint])).get(id);
  const secrets = await findLiveSecrets(db, id);
  const hours = (await findHours(db, [id])).get(id) ?? [];
  const failures = await findRecentFailures(db, id, FAILURES_SHOWN);
  const body = html`<p class="crumbs"><a href="/endpoints">Endpoints</a></p>
    <div class="heading">
      <h1>${shortUrl(endpoint.url)}</h1>
      <div class="actions">
        <a class="button" href="${linkTo('/deliveries', { endpoint: id })}">Its deliveries</a>
      </div>
    </div>
    ${stateSection(endpoint, change, hours)} ${endpointForms(endpoint, viewer)}
    <h2>The last 24 hours</h2>
    <section id="statistics" data-fresh aria-label="Success and time">
      ${statsCharts(await findSpans(db, '24h', id))}
    </section>
    ${failureSection(id, failures)} ${secretSection(secrets, endpoint.now)}`;
  const title = hostOf(endpoint.url);
  return renderMonitorPage({ title, at: '/endpoints', viewer, notice, live: { refreshSeconds: 5 }, body });
}

function stateSection(
  endpoint: EndpointRow,
  change: StateChange | undefined,
  hours: readonly Span[],
): Markup {
  const { id, tenant, url, format, events, statusReason, failingSince, exhausted, now } = endpoint;
  return html`<section class="card" id="state" aria-label="State" data-fresh>
    <p class="verdict">
      ${stateMarks(endpoint)} ${statusReason}
      <span class="soft">Since ${fullTimeElement(endpoint.statusSince)}${changedBy(endpoint, change)}.</span>
    </p>
    ${healthStrip(hours, now)}
    <p class="soft">${healthSentence(hours)}</p>
    <dl class="facts">
      <dt>Tenant</dt>
      <dd><a href="${linkTo('/endpoints', { tenant })}">${tenant}</a></dd>
      <dt>Address</dt>
      <dd><code>${url}</code></dd>
      <dt>Body</dt>
      <dd>${format}</dd>
      <dt>Events</dt>
      <dd>${events.join(', ')}</dd>
      <dt>Waiting</dt>
      <dd>${formatCountUpTo(endpoint.waiting, WAITING_COUNT_LIMIT)}</dd>
      <dt>Breaker</dt>
      <dd>${breakerText(endpoint)}</dd>
      ${failingSince && failingFacts(failingSince, exhausted ?? 0, now)}
      <dt>Added</dt>
      <dd>${fullTimeElement(endpoint.createdAt)}</dd>
      <dt>Endpoint</dt>
      <dd><code>${id}</code></dd>
    </dl>
  </section>`;
}

function failingFacts(since: Date, exhausted: number, now: Date): Markup {
  const dead = exhausted > 0 && `, ${exhausted} given up since then`;
  return html`<dt>Nothing delivered since</dt>
    <dd>${fullTimeElement(since)} (${formatMilliseconds(now.getTime() - since.getTime())})${dead}</dd>`;
}

function failureSection(id: string, failures: readonly FailureRow[]): Markup {
  const all = linkTo('/deliveries', { endpoint: id, status: 'dead' });
  return html`<h2>Recent failures</h2>
    <section id="failures" data-fresh aria-label="Recent failures">
      ${failures.length === 0 ? html`<p class="empty">No failures among its newest deliveries.</p>` : failureTable(failures)}
      <p><a href="${all}">All that are dead</a></p>
    </section>`;
}

const FAILURE_COLUMNS = ['Event', 'Status', 'Attempts', 'Last answer', 'Made (UTC)'];

function failureTable(failures: readonly FailureRow[]): Markup {
  return cardTable('Recent failures', FAILURE_COLUMNS, failures.map(failureRow));
}

function failureRow({
  id,
  eventType,
  bookingRef,
  status,
  attempts,
  lastError,
  createdAt,
}: FailureRow): Markup {
  return html`<tr>
    <th scope="row" data-label="Event">
      <a href="/deliveries/${id}">${bookingRef ?? eventType}</a>
      <span class="sub">${bookingRef && eventType}</span>
    </th>
    <td data-label="Status">${deliveryMark(status)}</td>
    <td data-label="Attempts" class="number">${attempts}</td>
    <td data-label="Last answer" class="reason">${lastError}</td>
    <td data-label="Made (UTC)" class="when">${timeElement(createdAt)}</td>
  </tr>`;
}

function secretSection(secrets: readonly LiveSecret[], now: Date): Markup {
  const rows = secrets.map(
    ({ createdAt, expiresAt }) =>
      html`<li>
        made ${fullTimeElement(createdAt)} (${formatRelative(createdAt, now)}),
        ${expiresAt ? html`signs until ${fullTimeElement(expiresAt)} (${formatRelative(expiresAt, now)})` : 'signs until it is rotated'}
      </li>`,
  );
  return html`<h2>Secrets</h2>
    <section class="card" id="secrets" data-fresh aria-label="Secrets">
      ${
        rows.length > 0
          ? html`<ul class="plain">
              ${rows}
            </ul>`
          : html`<p class="soft">None: the endpoint was removed.</p>`
      }
      <p class="soft">
        Every secret signs every request. Secrets are stored sealed and cannot be shown again.
      </p>
    </section>`;
}
