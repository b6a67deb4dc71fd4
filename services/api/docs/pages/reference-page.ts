import { html, type Markup } from '../../../platform/html-template';
import { curlExample } from './curl-example';
import { answerTable, bodyTable, parameterTable } from './field-table';
import { renderCode, renderLine, renderMarkdown } from './markdown';
import type { Answer, Media, OpenApiDocument, Operation } from '../openapi-document';
import { renderTable } from './table';

interface Call {
  path: string;
  method: string;
  operation: Operation;
}

/** The whole document for people: each operation with parameters, body, answers and errors. */
export function reference(document: OpenApiDocument, basePath: string): Markup {
  const sections = callsByTag(document).map(({ tag, calls }) => {
    const articles = calls.map((call) => renderCall(call, document, basePath));
    return html`<h2 id="${tag.name}">${tag.name}</h2>
      <p>${tag.description}</p>
      ${articles}`;
  });
  return html`<h1>${document.info.title} <span class="soft">${document.info.version}</span></h1>
    ${renderMarkdown(document.info.description!)} ${renderCredentials(document)} ${sections}
    ${renderHeaders(document)}`;
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
  return html`${callsByTag(document).map(({ tag, calls }) => {
    const links = calls.map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    );
    return html`<a href="#${tag.name}"><strong>${tag.name}</strong></a>
      <ul>
        ${links}
      </ul>`;
  })}`;
}

function callsByTag({ paths, tags = [] }: OpenApiDocument) {
  const all: Call[] = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.map((tag) => ({
    tag,
    calls: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

function renderCall({ path, method, operation }: Call, document: OpenApiDocument, basePath: string): Markup {
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
    ${successes.map(([status, answer]) => renderAnswer(status, answer, document))}
    ${renderErrors(responses, basePath)}
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

function renderErrors(responses: Operation['responses'], basePath: string): Markup {
  const rows = Object.entries(responses).flatMap(([status, { content, description }]) => {
    if (Number(status) < 400) return [];
    const codes = Object.keys(content?.['application/problem+json']?.examples ?? {});
    const links = codes.map(
      (code) => html`<a href="${basePath}/docs/errors/${code}"><code>${code}</code></a> `,
    );
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
