import { html, type Markup } from '../../../platform/html-template';
import { widgetPreview } from '../../widget/embed-preview';
import { renderCode } from './page';

/** The public addresses and their texts, by their name in the JSON answer of `/`. */
const LINKS = {
  guide: ['/docs/guide', 'Integration guide: from the first request to a booking'],
  reference: ['/docs', 'API reference'],
  errors: ['/docs/errors', 'Errors and what to do about each'],
  openapi: ['/openapi.json', 'OpenAPI 3.0 document'],
  openapi_3_1: ['/openapi.3.1.json', 'OpenAPI 3.1 document'],
  types: ['/openapi.d.ts', 'Types for TypeScript'],
  widget: ['/embed/widget.js', 'Script that adds the tour list to a page'],
  element: ['/embed/booking.js', 'Script of the element that sells a tour in a page'],
  health: ['/healthz', 'Check that the process runs'],
  readiness: ['/readyz', 'Check that the instance is ready'],
} as const;

type LinkName = keyof typeof LINKS;

/** The next steps: the page of the guide, its name as a task, and what it is about. */
const WAYS = [
  [
    'sell-on-your-page',
    'Sell on your page',
    'From a tag to a confirmed booking, with two files of your own.',
  ],
  [
    'widget',
    'Show the list on a website',
    'A few lines of HTML, in a shop or a site builder. No server needed.',
  ],
  ['first-booking', 'Book from your own code', 'From an API key to a confirmed booking, with curl or Node.'],
  ['octo', 'Connect an OCTO reseller', 'The same tours and seats in the standard of the field.'],
] as const;

/**
 * Renders `/`: the next steps, the tag that sells, the list of the widget, and a request that needs no key with its answer.
 * @param basePath the path of PUBLIC_BASE_URL
 */
export function homeBody(publicBaseUrl: string, basePath: string): Markup {
  const ways = WAYS.map(
    ([page, task, about]) =>
      html`<li>
        <a href="${basePath}/docs/guide/${page}">${task}</a>
        <p>${about}</p>
      </li>`,
  );
  return html`<div class="home">
    <div class="intro">
      <h1>One catalog of tours, many websites</h1>
      <p class="lead">Show tours, hold seats and book them. No seat is sold twice.</p>
      <ul class="ways">
        ${ways}
      </ul>
      <p class="soft">You operate this platform? <code>tourctl help</code> lists the commands.</p>
    </div>
    <div>
      <section class="sells" aria-label="The tag that sells">
        <p class="caption">The tag that sells: calendar, party, held seats, contact, booking</p>
        ${renderCode(tagThatSells(publicBaseUrl), 'html')}
      </section>
      <section aria-label="The widget">
        <p class="caption">The widget on a website, with tours of the demo catalog</p>
        ${widgetPreview(basePath)}
      </section>
    </div>
    <section class="try" aria-label="A request">
      <div>
        <p class="caption">A request that needs no key</p>
        ${renderCode(`curl -sS -H 'Accept: application/json' \\\n  '${publicBaseUrl}/'`, 'sh')}
      </div>
      <div>
        <p class="caption">Its answer</p>
        ${renderCode(JSON.stringify(homeDocument(publicBaseUrl), null, 2), 'json')}
      </div>
    </section>
  </div>`;
}

/** Returns the lines of a page that sells, as the guide has them. */
function tagThatSells(publicBaseUrl: string): string {
  return [
    `<script type="module" src="${publicBaseUrl}/embed/booking.v1.js"></script>`,
    '<tour-booking tour="ha-long-bay-cruise" api="/tours" next="/pay"></tour-booking>',
  ].join('\n');
}

/** Returns the links as an object, for programs. */
export function homeDocument(publicBaseUrl: string): { name: string; links: Record<string, string> } {
  const links = Object.entries(LINKS).map(([name, [path]]) => [name, publicBaseUrl + path]);
  return { name: 'Tour Platform', links: Object.fromEntries(links) as Record<string, string> };
}

/** Renders the page of an address that does not exist. @param searched the pages of the reference and the guide that its search reads */
export function missingPage(basePath: string, searched: readonly string[]): Markup {
  return html`<main id="content">
    <h1>This page does not exist</h1>
    <p>Check the address, search the reference and the guide, or follow a link.</p>
    <div
      class="find"
      data-pages="${searched.map((page) => basePath + page).join(' ')}"
      data-label="Search the reference and the guide"
    ></div>
    ${linkList(['guide', 'reference', 'errors'], basePath)}
  </main>`;
}

function linkList(names: LinkName[], basePath: string): Markup {
  const items = names.map((name) => {
    const [path, text] = LINKS[name];
    return html`<li><a href="${basePath}${path}">${text}</a></li>`;
  });
  return html`<ul>
    ${items}
  </ul>`;
}
