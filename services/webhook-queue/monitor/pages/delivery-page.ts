import type { Db } from '../../../platform/database/database';
import { html, type Markup } from '../../../platform/html-template';
import { HIDDEN, maskEmail, maskName, maskPhone, isUuid } from '../../../platform/forms/text-forms';
import { webhookId } from '../../signing/sign-payload';
import {
  type AttemptRow,
  ATTEMPTS_SHOWN,
  type DeliveryRow,
  findDeliveryDetail,
  findShownAttempts,
  findSiblings,
  type Sibling,
} from '../queries/deliveries.repository';
import { attemptSection, verifySection } from './attempt-section';
import { copyable, deliveryMark, facts } from './components';
import { nameEndpoints } from './endpoint-names';
import { fullTimeElement, linkTo, prettyJson } from './formats';
import { csrfField, type Notice, renderMonitorPage, type Viewer } from './layout';
import { type DeliverySituation, nextStep } from './next-step';

/** Renders a delivery; undefined if it does not exist. Unless `revealed`, masks names, phones and emails, and hides responses. */
export async function deliveryPage(
  db: Db,
  id: string,
  { revealed }: { revealed: boolean },
  viewer: Viewer,
  notice?: Notice,
): Promise<string | undefined> {
  const delivery = isUuid(id) ? await findDeliveryDetail(db, id) : undefined;
  if (!delivery) return undefined;
  const attempts = await findShownAttempts(db, id);
  const siblings = await findSiblings(db, delivery);
  const names = await nameEndpoints(
    db,
    siblings.map(({ endpointId, url }) => ({ id: endpointId, url })),
  );
  const newestSigned = attempts.find(({ signature }) => signature !== null);
  const title = `${delivery.eventType} ${delivery.bookingRef ?? ''}`.trim();
  const body = html`<p class="crumbs"><a href="/deliveries">Deliveries</a></p>
    <div class="heading">
      <h1>${title}</h1>
      <div class="actions">${retryForm(delivery, viewer)} ${revealForm(delivery, revealed, viewer)}</div>
    </div>
    ${stateSection(delivery, siblings, names)} ${bodySection(delivery, revealed)}
    ${attemptSections(delivery, attempts, revealed)}
    ${verifySection(delivery.eventId, newestSigned, revealed ? delivery.body : null)}`;
  // A page with revealed data does not update itself, because a reload would mask the data.
  const live = revealed ? undefined : { refreshSeconds: 5 };
  return renderMonitorPage({ title, at: '/deliveries', viewer, notice, live, body });
}

/** @param names the names of the siblings' endpoints, by id */
function stateSection(
  delivery: DeliveryRow,
  siblings: readonly Sibling[],
  names: ReadonlyMap<string, string>,
): Markup {
  const { tenant, bookingRef, endpointId, url } = delivery;
  const ofBooking = linkTo('/deliveries', { booking_ref: bookingRef ?? undefined });
  return html`<section class="card" id="state" aria-label="State" data-fresh>
    <p class="verdict">${deliveryMark(delivery.status)} ${nextStep(toSituation(delivery)).sentence}</p>
    ${facts('facts', [
      ['Tenant', html`<a href="${linkTo('/deliveries', { tenant })}">${tenant}</a>`],
      bookingRef && ['Booking', html`<a href="${ofBooking}">${bookingRef}</a>`],
      ['Endpoint', endpointId ? html`<a href="/endpoints/${endpointId}">${url}</a>` : 'none yet'],
      ['Made', fullTimeElement(delivery.createdAt)],
      ['Attempts', html`${delivery.attempts}${spent(delivery)}`],
      [html`<code>webhook-id</code>`, html`<code>${webhookId(delivery.eventId)}</code>`],
      ['Delivery', html`<code>${delivery.id}</code>`],
      siblings.length > 0 && ['Also sent to', siblingList(siblings, names)],
    ])}
  </section>`;
}

function siblingList(siblings: readonly Sibling[], names: ReadonlyMap<string, string>): Markup {
  const links = siblings.map(
    ({ id, endpointId, status }) =>
      html`<li><a href="/deliveries/${id}">${names.get(endpointId)}</a> ${deliveryMark(status)}</li>`,
  );
  return html`<ul class="plain">
    ${links}
  </ul>`;
}

/**
 * Renders how many attempts used an entry of the retry schedule. These attempts used none: attempts before a replay, attempts of lost
 * workers, and the first three attempts with a 429, a 503 or a closed connection.
 */
