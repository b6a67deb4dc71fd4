import { html, type Markup } from '../../../platform/html-template';
import { WEBHOOK_HEADERS, WEBHOOKS, WEBHOOKS_TAG } from '../describe-webhooks';
import { renderCode, renderFolded } from '../pages/page';
import { EVENT_SCHEMAS } from '../webhook-events';
import { answerTable, parameterTable } from './field-table';
import { renderMarkdown } from './markdown';

/** Renders each event with its body. The OpenAPI 3.0 document, from which the rest of the page is made, has no webhooks. */
export function renderWebhooks(): Markup {
  const articles = operations().map(({ operationId, summary, description, requestBody }) => {
    const { schema, example } = requestBody!.content['application/json']!;
    return html`<article>
      <h3 id="${operationId}">${summary}</h3>
      <p class="call">
        <code><b>POST</b> ${(example as { event_type: string }).event_type}</code>
      </p>
      ${renderMarkdown(description!)}
      <h4>Body</h4>
      ${renderCode(JSON.stringify(example, null, 2))}
      ${renderFolded('Fields', answerTable(`${operationId}.body`, schema, EVENT_SCHEMAS))}
    </article>`;
  });
  return html`<h2 id="${WEBHOOKS_TAG.name}">${WEBHOOKS_TAG.name}</h2>
    <p>${WEBHOOKS_TAG.description} Every event is one <code>POST</code> with these headers.</p>
    ${parameterTable(WEBHOOKS_TAG.name, WEBHOOK_HEADERS, {})} ${articles}`;
}

export function webhookContents(): Markup {
  const links = operations().map(
    ({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
  );
  return html`<a href="#${WEBHOOKS_TAG.name}"><strong>${WEBHOOKS_TAG.name}</strong></a>
    <ul>
      ${links}
    </ul>`;
}

function operations() {
  return Object.values(WEBHOOKS).map(({ post }) => post);
}
