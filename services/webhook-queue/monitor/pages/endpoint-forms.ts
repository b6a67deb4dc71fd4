import { html, type Markup, trusted } from '../../../platform/html-template';
import { OVERLAP_DAYS, OVERLAP_MAX_DAYS } from '../../endpoints/endpoint-secrets';
import { linkTo } from '../html/formats';
import type { EndpointRow } from '../queries/endpoints.repository';
import { csrfField, type Viewer } from '../html/layout';

type FormVerb = 'pause' | 'resume' | 'enable' | 'disable' | 'ping' | 'rotate-secret';

/** Renders the actions that the endpoint's state allows. */
export function endpointForms(endpoint: EndpointRow, viewer: Viewer): Markup | null {
  const { id, status } = endpoint;
  if (status === 'removed') return null;
  const form = (verb: FormVerb, inside: Markup, about: string) =>
    html`<form class="action" method="post" action="/endpoints/${id}/${verb}">
      ${csrfField(viewer)}
      <div>${inside}</div>
      <p class="soft">${about}</p>
    </form>`;
  return html`<section class="card" aria-labelledby="actions-heading">
    <h2 id="actions-heading">Actions</h2>
    <div class="action-list">
      ${stateForms(status, form)}
      ${form('rotate-secret', overlapFields(), 'Shows a new secret once. The old secret also signs during the overlap.')}
      <div class="action">
        <div>
          <a class="button" href="${linkTo('/replay', { endpoint: id, status: 'dead' })}">Replay…</a>
        </div>
        <p class="soft">Sends dead or delivered deliveries again. The next page counts them first.</p>
      </div>
    </div>
  </section>`;
}

function stateForms(
  status: EndpointRow['status'],
  form: (verb: FormVerb, inside: Markup, about: string) => Markup,
): Markup[] {
  const disable = form(
    'disable',
    html`<button class="danger">Disable</button>`,
    'Has the effect of a 410 Gone response.',
  );
  if (status === 'disabled')
    return [
      form(
        'enable',
        html`<button class="primary">Enable</button>`,
        'Waiting deliveries are sent at once. Dead deliveries need a replay.',
      ),
    ];
  if (status === 'paused')
    return [
      form('resume', html`<button class="primary">Resume</button>`, 'Waiting deliveries are sent at once.'),
      disable,
    ];
  return [
    form('ping', html`<button>Ping</button>`, 'Sends a signed event of the type ping.'),
    form('pause', html`<button>Pause</button>`, 'New deliveries wait until the endpoint is resumed.'),
    disable,
  ];
}

/** Offers days; sends hours. */
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
