import { isHttpsAddress, isOwnPath } from '../../platform/forms/text-forms';
import type { PricedCatalogTour } from '../catalog/list-catalog';
import { fullRefundTier } from '../catalog/cancellation-policy';
import { partsOf } from '../catalog/cutoff';
import type { DateTimes, ListedTour } from '../catalog/tour';
import { baseLanguages } from '../catalog/tour-text';
import { toMajor } from '../pricing/currency';
import { tourLink } from '../tenants/link-template';
import type { Tenant } from '../tenants/tenant';
import { directionOf, formatsOf, type Language, type Locale } from './languages';
import { html, type Markup } from '../../platform/html-template';
import type { Words } from './words/en';

/** One tour of the page, in the visitor's formats. */
export interface Card {
  slug: string;
  name: CardText;
  summary: CardText | null;
  place: string;
  days: string;
  departure: NextDeparture | null;
  /** Null: a cancellation of the next departure does not refund in full, or not any more. */
  freeCancellation: string | null;
  /** Null: the price is 0, which is no price to advertise. */
  price: string | null;
  /** Relative to the page for a picture that we serve, otherwise an https address. Null: no picture, or an invalid address. */
  picture: string | null;
  url: string | null;
}

/** A text of the catalog. */
interface CardText {
  text: string;
  /** The language tag. Undefined: the language of the text is the language of the page. Empty: it is unknown. */
  lang: string | undefined;
  dir: 'ltr' | 'rtl' | 'auto';
}

interface NextDeparture {
  /** YYYY-MM-DD */
  date: string;
  text: string;
  /** The start times, if the date has several departures. Otherwise empty. */
  times: string[];
}

/** @param known the times of the tour's next date, if it has several departures */
export function tourCard(
  { tour, priceFromMinor, shown, ...money }: PricedCatalogTour,
  known: DateTimes | undefined,
  tenant: Tenant,
  language: Language,
): Card {
  const { locale } = language;
  const formats = formatsOf(locale);
  return {
    slug: tour.slug,
    name: cardText(tour.name, shown?.name, locale),
    summary: tour.summary === null ? null : cardText(shortened(tour.summary), shown?.summary, locale),
    place: formats.region(tour.country),
    days: formats.duration(tour.durationDays, 'day'),
    departure: nextDeparture(tour.nextDepartureDate, known, locale),
    freeCancellation: freeCancellation(tour, language),
    price: priceFromMinor > 0 ? formats.price(priceFromMinor, money) : null,
    picture: pictureOf(tour.imageUrl),
    url: tourLink(tenant, tour.slug),
  };
}

/**
 * Returns a text with its language, if this is not the language of the page.
 * @param language undefined: the visitor prefers no language, so the language of the text may be any
 */
function cardText(text: string, language: string | undefined, locale: Locale): CardText {
  if (language === undefined) return { text, lang: '', dir: 'auto' };
  const isOfPage = baseLanguages(locale).includes(language.toLowerCase());
  return { text, lang: isOfPage ? undefined : language, dir: directionOf(language) };
}

/** Maximum number of times on a card. An ellipsis stands for further times. */
const TIMES_SHOWN = 4;

function nextDeparture(
  date: string | null,
  known: DateTimes | undefined,
  locale: Locale,
): NextDeparture | null {
  if (date === null) return null;
  const formats = formatsOf(locale);
  const times = known?.date === date ? known.times : [];
  const shown = times.slice(0, TIMES_SHOWN).map((time) => formats.time(time));
  return { date, text: formats.date(date), times: times.length > TIMES_SHOWN ? [...shown, '…'] : shown };
}

function freeCancellation(
  { cancellation, fullRefundUntil }: ListedTour,
  { locale, words }: Language,
): string | null {
  const tier = cancellation && fullRefundUntil && fullRefundTier(cancellation);
  if (!tier) return null;
  const { amount, unit } = partsOf(tier.until);
  if (amount === 0) return words.freeUntilStart;
  return words.freeUntil.replace('{time}', formatsOf(locale).duration(amount, unit));
}

/** Maximum length of a summary on a card, which shows two lines of it. The catalog allows 2,000 characters. */
const SUMMARY_CHARACTERS = 160;

function shortened(summary: string): string {
  const characters = [...summary];
  if (characters.length <= SUMMARY_CHARACTERS) return summary;
  return `${characters.slice(0, SUMMARY_CHARACTERS).join('').trimEnd()}…`;
}

