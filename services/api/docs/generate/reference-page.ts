import { html, type Markup, toHtml } from '../../../platform/html-template';
import {
  errorsOf,
  type EveryCall,
  partsOfEveryCall,
  successesOf,
  withoutPartsOfEveryCall,
} from './every-call';
import { answerFields, bodyFields, parameterFields } from './field-list';
import { renderLine, renderMarkdown } from './markdown';
import { renderCode, renderFolded, renderTable } from '../pages/page';
import { EVENT_SCHEMAS, WEBHOOK_HEADERS, WEBHOOKS, WEBHOOKS_TAG } from '../webhook-events';
import { curlSample, nodeSample } from './request-samples';
import type { Answer, Media, OpenApiDocument, OpenApiOperation, Schema } from '../openapi-document';

interface DocumentedCall {
  path: string;
  method: string;
  operation: OpenApiOperation;
}

/** The lists of fields and the samples that are on the page so far: the id of each, by its content. */
type KnownParts = Map<string, string>;

/** Renders the complete document: each operation with its parameters, body, answers and errors. The links have no base path yet. */
export function reference(document: OpenApiDocument): Markup {
  const known: KnownParts = new Map();
  const sections = callsByTag(document).map(({ tag, calls }) => {
    const every = partsOfEveryCall(calls.map(({ operation }) => operation));
    const articles = calls.map((call) => renderCall(call, document, every, known));
    return html`<h2 id="${tag.name}">${tag.name}</h2>
      <p>${renderLine(tag.description)}</p>
      ${renderEveryCall(tag.name, every, document)} ${articles}`;
  });
  return html`<h1>${document.info.title} <span class="soft">${document.info.version}</span></h1>
    ${renderMarkdown(document.info.description!)} ${renderCredentials(document)} ${sections}
    ${renderWebhooks(known)} ${renderHeaders(document)}`;
}

function renderCredentials({ components }: OpenApiDocument): Markup {
  const rows = Object.values(components.securitySchemes).map(
    ({ type, in: place = 'header', name = 'Authorization', description, 'x-deprecated': deprecated }) => [
      html`<code>${name}</code> <span class="mark">${deprecated ? 'deprecated' : ''}</span>`,
      html`${type === 'http' ? 'header' : place}`,
      renderLine(description),
    ],
  );
  return html`<h2 id="credentials">Credentials</h2>
    ${renderTable([html`Name`, html`Place`, html`Meaning`], rows)}`;
}

function renderHeaders({ components }: OpenApiDocument): Markup {
  const rows = Object.entries(components.headers).map(([name, { description, example }]) => [
    html`<code>${name}</code>`,
    renderLine(description),
    html`<code>${String(example)}</code>`,
  ]);
  return html`<h2 id="headers">Headers of answers</h2>
    ${renderTable([html`Name`, html`Meaning`, html`Example`], rows)}`;
}

export function referenceContents(document: OpenApiDocument): Markup {
  const sections = callsByTag(document).map(({ tag, calls }) => {
    const links = calls.map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    );
    return html`<a href="#${tag.name}"><strong>${tag.name}</strong></a>
      <ul>
        ${links}
      </ul>`;
  });
  return html`${sections}${webhookContents()}`;
}

