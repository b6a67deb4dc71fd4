import type { Db } from '../../../platform/database/database';
import { html, type Markup, trusted } from '../../../platform/html-template';
import { isUuid } from '../../../platform/forms/text-forms';
import {
  findLiveSecrets,
  type LiveSecret,
  OVERLAP_DAYS,
  OVERLAP_MAX_DAYS,
} from '../../endpoints/endpoint-secrets';
import { type FailureRow, findRecentFailures } from '../queries/deliveries.repository';
import {
  type EndpointRow,
  findEndpointRow,
  findStateChanges,
  type StateChange,
  WAITING_COUNT_LIMIT,
} from '../queries/endpoints.repository';
import { findHours, findSpans, type Span } from '../queries/stats-history.repository';
import { healthSentence, healthStrip, statsCharts } from './charts';
import { type TableColumn, copyable, deliveryMark, facts, tableElement } from './components';
import { nameEndpoints } from './endpoint-names';
import { changedBy, stateMark, stateReason } from './endpoints-page';
import {
  formatCountUpTo,
  formatMilliseconds,
  formatPlural,
  formatRelative,
  fullTimeElement,
  linkTo,
  shortUrl,
  timeElement,
} from './formats';
import { csrfField, type Notice, renderMonitorPage, type Viewer } from './layout';

const FAILURES_SHOWN = 10;

/** Renders an endpoint; undefined if it does not exist. */
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
  const title = (await nameEndpoints(db, [endpoint])).get(id)!;
  return renderMonitorPage({ title, at: '/endpoints', viewer, notice, live: { refreshSeconds: 5 }, body });
}

function stateSection(
  endpoint: EndpointRow,
  change: StateChange | undefined,
  hours: readonly Span[],
): Markup {
  const { id, status, tenant, failingSince, exhausted, now } = endpoint;
  const given = exhausted !== null && exhausted > 0 && `, ${exhausted} given up since then`;
  return html`<section class="card" id="state" aria-label="State" data-fresh>
    <p class="verdict">
      ${stateMark(endpoint)} ${stateReason(endpoint)}
      <span class="soft"
        >${status === 'active' ? 'Active since' : 'Since'}
        ${fullTimeElement(endpoint.statusSince)}${changedBy(endpoint, change)}.</span
      >
    </p>
    ${healthStrip(hours, now)}
    <p class="soft">${healthSentence(hours)}</p>
    ${facts('facts', [
      ['Tenant', html`<a href="${linkTo('/endpoints', { tenant })}">${tenant}</a>`],
      ['Address', html`<code>${endpoint.url}</code>`],
      ['Body', endpoint.format],
      ['Events', endpoint.events.join(', ')],
      ['Waiting', formatCountUpTo(endpoint.waiting, WAITING_COUNT_LIMIT)],
      failingSince && [
        'Nothing delivered since',
        html`${fullTimeElement(failingSince)}
        (${formatMilliseconds(now.getTime() - failingSince.getTime())})${given}`,
      ],
      ['Added', fullTimeElement(endpoint.createdAt)],
      ['Endpoint', html`<code>${id}</code>`],
    ])}
  </section>`;
}

interface EndpointAction {
  /** The text of the button. */
  label: string;
  /** The class of the button. */
  style: string;
  effect: string;
}

type ActionName = 'retry' | 'ping' | 'pause' | 'resume' | 'disable' | 'enable';

/** The actions of an endpoint that need no further input. */
const ACTIONS: Record<ActionName, EndpointAction> = {
  retry: {
    label: 'Retry',
    style: 'primary',
    effect:
      'Sends the next delivery now, even while sending is paused. If the receiver accepts it, sending continues.',
  },
  ping: {
    label: 'Ping',
    style: '',
    effect: 'Sends a signed event of the type ping.',
  },
  pause: {
    label: 'Pause',
    style: '',
    effect: 'New deliveries wait until the endpoint is resumed.',
  },
  resume: {
    label: 'Resume',
    style: 'primary',
    effect: 'Each waiting delivery keeps the time of its next attempt.',
  },
  disable: {
    label: 'Disable',
    style: 'danger',
    effect: 'Has the effect of a 410 Gone response.',
  },
  enable: {
    label: 'Enable',
    style: 'primary',
    effect: 'Each waiting delivery keeps the time of its next attempt. Dead deliveries need a replay.',
  },
};

