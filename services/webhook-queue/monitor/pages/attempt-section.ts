import { html, type Markup } from '../../../platform/html-template';
import type { AttemptRow } from '../queries/deliveries.repository';
import { OUTCOME_WORDS } from '../queries/read-query';
import { mark } from '../html/components';
import { formatMilliseconds, fullTimeElement } from '../html/formats';
import { waterfall } from '../charts/waterfall';
import { signatureHeaders, webhookHeaders, webhookId } from '../../signing/sign-payload';

/** Renders one attempt: outcome, durations of its phases, request and response. */
export function attemptSection(eventId: string, row: AttemptRow, revealed: boolean): Markup {
  const { number, outcome, statusCode, reason, phases, durationMs } = row;
  const isDelivered = outcome === 'delivered';
  return html`<article class="card attempt" id="attempt-${number}">
    <h3>
      Attempt ${number} ${mark(isDelivered ? 'good' : 'bad', OUTCOME_WORDS[outcome])}
      ${statusCode !== null && html`<code>${statusCode}</code>`}
    </h3>
    <p class="soft">
      ${fullTimeElement(row.startedAt)} · ${formatMilliseconds(durationMs)} · worker
      <code>${row.worker}</code>${row.peer && html` · to <code>${row.peer}</code>`}
    </p>
    ${reason && html`<p class="why">${reason}</p>`}
    ${phases && Object.keys(phases).length > 0 && waterfall(phases, durationMs, !isDelivered && statusCode === null)}
    ${phases && phases.connect === undefined && phases.first_byte !== undefined && REUSED_CONNECTION}
    <div class="two">${sent(eventId, row)} ${received(row, revealed)}</div>
  </article>`;
}

const REUSED_CONNECTION = html`<p class="soft">A reused connection: no DNS, connect and TLS.</p>`;

function sent(eventId: string, row: AttemptRow): Markup {
  const headers = requestHeaders(eventId, row);
  return html`<details id="attempt-${row.number}-sent">
    <summary>Request headers</summary>
    ${headers ? headerList(headers) : html`<p class="soft">No request headers were recorded.</p>`}
  </details>`;
}

/** Hides the response unless revealed: it may hold personal data. */
function received(
  { number, responseHeaders, responseBody, statusCode }: AttemptRow,
  revealed: boolean,
): Markup {
  return html`<details id="attempt-${number}-received">
    <summary>Answer${statusCode !== null && html` ${statusCode}`}</summary>
    ${!responseHeaders && responseBody === null && html`<p class="soft">${statusCode === null ? 'No response.' : 'The response was not kept.'}</p>`}
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
    : html`<pre class="wrap" tabindex="0" role="group" aria-label="Body of the answer">${body}</pre>`;
}

function headerList(headers: Readonly<Record<string, string>>): Markup {
  const rows = Object.entries(headers).map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<dl class="headers">${rows}</dl>`;
}

/** Returns the headers of an attempt as they were sent; null where nothing was sent. */
function requestHeaders(
  eventId: string,
  { startedAt, signature }: AttemptRow,
): Record<string, string> | null {
  if (signature === null) return null;
  return webhookHeaders(signatureHeaders(webhookId(eventId), startedAt, signature));
}

/**
 * Writes a program that verifies a signed attempt of any age.
 * @param body null: the program reads the body from a file
 */
function verifyProgram(eventId: string, row: AttemptRow, body: string | null): string | null {
  const headers = requestHeaders(eventId, row);
  if (!headers) return null;
  const id = JSON.stringify(headers['webhook-id']);
  const signature = JSON.stringify(headers['webhook-signature']);
  const bytes =
    body === null
      ? "require('node:fs').readFileSync('body.json', 'utf8'); // the bytes as they arrived"
      : `${JSON.stringify(body)};`;
  return `// npm install standardwebhooks; WEBHOOK_SECRET=whsec_… node verify.cjs
const { Webhook } = require('standardwebhooks');

const body = ${bytes}
const sentAt = new Date(${headers['webhook-timestamp']} * 1000);
const expected = new Webhook(process.env.WEBHOOK_SECRET).sign(${id}, sentAt, body);
const given = ${signature};
console.log(given.split(' ').includes(expected) ? 'genuine' : 'another secret, or another body');`;
}

const RECEIVER = `const { Webhook } = require('standardwebhooks');

// body: the bytes as they arrived, before any JSON parser. It throws unless the request is genuine and recent.
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, request.headers);`;

/** Shows the developer of the receiver how to verify requests, and how to verify this delivery. */
export function verifySection(eventId: string, newest: AttemptRow | undefined, body: string | null): Markup {
  const program = newest ? verifyProgram(eventId, newest, body) : null;
  return html`<details class="card" id="verify">
    <summary>Verify it at the receiver</summary>
    ${snippet('receiver', 'In the receiver', RECEIVER)}
    ${program && newest && snippet('this-attempt', `Attempt ${newest.number}, verified by hand`, program)}
    ${snippet('listen', 'On your own machine: prints and verifies requests', 'tourctl webhook listen --port 4000')}
  </details>`;
}

function snippet(name: string, title: string, text: string): Markup {
  return html`<h3>${title}</h3>
    <div class="copyable">
      <button type="button" class="quiet" data-copy="snippet-${name}" hidden>Copy</button>
      <pre id="snippet-${name}" tabindex="0" role="group" aria-label="${title}"><code>${text}</code></pre>
    </div>`;
}
