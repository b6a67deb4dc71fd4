import { html, type Markup } from '../../../platform/html-template';
import { hostOf } from '../html/host-of';
import { atMost, plural } from '../html/number-forms';
import { LATE_MS } from './overview-tiles';
import { COUNTED_MOST, type Counts, type SickEndpoint, type WorkerRow } from '../queries/overview.repository';
import { type Tone } from '../html/status-mark';
import { duration, moment, relative } from '../html/time-forms';

interface Findings {
  counts: Counts;
  workers: readonly WorkerRow[];
  sick: readonly SickEndpoint[];
  waiting: readonly { tenant: string; waiting: number }[];
}

interface Need {
  tone: Tone;
  text: Markup;
}

/** In sentences, what somebody should look at; or that nobody need. */
export function attention({ counts, workers, sick, waiting }: Findings): Markup {
  const needs: Need[] = [
    ...workerNeeds(counts, workers),
    ...sick.map((endpoint) => endpointNeed(endpoint, counts.now)),
    ...deadNeeds(counts),
    ...waiting.map(waitingNeed),
    ...(counts.endpoints === 0 ? [{ tone: 'idle', text: NO_ENDPOINT } as const] : []),
  ].sort((a, b) => Number(a.tone !== 'bad') - Number(b.tone !== 'bad'));
  const shown: Need[] = needs.length > 0 ? needs : [{ tone: 'good', text: ALL_WELL }];
  return html`<ul class="needs card">
    ${shown.map(({ tone, text }) => html`<li class="${tone}">${text}</li>`)}
  </ul>`;
}

const ALL_WELL = html`Nothing needs you: every endpoint takes what it is sent.`;

const NO_ENDPOINT = html`<strong>No endpoint yet.</strong> Add a tenant’s first one with
  <code>tourctl webhook add &lt;tenant&gt; https://…</code>: what waits for it is sent at once.`;

function workerNeeds({ now, oldestDue }: Counts, workers: readonly WorkerRow[]): Need[] {
  if (!workers.some(({ alive }) => alive)) {
    const last = workers[0];
    const since = last ? html`The last one was seen ${relative(last.beatAt, now)}. ` : null;
    const text = html`<strong>No worker is alive: nothing is sent.</strong> ${since}Start one with
      <code>npm run webhook-queue</code>.`;
    return [{ tone: 'bad', text }];
  }
  const late = oldestDue ? now.getTime() - oldestDue.getTime() : 0;
  if (late <= LATE_MS) return [];
  const text = html`<strong>Deliveries start ${duration(late)} late.</strong> More is due than the workers
    manage: add one, or look for a slow database.`;
  return [{ tone: 'bad', text }];
}

function endpointNeed(endpoint: SickEndpoint, now: Date): Need {
  const link = html`<a href="/endpoints/${endpoint.id}">${hostOf(endpoint.url)}</a> of ${endpoint.tenant}`;
  if (endpoint.status === 'disabled')
    return { tone: 'bad', text: html`<strong>${link} is disabled.</strong> ${endpoint.statusReason}` };
  const { blocked, blockedUntil, failingSince } = endpoint;
  const failing =
    failingSince && html` It has failed for ${duration(now.getTime() - failingSince.getTime())}.`;
  const state =
    blocked && blockedUntil
      ? html`is left alone until ${moment(blockedUntil)}: its breaker opened
        ${endpoint.openings === 1 ? 'once' : `${endpoint.openings} times in a row`}.`
      : html`is tried again, one request at a time.`;
  return { tone: 'warn', text: html`<strong>${link}</strong> ${state}${failing}` };
}

function deadNeeds({ deadToday }: Counts): Need[] {
  if (deadToday === 0) return [];
  const text = html`<strong
      ><a href="/deliveries?status=dead"
        >${atMost(deadToday, COUNTED_MOST)} ${deadToday === 1 ? 'delivery' : 'deliveries'}</a
      >
      died within 24 hours.</strong
    >
    Once the receiver is well, <a href="/replay?status=dead">send them again</a>.`;
  return [{ tone: 'bad', text }];
}

function waitingNeed({ tenant, waiting }: { tenant: string; waiting: number }): Need {
  const text = html`<strong
      >${plural(waiting, 'delivery', 'deliveries')} of ${tenant} ${waiting === 1 ? 'waits' : 'wait'} for an
      endpoint.</strong
    >
    Sent as soon as it has one: <code>tourctl webhook add ${tenant} https://…</code>`;
  return { tone: 'warn', text };
}
