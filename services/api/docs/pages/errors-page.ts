import { PROBLEM_CODES, type ProblemCode, PROBLEMS } from '../../http/problems';
import { html, type Markup } from '../../../platform/html-template';
import { renderCode, renderTable } from './page';
import { problemExample } from '../problem-examples';
import { withBaseUrl } from './served-document';

/** Every code in one table, by status. */
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
    ${renderTable([html`Status`, html`Code`, html`Title`, html`Retry`], rows)}`;
}

/** Renders the page that `type` of a problem document links to. */
export function errorArticle(code: ProblemCode, publicBaseUrl: string): Markup {
  const { status, title, retryable, advice } = PROBLEMS[code];
  const example = withBaseUrl(problemExample(code), publicBaseUrl);
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
    <h2>Example</h2>
    ${renderCode(JSON.stringify(example, null, 2))}`;
}
