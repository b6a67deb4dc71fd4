import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup, trusted } from '../html-template';

interface PageHeader {
  /** Address of the first page. */
  home: string;
  /** Says for what the pages are, beside the name of the product. */
  area: string;
  /** Names the list of the pages for screen readers. */
  label: string;
  /** Addresses and names. Without pages the header has no list. */
  pages: readonly (readonly [address: string, name: string])[];
  /** Address of the present page. */
  current?: string | undefined;
  /** Parts at the end of the header. */
  end?: Markup | undefined;
}

/** The style sheet of the header, with the colours of all pages. It comes before the style sheet of a page. */
export const PAGE_HEADER_STYLE = readFileSync(join(__dirname, 'page-header.css'), 'utf8');

/**
 * Renders the header of a page, after a link to the element `content`, which is visible when it has the focus.
 * @rule the header and the colours of all pages: test/docs/pages-in-browser.long.test.ts
 */
export function renderPageHeader({ home, area, label, pages, current, end }: PageHeader): Markup {
  const links = pages.map(
    ([address, name]) =>
      html`<a href="${address}" ${address === current && trusted('aria-current="page"')}>${name}</a> `,
  );
  return html`<a class="skip" href="#content">To the content</a>
    <header class="site">
      <a class="brand" href="${home}"><strong>Tour Platform</strong> ${area}</a>
      ${links.length > 0 && html`<nav aria-label="${label}">${links}</nav>`} ${end}
    </header>`;
}