function callsByTag({ paths, tags = [] }: OpenApiDocument) {
  const all: DocumentedCall[] = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.map((tag) => ({
    tag,
    calls: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

/** Renders the parts that all calls of a section have. */
function renderEveryCall(section: string, every: EveryCall, { components }: OpenApiDocument): Markup {
  const { parameters, errors, headers } = every;
  if (headers.length === 0) return html``;
  return html`<h3 id="${everyCallId(section)}">Every call of ${section}</h3>
    ${
      parameters.length > 0 &&
      html`<h4>Parameters</h4>
        ${parameterFields(section, parameters, components.schemas)}`
    }
    ${renderHeaderNames(headers)} ${renderErrors(errorsOf({ responses: errors }))}`;
}

function everyCallId(section: string): string {
  return `${section}.every-call`;
}

/**
 * Renders a call in two columns: the text, and the request with its answers. A narrow page has the text above the request. docs.js shows the
 * request in one language at a time.
 */
function renderCall(
  { path, method, operation }: DocumentedCall,
  document: OpenApiDocument,
  every: EveryCall,
  known: KnownParts,
): Markup {
  const { operationId, summary, description = '' } = operation;
  const call = { baseUrl: document.servers[0]!.url, path, method, operation };
  const own = withoutPartsOfEveryCall(operation, every);
  const successes = successesOf(own);
  return html`<article>
    <h3 id="${operationId}">${summary}</h3>
    <p class="call">
      <code><b>${method.toUpperCase()}</b> ${path}</code>
    </p>
    <div class="text">
      ${renderMarkdown(description)} ${renderInput(own, document)}
      ${successes.map(([status, answer]) => renderAnswer({ operationId, status }, answer, document, known))}
      ${renderErrors(errorsOf(own))} ${every.headers.length > 0 && linkToEveryCall(operation.tags[0]!, every)}
    </div>
    <div class="samples">
      <div class="request">
        <h4>Request</h4>
        ${renderCode(curlSample(call), 'sh')}
        ${renderFolded('The same in Node', renderCode(nodeSample(call), 'js'))}
      </div>
      ${successes.map(([status, { content }]) => renderAnswerSample({ operationId, status }, content?.['application/json'], known))}
    </div>
  </article>`;
}

function renderInput(operation: OpenApiOperation, { components }: OpenApiDocument): Markup {
  const { operationId, parameters, requestBody } = operation;
  const body = requestBody?.content['application/json'];
  return html`${
    parameters.length > 0 &&
    html`<h4>Parameters</h4>
      ${parameterFields(operationId, parameters, components.schemas)}`
  }
  ${
    body &&
    html`<h4>Body</h4>
      ${bodyFields(`${operationId}.body`, body.schema, components.schemas)}`
  }`;
}

/** A success of a call. Its parts of the page have ids that begin with the operation and the status. */
interface Success {
  operationId: string;
  status: string;
}

function renderAnswer(
  { operationId, status }: Success,
  answer: Answer,
  { components }: OpenApiDocument,
  known: KnownParts,
): Markup {
  const media: Media | undefined = answer.content?.['application/json'];
  return html`<h4>Answer ${status}</h4>
    <p>${renderLine(answer.description)}</p>
    ${media && renderFields(`${operationId}.${status}`, media.schema, components.schemas, known)}
    ${renderHeaderNames(Object.keys(answer.headers ?? {}))}`;
}

function renderHeaderNames(names: string[]): Markup {
  if (names.length === 0) return html``;
  return html`<p class="soft"><a href="#headers">Headers</a>: ${names.join(', ')}</p>`;
}

/** Renders the fields in a folded part; of an answer that is a list, the fields of its items. */
function renderFields(
  id: string,
  schema: Schema,
  schemas: Record<string, Schema>,
  known: KnownParts,
): Markup {
  const isList = schema.type === 'array';
  const summary = isList ? 'Fields of each item' : 'Fields';
  const fields = (prefix: string) => answerFields(prefix, isList ? schema.items! : schema, schemas);
  const original = originalOf(id, toHtml(fields('')), known);
  if (original) return renderCopy(summary, id, original);
  return html`<details>
    <summary>${summary}</summary>
    <noscript data-part="${id}">${fields(id)}</noscript>
  </details>`;
}

/** Renders the example of an answer, or the item of an example that is a list of one item. */
function renderAnswerSample(
  { operationId, status }: Success,
  media: Media | undefined,
  known: KnownParts,
): Markup {
  if (!media) return html``;
  const part = `${operationId}.${status}.sample`;
  const { example } = media;
  const items = Array.isArray(example) && example.length === 1 ? example : undefined;
  const title = items ? `Answer ${status}: each item of the list` : `Answer ${status}`;
  const sample = JSON.stringify(items ? items[0] : example, null, 2);
  const original = originalOf(part, sample, known);
  if (original) return renderCopy(title, part, original);
  return html`<h4>${title}</h4>
    <div data-part="${part}">${renderCode(sample, 'json')}</div>`;
}

/** Returns the id of the part with the same content, or undefined for the first one. */
function originalOf(id: string, content: string, known: KnownParts): string | undefined {
  const original = known.get(content);
  if (original === undefined) known.set(content, id);
  return original;
}

/**
 * Renders a folded part into which docs.js copies an earlier one. Repeated content would make the page twice as large. Without scripts, the
 * reader follows a link.
 */
function renderCopy(summary: string, id: string, original: string): Markup {
  const [operation] = original.split('.');
  return html`<details>
    <summary>${summary}</summary>
    <noscript data-part="${id}" data-original="${original}">
      <p>The same as in <a href="#${operation}">${operation}</a>.</p>
    </noscript>
  </details>`;
}

function renderErrors(errors: [status: string, answer: Answer][]): Markup {
  const rows = errors.map(([status, { content, description }]) => {
    const codes = Object.keys(content?.['application/problem+json']?.examples ?? {});
    const links = codes.map((code) => html`<a href="/docs/errors/${code}">${code}</a> `);
    return html`<dt>${status}</dt>
      <dd>${links.length > 0 ? links : renderLine(description)}</dd>`;
  });
  return html`${rows.length > 0 && renderFolded('Errors', html`<dl class="codes">${rows}</dl>`)}`;
}

/** Renders a link to the parts that a call shares with all calls of its section. */
function linkToEveryCall(section: string, { parameters, errors }: EveryCall): Markup {
  const parts = [...(parameters.length > 0 ? ['parameters'] : []), 'headers'];
  if (Object.keys(errors).length > 0) parts.push('errors');
  return html`<p class="soft">
    More ${parts.join(', ')}: <a href="#${everyCallId(section)}">every call of ${section}</a>
  </p>`;
}

/** Renders each webhook event with its body, from webhook-events.ts: the OpenAPI 3.0 document has no webhooks. */
function renderWebhooks(known: KnownParts): Markup {
  const articles = operations().map(({ operationId, summary, description, requestBody }) => {
    const { schema, example } = requestBody!.content['application/json']!;
    return html`<article>
      <h3 id="${operationId}">${summary}</h3>
      <p class="call">
        <code><b>POST</b> ${(example as { event_type: string }).event_type}</code>
      </p>
      <div class="text">
        ${renderMarkdown(description!)} ${renderFields(`${operationId}.body`, schema, EVENT_SCHEMAS, known)}
      </div>
      <div class="samples">
        <h4>Body</h4>
        ${renderCode(JSON.stringify(example, null, 2), 'json')}
      </div>
    </article>`;
  });
  return html`<h2 id="${WEBHOOKS_TAG.name}">${WEBHOOKS_TAG.name}</h2>
    <p>${WEBHOOKS_TAG.description} Every event is one <code>POST</code> with these headers.</p>
    ${parameterFields(WEBHOOKS_TAG.name, WEBHOOK_HEADERS, {})} ${articles}`;
}

function webhookContents(): Markup {
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
