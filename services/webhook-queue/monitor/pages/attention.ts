import { html, type Markup } from '../../../platform/html-template';
import {
  formatCountUpTo,
  formatMilliseconds,
  formatPlural,
  formatRelative,
  hostOf,
  timeElement,
} from '../html/formats';
import { LATE_MS } from './overview-tiles';
import type { FailingEndpoint } from '../../endpoints/endpoint.repository';
import type { MarkTone } from '../html/components';
import type { WorkerRow } from '../../maintenance/worker-heartbeat.repository';
import { COUNTED_MOST, type QueueCounts } from '../../stats/queue-counts.repository';

interface OverviewState {
  counts: QueueCounts;
  workers: readonly WorkerRow[];
  failing: readonly FailingEndpoint[];
  waiting: readonly { tenant: string; waiting: number }[];
}

interface AttentionItem {
  tone: MarkTone;
  text: Markup;
}

/** Lists the problems that need an operator, the most severe first; or states that there are none. */
export function attentionList({ counts, workers, failing, waiting }: OverviewState): Markup {
  const items: AttentionItem[] = [
    ...workerItems(counts, workers),
    ...failing.map((endpoint) => endpointItem(endpoint, counts.now)),
    ...deadItems(counts),
    ...waiting.map(waitingItem),
    ...(counts.endpoints === 0 ? [{ tone: 'idle', text: NO_ENDPOINT } as const] : []),
  ].sort((a, b) => Number(a.tone !== 'bad') - Number(b.tone !== 'bad'));
  const shown: AttentionItem[] = items.length > 0 ? items : [{ tone: 'good', text: ALL_WELL }];
  return html`<ul class="needs card">
    ${shown.map(({ tone, text }) => html`<li class="${tone}">${text}</li>`)}
  </ul>`;
}

const ALL_WELL = html`No problems: every endpoint accepts its deliveries.`;

const NO_ENDPOINT = html`<strong>No endpoint yet.</strong> Add a tenant’s first one with
  <code>tourctl webhook add &lt;tenant&gt; https://…</code>: waiting deliveries are sent at once.`;

function workerItems({ now, oldestDue }: QueueCounts, workers: readonly WorkerRow[]): AttentionItem[] {
  if (!workers.some(({ alive }) => alive)) {
    const last = workers[0];
    const since = last ? html`The last one was seen ${formatRelative(last.beatAt, now)}. ` : null;
    const text = html`<strong>No worker is alive: nothing is sent.</strong> ${since}Start one with
      <code>npm run webhook-queue</code>.`;
    return [{ tone: 'bad', text }];
  }
  const late = oldestDue ? now.getTime() - oldestDue.getTime() : 0;
  if (late <= LATE_MS) return [];
  const text = html`<strong>Deliveries start ${formatMilliseconds(late)} late.</strong> The workers are
    overloaded: add a worker, or check whether the database is slow.`;
  return [{ tone: 'bad', text }];
}

function endpointItem(endpoint: FailingEndpoint, now: Date): AttentionItem {
  const link = html`<a href="/endpoints/${endpoint.id}">${hostOf(endpoint.url)}</a> of ${endpoint.tenant}`;
  if (endpoint.status === 'disabled')
    return { tone: 'bad', text: html`<strong>${link} is disabled.</strong> ${endpoint.statusReason}` };
  const { failingSince } = endpoint;
  const since =
    failingSince && html` It has failed for ${formatMilliseconds(now.getTime() - failingSince.getTime())}.`;
  return { tone: 'warn', text: html`<strong>${link}</strong> ${failureState(endpoint)}${since}` };
}

function failureState({ blocked, blockedUntil, failures, openings }: FailingEndpoint): Markup {
  if (blocked && blockedUntil)
    return html`gets no requests until ${timeElement(blockedUntil)}: its breaker opened
    ${openings === 1 ? 'once' : `${openings} times in a row`}.`;
  if (openings) return html`is tested again, one request at a time.`;
  // Answers of 429 and 503 are not counted as failures.
  if (!failures) return html`asks to wait (429 or 503) at each attempt.`;
  return failures === 1
    ? html`failed its last attempt.`
    : html`fails every attempt: ${failures} failures in a row.`;
}

function deadItems({ deadToday }: QueueCounts): AttentionItem[] {
  if (deadToday === 0) return [];
  const text = html`<strong
      ><a href="/deliveries?status=dead"
        >${formatCountUpTo(deadToday, COUNTED_MOST)} ${deadToday === 1 ? 'delivery' : 'deliveries'}</a
      >
      died within 24 hours.</strong
    >
    When the receiver works again, <a href="/replay?status=dead">send them again</a>.`;
  return [{ tone: 'bad', text }];
}

function waitingItem({ tenant, waiting }: { tenant: string; waiting: number }): AttentionItem {
  const text = html`<strong
      >${formatPlural(waiting, 'delivery', 'deliveries')} of ${tenant} ${waiting === 1 ? 'waits' : 'wait'} for
      an endpoint.</strong
    >
    Sent as soon as it has one: <code>tourctl webhook add ${tenant} https://…</code>`;
  return { tone: 'warn', text };
}
