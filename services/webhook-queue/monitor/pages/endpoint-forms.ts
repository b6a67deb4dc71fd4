import { html, type Markup, trusted } from '../../../platform/html-template';
import { OVERLAP_DAYS, OVERLAP_MAX_DAYS } from '../../endpoints/rotate-secret';
import { address } from '../html/address';
import type { EndpointRow } from '../queries/endpoint-list.repository';
import { csrfField } from '../html/layout';
import type { Viewer } from '../html/viewer';

type Verb = 'pause' | 'resume' | 'enable' | 'disable' | 'ping' | 'rotate-secret';

/** What can be done to it in its state, and what that means. */
export function endpointForms(endpoint: EndpointRow, viewer: Viewer): Markup | null {
  const { id, status } = endpoint;
  if (status === 'removed') return null;
  const form = (verb: Verb, inside: Markup, about: string) =>
    html`<form class="action" method="post" action="/endpoints/${id}/${verb}">
      ${csrfField(viewer)}
      <div>${inside}</div>
      <p class="soft">${about}</p>
    </form>`;
  return html`<section class="card" aria-labelledby="actions-heading">
    <h2 id="actions-heading">Actions</h2>
    <div class="action-list">
      ${stateForms(status, form)}
      ${form('rotate-secret', overlapFields(), 'Shows a new secret once. The old one signs beside it for that long.')}
      <div class="action">
        <div>
          <a class="button" href="${address('/replay', { endpoint: id, status: 'dead' })}">Replay…</a>
        </div>
        <p class="soft">Sends what died, or was delivered, once more. It is counted first.</p>
      </div>
    </div>
  </section>`;
}

function stateForms(
  status: EndpointRow['status'],
  form: (verb: Verb, inside: Markup, about: string) => Markup,
): Markup[] {
  const disable = form(
    'disable',
    html`<button class="danger">Disable</button>`,
    'As if the receiver had answered 410 Gone.',
  );
  if (status === 'disabled')
    return [
      form(
        'enable',
        html`<button class="primary">Enable</button>`,
        'What waits is sent at once. What is dead stays so until replayed.',
      ),
    ];
  if (status === 'paused')
    return [
      form('resume', html`<button class="primary">Resume</button>`, 'What waits is sent at once.'),
      disable,
    ];
  return [
    form('ping', html`<button>Ping</button>`, 'Sends a signed event of the type ping.'),
    form('pause', html`<button>Pause</button>`, 'What comes in waits until it is resumed.'),
    disable,
  ];
}

/** In days; sent in hours. */
function overlapFields(): Markup {
  const options = Array.from({ length: OVERLAP_MAX_DAYS + 1 }, (_, days) => {
    const text = days === 0 ? 'no overlap' : `${days} ${days === 1 ? 'day' : 'days'} overlap`;
    return html`<option value="${days * 24}" ${days === OVERLAP_DAYS && trusted('selected')}>
      ${text}
    </option>`;
  });
  return html`<button>Rotate secret</button>
    <select name="grace_hours" aria-label="Overlap of the old secret">
      ${options}
    </select>`;
}
