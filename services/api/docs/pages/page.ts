import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactSource, html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { PAGE_HEADER_STYLE, renderPageHeader } from '../../../platform/page-header/page-header';
import { highlight } from './highlight';

interface DocsPage {
  title: string;
  /** The path of the page below the base path, as in PAGES. */
  path: string;
  columns: Markup;
}

const PAGES = [
  ['/docs/guide', 'Guide'],
  ['/docs', 'Reference'],
  ['/docs/errors', 'Errors'],
] as const;

const DOWNLOADS = [
  ['/openapi.json', 'OpenAPI 3.0'],
  ['/openapi.3.1.json', 'OpenAPI 3.1'],
  ['/openapi.d.ts', 'Types for TypeScript'],
] as const;

// The style and the script are inline, so that a page needs only one request.
const PAGE_STYLE = compactSource(PAGE_HEADER_STYLE + readAssets('docs.css', 'samples.css'));
const STYLE_ELEMENT = trusted(`<style>${PAGE_STYLE}</style>`);
const PAGE_SCRIPT = compactSource(readAssets('docs.js', 'search.js'));
const SCRIPT_ELEMENT = trusted(`<script>${PAGE_SCRIPT}</script>`);

/** Lists the sources that a page needs in addition to its own style sheet, its script and pictures of this host. */
interface PageNeeds {
  /** The source from which the script may read. Undefined: it may not read from any source. */
  connect?: "'self'";
  /** The text of a further style element. */
  style?: string;
}

/** Returns the Content-Security-Policy. Allows pictures of this host. Allows the style sheets and the script by their hashes. */
export function docsPolicy({ connect, style }: PageNeeds = {}): string {
  const styles = [PAGE_STYLE, ...(style ? [style] : [])].map((text) => `'${hashOf(text)}'`);
  return [
    "default-src 'none'",
    "img-src 'self'",
    `style-src ${styles.join(' ')}`,
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
  const header = renderPageHeader({
    home: `${basePath}/`,
    area: 'Developers',
    label: 'Documents',
    pages: PAGES.map(([target, name]) => [basePath + target, name]),
    current: path && basePath + path,
    end: downloadMenu(basePath),
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
        ${header}
        <div class="columns">${columns}</div>
        ${SCRIPT_ELEMENT}
      </body>
    </html>`;
  return toHtml(page);
}

/** Renders a menu that opens without a script. docs.js closes it. */
function downloadMenu(basePath: string): Markup {
  const items = DOWNLOADS.map(([target, name]) => html`<li><a href="${basePath}${target}">${name}</a></li>`);
  return html`<details class="menu">
    <summary>Downloads</summary>
    <ul>
      ${items}
    </ul>
  </details>`;
}

/**
 * Renders the body and, beside it, links to the headings of the body. On a phone the links are folded.
 * @param searched the addresses of the pages that the search reads, separated by spaces. Undefined: this page alone
 */
export function renderColumns(body: Markup, contents?: Markup, searched?: string): Markup {
  const label = searched ? 'Pages of the guide' : 'On this page';
  const folded =
    contents &&
    html`<nav
      class="contents"
      aria-label="${label}"
      ${searched && html`data-pages="${searched}" data-label="Search the guide"`}
    >
      <details>
        <summary>${label}</summary>
        ${contents}
      </details>
    </nav>`;
  return html`${folded}
    <main id="content">${body}</main>`;
}

/**
 * Renders code in a box that takes the focus, so that it can be scrolled by keyboard. docs.js adds a button beside it that copies it.
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

/**
 * Renders a table in a box that scrolls sideways if the table is too wide. The box takes the focus, so that keys can scroll it.
 * @param kind `codes`: on a phone, each row takes two lines
 */
export function renderTable(head: Markup[], rows: Markup[][], kind?: 'codes'): Markup {
  const columns = head.map((cell) => html`<th scope="col">${cell}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${cell}</td>`)}
      </tr> `,
  );
  return html`<div class="table" tabindex="0">
    <table ${kind && html`class="${kind}"`}>
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
