import { html } from '../../platform/html-template';
import { address, continentLinks, pager, searchForm } from './embed-controls';
import { dataElement, renderDocument } from './embed-document';
import { COMPASS } from './embed-icons';
import { SKELETON, tourList } from './embed-list';
import type { TourPage } from './tour-page';
import { failure, message, type Message } from './embed-message';

/** The list as a page for an iframe. Links and the form are plain ones, and relative; the script makes them quicker. */
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
        ${page.cards.length > 0 ? tourList(page.cards, words) : message(emptiness(page))} ${pager(page)}
      </main>
      <template id="skeleton" data-status="${words.loading}">${SKELETON}</template>
      <template id="offline">${failure(words, words.offline, address(page.kept))}</template>
      ${dataElement('data', page.structuredData)}`,
  });
}

/** What is said to whoever cannot see that the list is another one. */
function statusOf(page: TourPage): string {
  const { locale, words } = page.language;
  if (page.cards.length === 0) return emptiness(page).title;
  return words.shown.replace('{count}', new Intl.NumberFormat(locale).format(page.cards.length));
}

/** Why there is nothing, and the ways that lead to something. */
function emptiness({ language: { words }, continents, filter, kept }: TourPage): Message {
  const { q, continent } = filter;
  if (continents.length === 0) {
    return { icon: COMPASS, title: words.empty, advice: words.emptyHint, ways: [] };
  }
  const everywhere = { text: words.everywhere, href: address({ ...kept, ...(q && { q }) }) };
  const all = { text: words.showAll, href: address(kept) };
  const ways = q !== undefined && continent !== undefined ? [everywhere, all] : [all];
  return { icon: COMPASS, title: words.nothing, advice: words.nothingHint, ways };
}
