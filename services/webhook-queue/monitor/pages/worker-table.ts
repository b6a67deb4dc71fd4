import { html, type Markup } from '../../../platform/html-template';
import type { WorkerRow } from '../queries/overview.repository';
import { cardTable } from '../html/card-table';
import { mark } from '../html/status-mark';
import { moment } from '../html/time-forms';

const COLUMNS = ['Worker', 'State', 'Slots busy', 'Last beat (UTC)', 'Started (UTC)'];

/** Who works here, and when each was last heard of. */
export function workerTable(workers: readonly WorkerRow[]): Markup {
  if (workers.length === 0)
    return html`<p class="empty">No worker was ever here. <code>npm run webhook-queue</code> starts one.</p>`;
  return cardTable('Workers', COLUMNS, workers.map(row));
}

function row({ id, alive, slots, inFlight, beatAt, startedAt }: WorkerRow): Markup {
  return html`<tr>
    <th scope="row" data-label="Worker"><code>${id}</code></th>
    <td data-label="State">${alive ? mark('good', 'alive') : mark('idle', 'gone')}</td>
    <td data-label="Slots busy">
      ${alive ? html`<meter min="0" max="${slots}" value="${inFlight}">${inFlight}</meter> ${inFlight} of ${slots}` : '–'}
    </td>
    <td data-label="Last beat (UTC)">${moment(beatAt)}</td>
    <td data-label="Started (UTC)">${moment(startedAt)}</td>
  </tr>`;
}
