import { html, type Markup } from '../../platform/html-template';
import { COMPASS, dataElement, type DocumentSettings, MAGNIFIER, renderDocument } from './embed-document';
import { type Card, SKELETON, tourList } from './embed-cards';
import { continentName, formatsOf } from './languages';
import { failure, message, type Message } from './embed-message';

/** Renders the list as a page for an iframe. Links and the form work without the script, which only makes them faster. */
export function renderEmbedPage(page: TourPage): string {
  const { words } = page.language;
  return renderDocument(page, {
    title: `${words.tours} · ${page.tenantName}`,
    logoName: page.tenantName,
    head: html`<h1 class="hidden">${words.tours}</h1>
      ${page.continents.length > 0 && searchForm(page)}`,
    body: html`${page.continents.length > 0 && continentLinks(page)}
      <p class="hidden" id="status" role="status"></p>
      <main id="results" tabindex="-1" data-status="${statusOf(page)}">
        ${page.cards.length > 0 ? tourList(page.cards, words) : message(emptyMessage(page))} ${pager(page)}
      </main>
      <template id="skeleton" data-status="${words.loading}">${SKELETON}</template>
      <template id="offline">${failure(words, words.offline, listAddress(page.kept))}</template>
      ${dataElement('data', page.structuredData)}`,
  });
}

/** Returns the status text for screen readers. */
function statusOf(page: TourPage): string {
  const { locale, words } = page.language;
  if (page.cards.length === 0) return emptyMessage(page).title;
  return words.shown.replace('{count}', formatsOf(locale).count(page.cards.length));
}

/** Returns the message for an empty list, with links to other lists. */
function emptyMessage({ language: { words }, continents, filter, kept }: TourPage): Message {
  const { q, continent } = filter;
  if (continents.length === 0) {
    return { icon: COMPASS, title: words.empty, advice: words.emptyHint, ways: [] };
  }
  const everywhere = { text: words.everywhere, href: listAddress({ ...kept, ...(q && { q }) }) };
  const all = { text: words.showAll, href: listAddress(kept) };
  const ways = q !== undefined && continent !== undefined ? [everywhere, all] : [all];
  return { icon: COMPASS, title: words.nothing, advice: words.nothingHint, ways };
}

/** Renders the search form. The field is `required`, because the list refuses an empty q. The link to all continents removes q. */
function searchForm({ language: { words }, filter, kept }: TourPage): Markup {
  const hidden = { ...kept, ...(filter.continent && { continent: filter.continent }) };
  return html`<form class="search" role="search" action="tours" method="get">
    <span id="kept" hidden>
      ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    </span>
    <input
      type="search"
      name="q"
      value="${filter.q}"
      maxlength="100"
      required
      autocomplete="off"
      enterkeyhint="search"
      placeholder="${words.search}"
      aria-label="${words.search}"
    />
    <button aria-label="${words.search}">${MAGNIFIER}</button>
  </form>`;
}

function continentLinks({ language: { locale, words }, continents, filter, kept }: TourPage): Markup {
  const link = (text: string, continent: string | undefined, query: Record<string, string>) => {
    const current = filter.continent === continent && (continent !== undefined || filter.q === undefined);
    return html`<li><a href="${listAddress(query)}" ${current && html`aria-current="true"`}>${text}</a></li>`;
  };
  const search: Record<string, string> = filter.q === undefined ? {} : { q: filter.q };
  return html`<nav aria-label="${words.continents}">
    <ul class="pills" id="pills">
      ${link(words.all, undefined, kept)}
      ${continents.map((slug) => link(continentName(slug, locale), slug, { ...kept, ...search, continent: slug }))}
    </ul>
  </nav>`;
}

function pager(page: TourPage): Markup | null {
  const { filter, kept, isFirst, nextCursor } = page;
  const { words } = page.language;
  if (isFirst && nextCursor === null) return null;
  const here = { ...kept, ...definedOf(filter) };
  const next = nextCursor && listAddress({ ...here, cursor: nextCursor });
  return html`<nav class="pager" aria-label="${words.tours}">
    ${!isFirst && html`<a class="button" href="${listAddress(here)}">${words.firstPage}</a>`}
    ${next && html`<a class="button first" rel="next" href="${next}">${words.nextPage}</a>`}
  </nav>`;
}

function listAddress(query: Record<string, string>): string {
  return `tours?${new URLSearchParams(query).toString()}`;
}

function definedOf(filter: TourPage['filter']): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The content of one page of the list. */
interface TourPage extends DocumentSettings {
  tenantName: string;
  cards: Card[];
  /** JSON-LD of the same tours. */
  structuredData: object;
  /** Slugs. */
  continents: string[];
  filter: { continent?: string; q?: string };
  /** The parameters of every link: the pass and the settings of the embedding page, never the token. */
  kept: Record<string, string>;
  isFirst: boolean;
  nextCursor: string | null;
}
