import { html, type Markup, trusted } from '../../platform/html-template';
import { type Card, tourList } from './embed-cards';
import { EMBED_STYLE } from './embed-style';
import { chooseLanguage } from './languages';

/** Tours of the demo catalog, whose pictures every installation has. */
const TOURS = [
  {
    slug: 'ha-long-bay-cruise',
    name: 'Vịnh Hạ Long: Three Days on a Junk',
    summary: 'Two nights on a small wooden junk among the limestone islands of Hạ Long and Bái Tử Long.',
    place: 'Vietnam',
    days: '3 days',
    date: '2027-03-06',
    dateText: 'Sat, 6 Mar 2027',
    freeCancellation: 'Free cancellation until 30 days before',
    price: '€489.50',
  },
  {
    slug: 'kyoto-temples-and-gardens',
    name: '京都 Kyōto: Temples, Gardens and the Northern Hills',
    summary: 'Five days on foot and by local train through the gardens of Kyōto, early where it is famous.',
    place: 'Japan',
    days: '5 days',
    date: '2027-04-12',
    dateText: 'Mon, 12 Apr 2027',
    freeCancellation: null,
    price: '€1,240.00',
  },
];

/**
 * The style sheet of the embed page, for a shadow root: the rules for the page apply to the element that contains the list. Leaves out the
 * drawing behind missing pictures, which the policy of the pages for developers forbids.
 */
export const PREVIEW_STYLE = `${EMBED_STYLE.replaceAll(':root', ':host').replace(/url\('data:[^']*'\)/g, 'none')}
:host { display: block; color: var(--ink); font: 16px/1.5 var(--font); }
@media (max-width: 40rem) { .tour + .tour { display: none; } }`;

const STYLE_ELEMENT = trusted(`<style>${PREVIEW_STYLE}</style>`);

/**
 * Renders the list of the widget with two tours of the demo catalog. A shadow root separates its style sheet from that of the page.
 * @param basePath the path of PUBLIC_BASE_URL
 */
export function widgetPreview(basePath: string): Markup {
  const cards = TOURS.map((tour) => toCard(tour, basePath));
  return html`<div class="preview">
    <template shadowrootmode="open"
      >${STYLE_ELEMENT}${tourList(cards, chooseLanguage(['en']).words)}</template
    >
    <p>This browser is too old to show the list here.</p>
  </div>`;
}

function toCard({ name, summary, date, dateText, ...tour }: (typeof TOURS)[number], basePath: string): Card {
  const inEnglish = (text: string) => ({ text, lang: undefined, dir: 'ltr' as const });
  return {
    ...tour,
    name: inEnglish(name),
    summary: inEnglish(summary),
    departure: { date, text: dateText, times: [] },
    picture: `${basePath}/covers/${tour.slug}.svg`,
    url: null,
  };
}
