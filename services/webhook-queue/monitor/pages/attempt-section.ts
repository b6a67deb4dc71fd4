import { html, type Markup, trusted } from '../../../platform/html-template';
import { type AttemptReport, type Phase, PHASES } from '../../deliveries/delivery';
import { signatureHeaders, webhookHeaders, webhookId } from '../../signing/sign-payload';
import type { AttemptRow } from '../queries/deliveries.repository';
import { OUTCOME_WORDS } from '../queries/read-query';
import { copyable, facts, mark } from './components';
import { formatMilliseconds, fullTimeElement, prettyJson } from './formats';

/**
 * Renders one attempt: outcome, durations of its phases, request and response.
 * @param isOpen shows the response without a click
 */
export function attemptSection(
  eventId: string,
  row: AttemptRow,
  { revealed, isOpen }: { revealed: boolean; isOpen: boolean },
): Markup {
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
    <div class="two">${sent(eventId, row)} ${received(row, revealed, isOpen)}</div>
  </article>`;
}

const REUSED_CONNECTION = html`<p class="soft">A reused connection: no DNS, connect and TLS.</p>`;

function sent(eventId: string, row: AttemptRow): Markup {
  const headers = requestHeaders(eventId, row);
  return html`<details id="attempt-${row.number}-sent">
    <summary>Request headers</summary>
    ${headers ? facts('headers', Object.entries(headers)) : html`<p class="soft">No request headers were recorded.</p>`}
  </details>`;
}

/** Renders the response. Hides the response if `revealed` is false, because it may contain personal data. */
function received(row: AttemptRow, revealed: boolean, isOpen: boolean): Markup {
  const { number, responseHeaders: headers, responseBody: body, statusCode } = row;
  return html`<details id="attempt-${number}-received" ${isOpen && trusted('open')}>
    <summary>Answer${statusCode !== null && html` ${statusCode}`}</summary>
    ${!headers && body === null && html`<p class="soft">${statusCode === null ? 'No response.' : 'The response was not kept.'}</p>`}
    ${(headers || body !== null) && !revealed && hidden(body)}
    ${revealed && headers && facts('headers', Object.entries(headers))} ${revealed && answerBody(body)}
  </details>`;
}

function hidden(body: string | null): Markup {
  return html`<p class="soft">
    Headers and ${Buffer.byteLength(body ?? '')} bytes of body are hidden: they may hold personal data. Reveal
    them above.
  </p>`;
}

function answerBody(body: string | null): Markup | null {
  if (body === null) return null;
  return body === ''
    ? html`<p class="soft">An empty body.</p>`
    : html`<pre class="wrap" tabindex="0" role="group" aria-label="Body of the answer">
${prettyJson(body)}</pre>`;
}

/** Returns the request headers of an attempt as they were sent; null if nothing was sent. */
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
    ${copyable(`snippet-${name}`, title, text)}`;
}

const PHASE_NAMES: Readonly<Record<Phase | 'cut', string>> = {
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  first_byte: 'first byte',
  body: 'body',
  cut: 'no answer',
};

/** Draws the phases of an attempt, one line each. Without a response, a last line shows the wait until the attempt ended. */
function waterfall(
  phases: NonNullable<AttemptReport['phases']>,
  durationMs: number,
  isUnanswered: boolean,
): Markup {
  const bars: { phase: Phase | 'cut'; from: number; ms: number }[] = [];
  let from = 0;
  for (const phase of PHASES) {
    const ms = phases[phase];
    if (ms === undefined) continue;
    bars.push({ phase, from, ms });
    from += ms;
  }
  if (isUnanswered && durationMs - from > 1) bars.push({ phase: 'cut', from, ms: durationMs - from });
  const total = Math.max(1, durationMs, from);
  // Puts the words beside the drawing, because the drawing stretches with the page.
  const rows = bars.map(
    ({ phase, from, ms }) =>
      html`<dt>${PHASE_NAMES[phase]}</dt>
        <dd>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect class="grid" y="4.5" width="100" height="1"></rect>
            <rect
              class="phase ${phase}"
              x="${Math.min((from / total) * 100, 99.6).toFixed(2)}"
              width="${Math.max(0.4, (ms / total) * 100).toFixed(2)}"
              height="10"
            ></rect>
          </svg>
          <span>${formatMilliseconds(ms)}</span>
        </dd>`,
  );
  return html`<dl class="waterfall">${rows}</dl>`;
}
