import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { highlight } from './highlight';

interface DocsPage {
  title: string;
  /** The path of the page below the base path, as in PAGES. */
  path: string;
  columns: Markup;
}

const PAGES = [
  ['/docs', 'Reference'],
  ['/docs/guide', 'Guide'],
  ['/docs/errors', 'Errors'],
  ['/openapi.json', 'OpenAPI 3.0'],
  ['/openapi.3.1.json', '3.1'],
  ['/openapi.d.ts', 'TypeScript'],
] as const;

// The style and the script are inline, so that a page needs only one request.
const PAGE_STYLE = readAssets('docs.css', 'samples.css');
const STYLE_ELEMENT = trusted(`<style>${PAGE_STYLE}</style>`);
const PAGE_SCRIPT = readAssets('docs.js', 'search.js');
const SCRIPT_ELEMENT = trusted(`<script>${PAGE_SCRIPT}</script>`);

/**
 * Returns the Content-Security-Policy. Allows the icon. Allows the style sheet and the script by their hashes.
 * @param connect the source from which the script may read; undefined: the script may not read from any source
 */
export function docsPolicy(connect?: "'self'"): string {
  return [
    "default-src 'none'",
    "img-src 'self'",
    `style-src '${hashOf(PAGE_STYLE)}'`,
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    ...(connect ? [`connect-src ${connect}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function readAssets(...files: string[]): string {
  return files.map((file) => readFileSync(join(__dirname, '../assets', file), 'utf8')).join('');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** @param basePath the path of PUBLIC_BASE_URL. Links begin with it instead of a host, so they stay on the host of the request */
export function renderDocsPage({ title, path, columns }: DocsPage, basePath: string): string {
  const links = PAGES.map(([target, name]) => {
    const current = target === path && trusted(' aria-current="page"');
    return html`<a href="${basePath}${target}" ${current}>${name}</a> `;
  });
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Tour Platform</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <a class="skip" href="#content">To the content</a>
        <header>
          <a class="home" href="${basePath}/">Tour Platform</a>
          <nav aria-label="Documents">${links}</nav>
        </header>
        <div class="columns">${columns}</div>
        ${SCRIPT_ELEMENT}
      </body>
    </html>`;
  return toHtml(page);
}

/** Renders the body and, beside it, links to the headings of the body. On a phone the links are folded. */
export function renderColumns(body: Markup, contents?: Markup): Markup {
  const folded =
    contents &&
    html`<nav class="contents" aria-label="On this page">
      <details>
        <summary>On this page</summary>
        ${contents}
      </details>
    </nav>`;
  return html`${folded}
    <main id="content">${body}</main>`;
}

/**
 * Renders code in a box that takes the focus, so that it can be scrolled by keyboard. The script of the page adds a button that copies it.
 * @param language one of highlight.ts
 */
export function renderCode(text: string, language?: string): Markup {
  return html`<div class="code">
    <pre tabindex="0"><code>${highlight(text, language)}</code></pre>
  </div>`;
}

/**
 * Renders a part that is closed at first. In a browser with scripts, the content is only text until the reader opens the part. The page's
 * script then turns the text into elements. The page thus has few elements, because most of the reference is in such parts. Without
 * scripts, the content consists of elements from the beginning.
 */
export function renderFolded(summary: string, content: Markup): Markup {
  return html`<details>
    <summary>${summary}</summary>
    <noscript>${content}</noscript>
  </details>`;
}

/** Renders a table in a box that scrolls sideways if the table is too wide. The box takes the focus, so that keys can scroll it. */
export function renderTable(head: Markup[], rows: Markup[][]): Markup {
  const columns = head.map((cell) => html`<th scope="col">${cell}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${cell}</td>`)}
      </tr> `,
  );
  return html`<div class="table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`;
}