function spent({ attempts, triesSpent, uncounted }: DeliveryRow): Markup | null {
  if (triesSpent === null || triesSpent === attempts) return null;
  return html` <span class="soft"
    >of which ${triesSpent} count for the
    schedule${uncounted ? `; ${uncounted} × 429, 503 or a closed connection` : ''}</span
  >`;
}

function bodySection({ body, format }: DeliveryRow, revealed: boolean): Markup {
  const bytes = Buffer.byteLength(body);
  return html`<section class="card" aria-label="Body">
    <h2>Body <span class="soft">${format ? `${format} · ` : ''}${bytes} bytes</span></h2>
    ${!revealed && html`<p class="soft">Name, phone and email are masked.</p>`}
    <pre
      class="wrap"
      id="body"
      tabindex="0"
      role="group"
      aria-label="Body, indented"
    ><code>${prettyJson(revealed ? body : maskBody(body))}</code></pre>
    ${
      revealed &&
      html`<details class="as-table" id="exact">
        <summary>The bytes that are signed and sent</summary>
        ${copyable('exact-body', 'Body as it is sent', body)}
      </details>`
    }
  </section>`;
}

function attemptSections(delivery: DeliveryRow, attempts: readonly AttemptRow[], revealed: boolean): Markup {
  const lastFailed = attempts.find(({ outcome }) => outcome !== 'delivered');
  const earlier = attempts.length === ATTEMPTS_SHOWN ? (attempts.at(-1)?.number ?? 1) - 1 : 0;
  return html`<section id="attempts" aria-labelledby="attempts-heading" data-fresh>
    <h2 id="attempts-heading">Attempts</h2>
    ${attempts.length === 0 && html`<p class="empty">No attempt yet.</p>`}
    ${attempts.map((row) => attemptSection(delivery.eventId, row, { revealed, isOpen: row === lastFailed }))}
    ${earlier > 0 && html`<p class="soft">${earlier} earlier are not shown.</p>`}
  </section>`;
}

function retryForm(delivery: DeliveryRow, viewer: Viewer): Markup | null {
  if (delivery.endpointStatus !== 'active' || delivery.status === 'delivering') return null;
  const text = delivery.finishedAt ? 'Send again' : 'Retry now';
  const tone = delivery.status === 'delivered' ? undefined : 'primary';
  return html`<form method="post" action="/deliveries/${delivery.id}/retry" data-fresh id="retry">
    ${csrfField(viewer)}<button class="${tone}">${text}</button>
  </form>`;
}

function revealForm({ id }: DeliveryRow, revealed: boolean, viewer: Viewer): Markup {
  if (revealed) return html`<a class="button" href="/deliveries/${id}">Mask again</a>`;
  return html`<form method="post" action="/deliveries/${id}/reveal">
    ${csrfField(viewer)}<button title="The audit log records who revealed it">Reveal personal data</button>
  </form>`;
}

function toSituation(delivery: DeliveryRow): DeliverySituation {
  const { endpointStatus, statusReason, blockedUntil, worker, claimedAt, leaseUntil } = delivery;
  return {
    ...delivery,
    endpoint: endpointStatus && { status: endpointStatus, statusReason, blockedUntil },
    lease: worker && claimedAt && leaseUntil ? { worker, since: claimedAt, until: leaseUntil } : null,
  };
}

/** Masks the customer's name, phone and email in a body of any format. Hides a body that is not JSON. */
export function maskBody(body: string): string {
  try {
    return JSON.stringify(maskCustomers(JSON.parse(body)));
  } catch {
    return HIDDEN;
  }
}

function maskCustomers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskCustomers);
  if (!isRecord(value)) return value;
  return mapValues(value, (inner, key) => (key === 'customer' ? maskCustomer(inner) : maskCustomers(inner)));
}

const MASKS: Readonly<Record<string, (text: string) => string>> = {
  name: maskName,
  phone: maskPhone,
  email: maskEmail,
};

/** Masks the fields of a customer. Keeps null: an unset field is not personal data. */
function maskCustomer(customer: unknown): unknown {
  if (customer === null) return null;
  if (!isRecord(customer)) return HIDDEN;
  return mapValues(customer, (value, key) => {
    if (value === null) return null;
    const mask = Object.hasOwn(MASKS, key) ? MASKS[key] : undefined;
    return mask && typeof value === 'string' ? mask(value) : HIDDEN;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(record: Record<string, unknown>, convert: (value: unknown, key: string) => unknown) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value, key)]));
}
