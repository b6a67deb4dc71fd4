import { html, type Markup } from '../../../platform/html-template';
import type { DeliveryItem } from '../../deliveries/delivery-list.repository';
import type { Place } from '../queries/delivery-place.repository';
import { cardTable } from '../html/card-table';
import { hostOf } from '../html/host-of';
import { nextStep } from './next-step';
import { deliveryMark } from '../html/status-mark';
import { moment } from '../html/time-forms';

const COLUMNS = ['Event', 'Status', 'What next', 'Tries', 'Last answer', 'Goes to', 'Made (UTC)'];

/** The columns by which one decides where to look closer. */
export function deliveryTable(
  items: readonly DeliveryItem[],
  places: ReadonlyMap<string, Place>,
  now: Date,
): Markup {
  return cardTable(
    'Deliveries',
    COLUMNS,
    items.map((item) => row(item, places, now)),
  );
}

function row(item: DeliveryItem, places: ReadonlyMap<string, Place>, now: Date): Markup {
  const place = item.endpoint ? places.get(item.endpoint) : undefined;
  const { short } = nextStep({
    now,
    status: item.status,
    tenant: item.tenant,
    attempts: item.attempts,
    createdAt: item.created_at,
    finishedAt: null,
    nextAttemptAt: item.next_attempt_at,
    lastError: item.last_error,
    endpoint: place ?? null,
    lease: null,
  });
  return html`<tr>
    <th scope="row" data-label="Event">
      <a href="/deliveries/${item.id}">${item.booking_ref ?? item.event_type}</a>
      <span class="sub">${item.booking_ref && html`${item.event_type} · `}${item.tenant}</span>
    </th>
    <td data-label="Status">${deliveryMark(item.status)}</td>
    <td data-label="What next">${short}</td>
    <td data-label="Tries" class="number">${item.attempts}</td>
    <td data-label="Last answer" class="reason">${answer(item)}</td>
    <td data-label="Goes to">${goesTo(item, place)}</td>
    <td data-label="Made (UTC)" class="when">${moment(item.created_at)}</td>
  </tr>`;
}

function answer({ last_status_code: code, last_error: error, status }: DeliveryItem): Markup | null {
  if (error) return html`${error}`;
  return code !== null && status === 'delivered' ? html`<span class="soft">${code}</span>` : null;
}

function goesTo({ endpoint }: DeliveryItem, place: Place | undefined): Markup {
  if (!endpoint) return html`<span class="soft">no endpoint</span>`;
  return html`<a class="host" href="/endpoints/${endpoint}" title="${place?.url}"
    >${place ? hostOf(place.url) : endpoint}</a
  >`;
}
