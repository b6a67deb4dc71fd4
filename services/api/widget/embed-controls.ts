import { html, type Markup } from '../../platform/html-template';
import { MAGNIFIER } from './embed-icons';
import { continentName } from './place-name';
import type { TourPage } from './tour-page';

/** `required`, because the list refuses an empty q; the first pill is the way back. */
export function searchForm({ language: { words }, filter, kept }: TourPage): Markup {
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

export function continentLinks({ language: { locale, words }, continents, filter, kept }: TourPage): Markup {
  const link = (text: string, continent: string | undefined, query: Record<string, string>) => {
    const current = filter.continent === continent && (continent !== undefined || filter.q === undefined);
    return html`<li><a href="${address(query)}" ${current && html`aria-current="true"`}>${text}</a></li>`;
  };
  const search: Record<string, string> = filter.q === undefined ? {} : { q: filter.q };
  return html`<nav aria-label="${words.continents}">
    <ul class="pills" id="pills">
      ${link(words.all, undefined, kept)}
      ${continents.map((slug) => link(continentName(slug, locale), slug, { ...kept, ...search, continent: slug }))}
    </ul>
  </nav>`;
}

export function pager(page: TourPage): Markup | null {
  const { filter, kept, isFirst, nextCursor } = page;
  const { words } = page.language;
  if (isFirst && nextCursor === null) return null;
  const here = { ...kept, ...definedOf(filter) };
  const next = nextCursor && address({ ...here, cursor: nextCursor });
  return html`<nav class="pager" aria-label="${words.tours}">
    ${!isFirst && html`<a class="button" href="${address(here)}">${words.firstPage}</a>`}
    ${next && html`<a class="button first" rel="next" href="${next}">${words.nextPage}</a>`}
  </nav>`;
}

export function address(query: Record<string, string>): string {
  return `tours?${new URLSearchParams(query).toString()}`;
}

function definedOf(filter: TourPage['filter']): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
