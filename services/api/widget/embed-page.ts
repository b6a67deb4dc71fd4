import type { Card } from './embed-card';
import { EMBED_SCRIPT } from './embed-script';
import { brandStyle, EMBED_STYLE } from './embed-style';
import type { Language, Words } from './embed-words';
import { html, type Markup, toHtml, trusted } from '../../platform/html-template';
import { continentName } from './place-name';

export interface EmbedPage {
  language: Language;
  tenantName: string;
  brandColor: string | null;
  /** The pages that are told how high this one is. */
  origins: string[];
  cards: Card[];
  /** Slugs. */
  continents: string[];
  filter: { continent?: string; q?: string };
  /** What every link repeats: the pass, and the settings of the embedding page. Never the token. */
  kept: Record<string, string>;
  isFirst: boolean;
  nextCursor: string | null;
}

// No blank more and none less than in the texts whose hashes stand in the policy.
const SCRIPT_ELEMENT = trusted(`<script>${EMBED_SCRIPT}</script>`);
const styleElement = (style: string) => trusted(`<style>${style}</style>`);

/** The list as a page for an iframe. Links and the form are plain ones, and relative. */
export function renderEmbedPage(page: EmbedPage): string {
  const { words } = page.language;
  const body = html` <h1 class="hidden">${words.tours}</h1>
    <div class="bar">${searchForm(page)} ${continentLinks(page)}</div>
    <main>${page.cards.length > 0 ? tourList(page) : nothing(page)} ${pager(page)}</main>
    ${SCRIPT_ELEMENT}`;
  const title = `${words.tours} · ${page.tenantName}`;
  return renderDocument(page.language, { title, brandColor: page.brandColor, origins: page.origins, body });
}

/** What a visitor sees instead of a problem document. */
export function renderEmbedProblem({ locale, words }: Language, status: number, requestId: string): string {
  const advice = status in words.advice ? words.advice[status as keyof Words['advice']] : words.advice[500];
  const body = html` <main class="message">
    <h2>${words.failed}</h2>
    <p>${advice}</p>
    <small>${requestId}</small>
  </main>`;
  return renderDocument({ locale, words }, { title: words.failed, brandColor: null, origins: [], body });
}

interface Frame {
  title: string;
  brandColor: string | null;
  origins: string[];
  body: Markup;
}

function renderDocument({ locale }: Language, { title, brandColor, origins, body }: Frame): string {
  const brand = brandStyle(brandColor);
  return toHtml(
    html`<!doctype html>
      <html lang="${locale}" dir="ltr" data-origins="${origins.join(' ')}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          ${styleElement(EMBED_STYLE)} ${brand && styleElement(brand)}
        </head>
        <body>
          ${body}
        </body>
      </html> `,
  );
}

/** `required`, because the list refuses an empty q; the first pill is the way back. */
function searchForm({ language: { words }, filter, kept }: EmbedPage): Markup {
  const hidden = { ...kept, ...(filter.continent && { continent: filter.continent }) };
  return html`<form class="search" role="search" action="tours" method="get">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <input
      type="search"
      name="q"
      value="${filter.q}"
      maxlength="100"
      required
      placeholder="${words.search}"
      aria-label="${words.search}"
    />
    <button aria-label="${words.search}">${MAGNIFIER}</button>
  </form>`;
}

const MAGNIFIER = html`<svg
  width="20"
  height="20"
  viewBox="0 0 20 20"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  aria-hidden="true"
>
  <circle cx="8.5" cy="8.5" r="5.5" />
  <path d="m13 13 4.5 4.5" />
</svg>`;

function continentLinks({ language: { locale, words }, continents, filter, kept }: EmbedPage): Markup {
  const link = (text: string, continent: string | undefined, query: Record<string, string>) => {
    const current = filter.continent === continent && (continent !== undefined || filter.q === undefined);
    return html`<li><a href="${address(query)}" ${current && html`aria-current="true"`}>${text}</a></li>`;
  };
  const search: Record<string, string> = filter.q === undefined ? {} : { q: filter.q };
  return html`<nav aria-label="${words.continents}">
    <ul class="pills">
      ${link(words.all, undefined, kept)}
      ${continents.map((slug) => link(continentName(slug, locale), slug, { ...kept, ...search, continent: slug }))}
    </ul>
  </nav>`;
}

function tourList({ language: { words }, cards }: EmbedPage): Markup {
  return html`<ul class="tours">
    ${cards.map((card) => tourItem(card, words))}
  </ul>`;
}

function tourItem(card: Card, words: Words): Markup {
  const name = html`<bdi>${card.name}</bdi>`;
  return html` <li class="tour">
    ${picture(card)}
    <div class="text">
      <p class="place"><bdi>${card.place}</bdi> · ${card.days}</p>
      <h2>${card.url ? html`<a href="${card.url}" target="_top" rel="noopener">${name}</a>` : name}</h2>
      ${card.summary && html`<p class="summary" dir="auto">${card.summary}</p>`}
      <div class="facts">
        <p class="when">${card.departure && departure(card.departure, words)}</p>
        <p class="price">${words.from} <strong>${card.price}</strong></p>
      </div>
    </div>
  </li>`;
}

function departure({ date, text }: { date: string; text: string }, words: Words): Markup {
  return html`${words.nextDeparture}<br /><time datetime="${date}">${text}</time>`;
}

function picture({ picture: source }: Card): Markup {
  if (source === null) return html`<span class="picture"></span>`;
  return html`<img class="picture" src="${source}" alt="" width="600" height="400" loading="lazy" />`;
}

function nothing({ language: { words } }: EmbedPage): Markup {
  return html`<div class="message">
    <h2>${words.nothing}</h2>
    <p>${words.nothingHint}</p>
  </div>`;
}

function pager({ language: { words }, filter, kept, isFirst, nextCursor }: EmbedPage): Markup | null {
  if (isFirst && nextCursor === null) return null;
  const here = { ...kept, ...definedOf(filter) };
  const next = nextCursor && address({ ...here, cursor: nextCursor });
  return html`<nav class="pager" aria-label="${words.tours}">
    ${!isFirst && html`<a href="${address(here)}">${words.firstPage}</a>`}
    ${next && html`<a class="next" rel="next" href="${next}">${words.nextPage}</a>`}
  </nav>`;
}

function definedOf(filter: EmbedPage['filter']): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function address(query: Record<string, string>): string {
  return `tours?${new URLSearchParams(query).toString()}`;
}
