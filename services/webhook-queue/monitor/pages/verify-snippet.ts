import { html, type Markup } from '../../../platform/html-template';
import type { TryRow } from '../queries/delivery-detail.repository';
import { requestHeaders } from './request-headers';

/**
 * How a receiver proves for itself that a signed try is genuine, however long ago it was.
 * @param body null where it is not to be shown: it is then read from a file
 */
function verifyProgram(eventId: string, row: TryRow, body: string | null): string | null {
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

/** For the developer of the receiver: what to write, and how this very delivery is checked. */
export function verifySection(eventId: string, newest: TryRow | undefined, body: string | null): Markup {
  const program = newest ? verifyProgram(eventId, newest, body) : null;
  return html`<details class="card" id="verify">
    <summary>Verify it at the receiver</summary>
    ${snippet('receiver', 'In the receiver', RECEIVER)}
    ${program && newest && snippet('this-try', `Try ${newest.number}, checked by hand`, program)}
    ${snippet('listen', 'On your own machine: prints and verifies what arrives', 'tourctl webhook listen --port 4000')}
  </details>`;
}

function snippet(name: string, title: string, text: string): Markup {
  return html`<h3>${title}</h3>
    <div class="copyable">
      <button type="button" class="quiet" data-copy="snippet-${name}" hidden>Copy</button>
      <pre id="snippet-${name}" tabindex="0" aria-label="${title}"><code>${text}</code></pre>
    </div>`;
}
