import type { Db } from '../../../platform/database';
import { html, type Markup } from '../../../platform/html-template';
import { REPLAYED_MOST } from '../../deliveries/replay-deliveries';
import { countHeldBack, countReplayable, type HeldBack } from '../../deliveries/replay.repository';
import { momentField, selectField, textField } from '../html/field';
import { csrfField, renderPage } from '../html/layout';
import { atMost, thousands } from '../html/number-forms';
import { REPLAYABLE, type ReplayQuery } from '../queries/read-query';
import { toReplayFilter } from './replay-filter';
import { findTenantSlugs } from '../queries/tenant-list.repository';
import { inputMoment } from '../html/time-forms';
import type { Notice, Viewer } from '../html/viewer';

export async function replayPage(
  db: Db,
  query: ReplayQuery,
  viewer: Viewer,
  notice?: Notice,
): Promise<string> {
  const slugs = await findTenantSlugs(db);
  const asked = Object.keys(query.given).length > 0;
  const body = html`<div class="heading"><h1>Replay</h1></div>
    <p class="lead">
      Sends finished deliveries again, the oldest first, each under its old <code>webhook-id</code>: a
      receiver that remembers it does nothing twice.
    </p>
    ${filterForm(query, slugs)} ${asked && (await preview(db, query, viewer))}`;
  return renderPage({ title: 'Replay', at: '/replay', viewer, notice, body });
}

function filterForm(asked: ReplayQuery, slugs: string[]): Markup {
  const options = REPLAYABLE.map((status) => [status, status] as const);
  return html`<form class="filter card" method="get" action="/replay">
    ${selectField({ name: 'status', label: 'Status', asked, options, chosen: asked.status })}
    ${textField({ name: 'tenant', label: 'Tenant', asked, placeholder: 'slug', options: slugs })}
    ${textField({ name: 'endpoint', label: 'Endpoint', asked, placeholder: 'id' })}
    ${momentField({ name: 'since', label: 'Made since (UTC)', asked, value: asked.since && inputMoment(asked.since) })}
    <div class="buttons"><button>Count</button></div>
  </form>`;
}

async function preview(db: Db, query: ReplayQuery, viewer: Viewer): Promise<Markup> {
  if (Object.keys(query.complaints).length > 0)
    return html`<p class="empty">
      Put the fields above right first: what is left out would have narrowed it.
    </p>`;
  const filter = await toReplayFilter(db, query);
  if (!filter) return html`<p class="empty">There is no tenant <code>${query.tenant}</code>.</p>`;
  const count = await countReplayable(db, filter, REPLAYED_MOST + 1);
  const heldBack = await countHeldBack(db, filter, REPLAYED_MOST + 1);
  return html`<section class="card" aria-label="What would be sent">
    <p class="verdict">${willSend(count, query)}</p>
    ${heldBackNote(heldBack)} ${count > 0 && (isNarrow(query) ? confirmForm(count, query, viewer) : TOO_WIDE)}
  </section>`;
}

const TOO_WIDE = html`<p>Name a tenant, an endpoint or a time above: nothing is sent again without one.</p>`;

/** The action refuses anything wider. */
function isNarrow({ tenant, endpoint, since }: ReplayQuery): boolean {
  return Boolean(tenant ?? endpoint ?? since);
}

function willSend(count: number, { status }: ReplayQuery): Markup {
  if (count === 0) return html`<strong>Nothing</strong> that is ${status} would be sent again.`;
  const what = count === 1 ? 'delivery' : 'deliveries';
  const more = count > REPLAYED_MOST && ` The oldest ${thousands(REPLAYED_MOST)} go first; then count again.`;
  return html`<strong>${atMost(count, REPLAYED_MOST)} ${what}</strong> would be sent again.${more}`;
}

/** What the filter finds too, and no replay sends. */
function heldBackNote(heldBack: HeldBack): Markup[] {
  const cures = { paused: 'resume', disabled: 'enable' } as const;
  return (['paused', 'disabled'] as const)
    .filter((state) => heldBack[state] > 0)
    .map(
      (state) =>
        html`<p class="soft">
          ${atMost(heldBack[state], REPLAYED_MOST)} more of
          <a href="/endpoints?status=${state}">${state} endpoints</a> are not among them: ${cures[state]}
          those first.
        </p>`,
    );
}

function confirmForm(count: number, { given, status, since }: ReplayQuery, viewer: Viewer): Markup {
  const asked: Record<string, string> = { ...given, status, ...(since && { since: since.toISOString() }) };
  const fields = (['tenant', 'endpoint', 'since', 'status'] as const).filter((name) => asked[name]);
  const text = count === 1 ? 'Send it again' : `Send ${thousands(Math.min(count, REPLAYED_MOST))} again`;
  return html`<form method="post" action="/replay">
    ${csrfField(viewer)}
    ${fields.map((name) => html`<input type="hidden" name="${name}" value="${asked[name]}" />`)}
    <button class="primary">${text}</button>
  </form>`;
}
