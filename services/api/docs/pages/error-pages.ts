import { html, type Markup } from '../../../platform/html-template';
import { PROBLEM_CODES, type ProblemCode, PROBLEMS } from '../../http/problems';
import { type OpenApiDocument, withBaseUrl } from '../openapi-document';
import { problemExample } from '../problem-examples';
import { renderCode, renderTable } from './page';

/** Renders a table of all codes, by status. */
export function errorList(basePath: string): Markup {
  const rows = [...PROBLEM_CODES]
    .sort((a, b) => PROBLEMS[a].status - PROBLEMS[b].status)
    .map((code) => {
      const { status, title, retryable } = PROBLEMS[code];
      const link = html`<a href="${basePath}/docs/errors/${code}"><code>${code}</code></a>`;
      return [html`${status}`, link, html`${title}`, html`${retryable ? 'yes' : 'no'}`];
    });
  return html`<h1>Errors</h1>
    <p>
      Every error is <code>application/problem+json</code> (RFC 9457). Decide by <code>code</code>: it is
      stable, while titles and details may change.
    </p>
    ${renderTable([html`Status`, html`Code`, html`Title`, html`Retry`], rows, 'codes')}`;
}

/** The addresses of an installation, and the document whose calls a page names. */
export interface ErrorPageContext {
  document: OpenApiDocument;
  publicBaseUrl: string;
  /** The path of `publicBaseUrl`. */
  basePath: string;
}

/** Renders the page to which `type` of a problem document links. */
export function errorArticle(code: ProblemCode, context: ErrorPageContext): Markup {
  const { status, title, retryable, advice } = PROBLEMS[code];
  const example = withBaseUrl(problemExample(code), context.publicBaseUrl);
  return html`<h1><code>${code}</code></h1>
    <dl>
      <dt>Status</dt>
      <dd>${status}</dd>
      <dt>Title</dt>
      <dd>${title}</dd>
      <dt>Retry</dt>
      <dd>${retryable ? 'The same request may succeed later.' : 'Do not repeat the request as it is.'}</dd>
    </dl>
    <h2>What to do</h2>
    <p>${advice}</p>
    <h2>Calls that answer with it</h2>
    ${callList(code, context)}
    <h2>Example</h2>
    ${renderCode(JSON.stringify(example, null, 2), 'json')}`;
}

/** Renders a link to each call that may answer with the code. If no documented call has the code, every address may answer with it. */
function callList(code: ProblemCode, { document, basePath }: ErrorPageContext): Markup {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  const items = calls
    .filter(({ operation }) =>
      Object.values(operation.responses).some(
        ({ content }) => content?.['application/problem+json']?.examples?.[code],
      ),
    )
    .map(
      ({ path, method, operation: { operationId, summary } }) =>
        html`<li>
          <a href="${basePath}/docs#${operationId}">${summary}</a>
          <code>${method.toUpperCase()} ${path}</code>
        </li>`,
    );
  if (items.length === 0) return html`<p>Any request may get it.</p>`;
  return html`<ul>
    ${items}
  </ul>`;
}