/** Returns the address of a picture: relative to the page if we serve it, otherwise https. Null: no picture, or an invalid address. */
function pictureOf(url: string | null): string | null {
  if (url === null) return null;
  if (isOwnPath(url)) return `..${url}`;
  return isHttpsAddress(url) ? url : null;
}

/** Number of cards whose pictures the browser loads at once: they are in the first row of a wide page. */
const FIRST_ROW = 3;

export function tourList(cards: Card[], words: Words): Markup {
  return html`<ul class="tours">
    ${cards.map((card, index) => tourItem(card, words, index < FIRST_ROW ? 'eager' : 'lazy'))}
  </ul>`;
}

/** Returns the attributes of an element with a text of the catalog. The language of the page needs none. */
function languageOf({ lang, dir }: CardText): Markup | null {
  return lang === undefined ? null : html`dir="${dir}" lang="${lang}"`;
}

function tourItem(card: Card, words: Words, loading: 'eager' | 'lazy'): Markup {
  return html`<li class="tour" data-slug="${card.slug}">
    <div class="picture">
      ${card.picture !== null && html`<img src="${card.picture}" alt="" loading="${loading}" />`}
    </div>
    <div class="text">
      <p class="place"><bdi>${card.place}</bdi> · ${card.days}</p>
      <h2 ${languageOf(card.name)}>
        ${card.url ? html`<a href="${card.url}" target="_top" rel="noopener">${card.name.text}</a>` : card.name.text}
      </h2>
      ${card.summary && html`<p class="summary" ${languageOf(card.summary)}>${card.summary.text}</p>`}
      ${card.freeCancellation !== null && html`<p class="free">${card.freeCancellation}</p>`}
      <div class="facts">
        <p class="when">${card.departure ? departure(card.departure, words) : words.noDates}</p>
        ${
          card.price !== null &&
          html`<p class="price">
            ${words.from} <strong><bdi>${card.price}</bdi></strong>
          </p>`
        }
      </div>
    </div>
  </li>`;
}

function departure({ date, text, times }: NextDeparture, words: Words): Markup {
  return html`${words.nextDeparture} <time datetime="${date}">${text}</time>${
      times.length > 0 && html`<span class="times">${times.map((time) => html`<bdi>${time}</bdi> `)}</span>`
    }`;
}

/** An empty card, which the script copies while a list loads. */
export const SKELETON = html`<ul class="tours" aria-hidden="true">
  <li class="tour">
    <div class="picture"></div>
    <div class="text">
      <span class="bone short"></span><span class="bone wide"></span><span class="bone"></span>
      <div class="facts"><span class="bone short"></span></div>
    </div>
  </li>
</ul>`;

/**
 * Returns the list as JSON-LD of schema.org: an ItemList of TouristTrip, each with an Offer at the tenant's lowest price of the first category. It
 * has few fields, because it repeats the cards. The list has the language of its first tour, and each tour in another language has its own.
 * @param baseUrl the address of this installation, for pictures that we serve
 */
export function structuredData(
  items: PricedCatalogTour[],
  tenant: Tenant,
  { locale, baseUrl }: { locale: Locale; baseUrl: string },
): object {
  const inLanguage = items[0]?.shown?.name;
  return {
    '@context': 'https://schema.org',
    '@type': 'ItemList',
    inLanguage,
    itemListElement: items.map((item, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      item: trip(item, tenant, { locale, baseUrl, listLanguage: inLanguage }),
    })),
  };
}

function trip(
  { tour, priceFromMinor, currency, currencyDigits, shown }: PricedCatalogTour,
  tenant: Tenant,
  { locale, baseUrl, listLanguage }: { locale: Locale; baseUrl: string; listLanguage: string | undefined },
): object {
  const picture = pictureOf(tour.imageUrl) ?? undefined;
  return {
    '@type': 'TouristTrip',
    name: tour.name,
    inLanguage: shown?.name === listLanguage ? undefined : shown?.name,
    url: tourLink(tenant, tour.slug) ?? undefined,
    image: picture?.replace(/^\.\./, baseUrl),
    itinerary: { '@type': 'Country', name: formatsOf(locale).region(tour.country) },
    offers: priceFromMinor > 0 ? offer(toMajor(priceFromMinor, currencyDigits), currency) : undefined,
  };
}

function offer(price: number, priceCurrency: string): object {
  return { '@type': 'Offer', price, priceCurrency };
}
