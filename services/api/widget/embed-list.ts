import { html, type Markup } from '../../platform/html-template';
import type { Card } from './embed-card';
import type { Words } from './words/words';

export function tourList(cards: Card[], words: Words): Markup {
  return html`<ul class="tours">
    ${cards.map((card) => tourItem(card, words))}
  </ul>`;
}

// lang="": nothing says in which language the catalog is written, and it need not be the page's.
function tourItem(card: Card, words: Words): Markup {
  return html`<li class="tour" data-slug="${card.slug}">
    <div class="picture">
      ${card.picture !== null && html`<img src="${card.picture}" alt="" loading="lazy" />`}
    </div>
    <div class="text">
      <p class="place"><bdi>${card.place}</bdi> · ${card.days}</p>
      <h2 dir="auto" lang="">
        ${card.url ? html`<a href="${card.url}" target="_top" rel="noopener">${card.name}</a>` : card.name}
      </h2>
      ${card.summary && html`<p class="summary" dir="auto" lang="">${card.summary}</p>`}
      <div class="facts">
        <p class="when">${card.departure ? departure(card.departure, words) : words.noDates}</p>
        <p class="price">
          ${words.from} <strong><bdi>${card.price}</bdi></strong>
        </p>
      </div>
    </div>
  </li>`;
}

function departure({ date, text }: { date: string; text: string }, words: Words): Markup {
  return html`${words.nextDeparture} <time datetime="${date}">${text}</time>`;
}

/** A card without anything on it; the script makes as many of it as it needs. */
export const SKELETON = html`<ul class="tours" aria-hidden="true">
  <li class="tour">
    <div class="picture"></div>
    <div class="text">
      <span class="bone short"></span><span class="bone wide"></span><span class="bone"></span>
      <div class="facts"><span class="bone short"></span></div>
    </div>
  </li>
</ul>`;