/** The actions that each status allows. */
const ALLOWED: Record<'active' | 'paused' | 'disabled', ActionName[]> = {
  active: ['retry', 'ping', 'pause', 'disable'],
  paused: ['resume', 'disable'],
  disabled: ['enable'],
};

/** Renders the actions that the endpoint's state allows. */
function endpointForms({ id, status, failingSince, waiting }: EndpointRow, viewer: Viewer): Markup | null {
  if (status === 'removed') return null;
  const hasRetry = failingSince !== null && waiting > 0;
  const allowed = ALLOWED[status].filter((name) => name !== 'retry' || hasRetry);
  const form = (name: string, inside: Markup, effect: string) =>
    html`<form class="action" method="post" action="/endpoints/${id}/${name}">
      ${csrfField(viewer)}
      <div>${inside}</div>
      <p class="soft">${effect}</p>
    </form>`;
  return html`<section class="card" aria-labelledby="actions-heading">
    <h2 id="actions-heading">Actions</h2>
    <div class="action-list">
      ${allowed.map((name) => {
        const { label, style, effect } = ACTIONS[name];
        return form(name, html`<button class="${style}">${label}</button>`, effect);
      })}
      ${form('rotate-secret', overlapFields(), 'Shows a new secret once. The old secret also signs during the overlap.')}
      <div class="action">
        <div>
          <a class="button" href="${linkTo('/replay', { endpoint: id, status: 'dead' })}">Replay…</a>
        </div>
        <p class="soft">
          Sends deliveries again that were delivered or given up. The next page counts them first.
        </p>
      </div>
    </div>
  </section>`;
}

/** Renders the choice of the overlap for a rotation of the secret. The operator sees days, and the form sends hours. */
function overlapFields(): Markup {
  const options = Array.from({ length: OVERLAP_MAX_DAYS + 1 }, (_, days) => {
    const text = days === 0 ? 'no overlap' : `${formatPlural(days, 'day')} overlap`;
    return html`<option value="${days * 24}" ${days === OVERLAP_DAYS && trusted('selected')}>
      ${text}
    </option>`;
  });
  return html`<button>Rotate secret</button>
    <select name="grace_hours" aria-label="Overlap of the old secret">
      ${options}
    </select>`;
}

const FAILURE_COLUMNS: readonly TableColumn<FailureRow>[] = [
  {
    name: 'Event',
    cell: ({ id, bookingRef, eventType }) =>
      html`<a href="/deliveries/${id}">${bookingRef ?? eventType}</a>
        <span class="sub">${bookingRef && eventType}</span>`,
  },
  { name: 'Status', cell: ({ status }) => deliveryMark(status) },
  { name: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { name: 'Last answer', kind: 'reason', cell: ({ lastError }) => lastError },
  { name: 'Made (UTC)', kind: 'when', cell: ({ createdAt }) => timeElement(createdAt) },
];

function failureSection(id: string, failures: readonly FailureRow[]): Markup {
  const all = linkTo('/deliveries', { endpoint: id, status: 'dead' });
  return html`<h2>Recent failures</h2>
    <section id="failures" data-fresh aria-label="Recent failures">
      ${
        failures.length === 0
          ? html`<p class="empty">No failures among its newest deliveries.</p>`
          : tableElement('Recent failures', FAILURE_COLUMNS, failures)
      }
      <p><a href="${all}">All that were given up</a></p>
    </section>`;
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

/** @param shown.overlapUntil time until which the old secrets sign; null if they stopped signing at once */
export function secretPage(
  shown: { endpointId: string; secret: string; overlapUntil: Date | null },
  viewer: Viewer,
): string {
  const { endpointId, secret, overlapUntil } = shown;
  const old = overlapUntil
    ? html`The old secret also signs until ${fullTimeElement(overlapUntil)}: set the new one in the receiver
      before.`
    : html`The old secret no longer signs: the receiver refuses requests until it has the new one.`;
  const body = html`<section class="card message">
    <h1>New secret</h1>
    <p><strong>Shown only once.</strong> Only its sealed form is stored.</p>
    ${copyable('secret', 'Secret', secret)}
    <p>${old}</p>
    <p><a class="button" href="/endpoints/${endpointId}">I have saved it: back to the endpoint</a></p>
  </section>`;
  return renderMonitorPage({ title: 'New secret', at: '/endpoints', viewer, body });
}
