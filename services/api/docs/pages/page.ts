import { createHash } from 'node:crypto';
import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { PAGE_STYLE } from './page-style';

export interface Page {
  title: string;
  /** Path of the page itself below the base path, as it stands in the list of pages. */
  path: string;
  /** What the page holds, beside it: links to its own headings. */
  contents?: Markup;
  body: Markup;
}

const PAGES = [
  ['/docs', 'Reference'],
  ['/docs/guide', 'Guide'],
  ['/docs/errors', 'Errors'],
  ['/openapi.json', 'OpenAPI 3.0'],
  ['/openapi.3.1.json', '3.1'],
  ['/openapi.d.ts', 'TypeScript'],
] as const;

const STYLE_ELEMENT = trusted(`<style>${PAGE_STYLE}</style>`);

/** Nothing is loaded and nothing runs: text, and the one style sheet by its hash. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param basePath of PUBLIC_BASE_URL: links stay on the host by which the reader came */
export function renderPage({ title, path, contents, body }: Page, basePath: string): string {
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
          <strong>Tour Platform</strong>
          <nav aria-label="Documents">${links}</nav>
        </header>
        <div class="columns">
          ${contents && html`<nav class="contents" aria-label="On this page">${contents}</nav>`}
          <main id="content">${body}</main>
        </div>
      </body>
    </html>`;
  return toHtml(page);
}
