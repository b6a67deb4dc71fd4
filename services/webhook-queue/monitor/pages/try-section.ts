import { html, type Markup } from '../../../platform/html-template';
import type { TryRow } from '../queries/delivery-detail.repository';
import { OUTCOME_WORDS } from '../queries/outcome-words';
import { requestHeaders } from './request-headers';
import { mark } from '../html/status-mark';
import { duration, fullMoment } from '../html/time-forms';
import { waterfall } from '../charts/waterfall';

/** One request: what became of it, where its time went, what was sent and what came back. */
export function trySection(eventId: string, row: TryRow, revealed: boolean): Markup {
  const { number, outcome, statusCode, reason, phases, durationMs } = row;
  const well = outcome === 'delivered';
  return html`<article class="card try" id="try-${number}">
    <h3>
      Try ${number} ${mark(well ? 'good' : 'bad', OUTCOME_WORDS[outcome])}
      ${statusCode !== null && html`<code>${statusCode}</code>`}
    </h3>
    <p class="soft">
      ${fullMoment(row.startedAt)} · ${duration(durationMs)} · worker <code>${row.worker}</code>${
        row.peer && html` · to <code>${row.peer}</code>`
      }
    </p>
    ${reason && html`<p class="why">${reason}</p>`}
    ${phases && Object.keys(phases).length > 0 && waterfall(phases, durationMs, !well && statusCode === null)}
    ${phases && phases.connect === undefined && phases.first_byte !== undefined && KEPT}
    <div class="two">${sent(eventId, row)} ${received(row, revealed)}</div>
  </article>`;
}

const KEPT = html`<p class="soft">A kept connection: it spared the name, the connecting and TLS.</p>`;

function sent(eventId: string, row: TryRow): Markup {
  const headers = requestHeaders(eventId, row);
  return html`<details id="try-${row.number}-sent">
    <summary>Request headers</summary>
    ${headers ? headerList(headers) : html`<p class="soft">Nothing was sent, or nobody can say what.</p>`}
  </details>`;
}

/** Whatever the receiver wrote, it may be about the customer. */
function received({ number, responseHeaders, responseBody, statusCode }: TryRow, revealed: boolean): Markup {
  return html`<details id="try-${number}-received">
    <summary>Answer${statusCode !== null && html` ${statusCode}`}</summary>
    ${!responseHeaders && responseBody === null && html`<p class="soft">${statusCode === null ? 'No answer came.' : 'Nothing of it was kept.'}</p>`}
    ${(responseHeaders || responseBody !== null) && !revealed && hidden(responseBody)}
    ${revealed && responseHeaders && headerList(responseHeaders)} ${revealed && answerBody(responseBody)}
  </details>`;
}

function hidden(body: string | null): Markup {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  return html`<p class="soft">
    Headers and ${bytes} bytes of body are hidden: they may hold personal data. Reveal them above.
  </p>`;
}

function answerBody(body: string | null): Markup | null {
  if (body === null) return null;
  return body === ''
    ? html`<p class="soft">An empty body.</p>`
    : html`<pre class="wrap" tabindex="0" aria-label="Body of the answer">${body}</pre>`;
}

function headerList(headers: Readonly<Record<string, string>>): Markup {
  const rows = Object.entries(headers).map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<dl class="headers">${rows}</dl>`;
}
