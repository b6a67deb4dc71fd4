import { html, type Markup } from '../../../platform/html-template';
import type { WorkerRow } from '../queries/overview.repository';
import { mark } from '../html/status-mark';
import { moment } from '../html/time-forms';

/** Who works here, and when each was last heard of. */
export function workerTable(workers: readonly WorkerRow[]): Markup {
  if (workers.length === 0)
    return html`<p class="empty">No worker was ever here. <code>npm run webhook-queue</code> starts one.</p>`;
  return html`<div class="scroll card" tabindex="0" role="region" aria-label="Workers">
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">State</th>
          <th scope="col">Slots busy</th>
          <th scope="col">Last beat (UTC)</th>
          <th scope="col">Started (UTC)</th>
        </tr>
      </thead>
      <tbody>
        ${workers.map(row)}
      </tbody>
    </table>
  </div>`;
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
