import { html, type Markup } from '../../../platform/html-template';

import { answerTable, bodyTable, parameterTable } from './field-table';
import { renderLine, renderMarkdown } from './markdown';
import { renderCode, renderTable } from '../pages/page';
import { renderWebhooks, webhookContents } from './webhook-reference';
import type { Answer, Media, OpenApiDocument, OpenApiOperation, Parameter } from '../openapi-document';

interface DocumentedCall {
  path: string;
  method: string;
  operation: OpenApiOperation;
}

/** Renders the whole document: each operation with parameters, body, answers and errors. Links have no base path yet. */
export function reference(document: OpenApiDocument): Markup {
  const sections = callsByTag(document).map(({ tag, calls }) => {
    const articles = calls.map((call) => renderCall(call, document));
    return html`<h2 id="${tag.name}">${tag.name}</h2>
      <p>${tag.description}</p>
      ${articles}`;
  });
  return html`<h1>${document.info.title} <span class="soft">${document.info.version}</span></h1>
    ${renderMarkdown(document.info.description!)} ${renderCredentials(document)} ${sections}
    ${renderWebhooks()} ${renderHeaders(document)}`;
}

function renderCredentials({ components }: OpenApiDocument): Markup {
  const schemes = Object.values(components.securitySchemes);
  return html`<h2 id="credentials">Credentials</h2>
    <ul>
      ${schemes.map(({ description }) => html`<li>${renderLine(description)}</li>`)}
    </ul>`;
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

function renderCall({ path, method, operation }: DocumentedCall, document: OpenApiDocument): Markup {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation;
  const { schemas } = document.components;
  const body = requestBody?.content['application/json'];
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`<article>
    <h3 id="${operationId}">${summary}</h3>
    <p class="call">
      <code><b>${method.toUpperCase()}</b> ${path}</code>
    </p>
    ${renderMarkdown(description)}
    ${
      parameters.length > 0 &&
      html`<h4>Parameters</h4>
        ${parameterTable(parameters, schemas)}`
    }
    ${
      body &&
      html`<h4>Body</h4>
        ${bodyTable(body.schema, schemas)}`
    }
    <h4>Example</h4>
    ${renderCode(curlExample(document.servers[0]!.url, path, method, operation))}
    ${successes.map(([status, answer]) => renderAnswer(status, answer, document))} ${renderErrors(responses)}
  </article>`;
}

function renderAnswer(status: string, answer: Answer, { components }: OpenApiDocument): Markup {
  const media: Media | undefined = answer.content?.['application/json'];
  const headers = Object.keys(answer.headers ?? {}).map((name) => html` <code>${name}</code>`);
  return html`<h4>Answer ${status}</h4>
    ${media ? renderCode(JSON.stringify(media.example, null, 2)) : html`<p>${answer.description}</p>`}
    ${
      media &&
      html`<details>
        <summary>Fields</summary>
        ${answerTable(media.schema, components.schemas)}
      </details>`
    }
    ${headers.length > 0 && html`<p class="soft">Headers:${headers}</p>`}`;
}

function renderErrors(responses: OpenApiOperation['responses']): Markup {
  const rows = Object.entries(responses).flatMap(([status, { content, description }]) => {
    if (Number(status) < 400) return [];
    const codes = Object.keys(content?.['application/problem+json']?.examples ?? {});
    const links = codes.map((code) => html`<a href="/docs/errors/${code}"><code>${code}</code></a> `);
    return html`<dt>${status}</dt>
      <dd>${links.length > 0 ? links : renderLine(description)}</dd>`;
  });
  return html`${
    rows.length > 0 &&
    html`<details>
      <summary>Errors</summary>
      <dl>${rows}</dl>
    </details>`
  }`;
}

/** A request of this operation with the document's examples, to paste once $KEY or $TOKEN is set. */
function curlExample(baseUrl: string, path: string, method: string, operation: OpenApiOperation): string {
  const { parameters, security, requestBody } = operation;
  const lines = [method === 'get' ? 'curl -sS' : `curl -sS -X ${method.toUpperCase()}`];
  const byToken = security.some((scheme) => 'widgetToken' in scheme);
  if (security.length > 0 && !byToken) lines.push(`-H "Authorization: Bearer $KEY"`);
  for (const { in: place, name, example } of parameters) {
    if (place === 'header') lines.push(`-H '${name}: ${String(example)}'`);
  }
  const body = requestBody?.content['application/json']?.example;
  if (body) lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`);
  lines.push(`"${baseUrl}${filledPath(path, parameters)}${query(parameters, byToken)}"`);
  return lines.join(' \\\n  ');
}

function filledPath(path: string, parameters: Parameter[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((one) => one.name === name)!.example),
  );
}

function query(parameters: Parameter[], byToken: boolean): string {
  const required = parameters.filter((one) => one.in === 'query' && one.required);
  const pairs = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  if (byToken) pairs.unshift('token=$TOKEN');
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
