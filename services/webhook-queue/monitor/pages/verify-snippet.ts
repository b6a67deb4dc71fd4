import { html, type Markup } from '../../../platform/html-template';
import type { AttemptRow } from '../queries/deliveries.repository';
import { requestHeaders } from './attempt-section';

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
    ${program && newest && snippet('this-try', `Try ${newest.number}, checked by hand`, program)}
    ${snippet('listen', 'On your own machine: prints and verifies requests', 'tourctl webhook listen --port 4000')}
  </details>`;
}

function snippet(name: string, title: string, text: string): Markup {
  return html`<h3>${title}</h3>
    <div class="copyable">
      <button type="button" class="quiet" data-copy="snippet-${name}" hidden>Copy</button>
      <pre id="snippet-${name}" tabindex="0" aria-label="${title}"><code>${text}</code></pre>
    </div>`;
}
