import { html, type Markup } from '../../../platform/html-template';
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
  health: ['/healthz', 'Check that the process runs'],
  readiness: ['/readyz', 'Check that the instance is ready'],
} as const;

type LinkName = keyof typeof LINKS;

/**
 * Renders the three cards of `/`: for the developer of a website, for the operator, and a request to paste.
 * @param basePath the path of PUBLIC_BASE_URL
 */
export function homeBody(publicBaseUrl: string, basePath: string): Markup {
  return html`<h1>Tour Platform</h1>
    <p>One catalog of tours. Many websites sell from it, and no seat is sold twice.</p>
    <div class="cards">
      <section>
        <h2>Build a website</h2>
        <p>Show tours, hold seats and book them.</p>
        ${linkList(['guide', 'reference', 'errors', 'types', 'openapi', 'openapi_3_1', 'widget'], basePath)}
      </section>
      <section>
        <h2>Operate the platform</h2>
        <p>The terminal has a command for each task. These two are the first.</p>
        ${renderCode('tourctl status\ntourctl help', 'sh')} ${linkList(['health', 'readiness'], basePath)}
      </section>
      <section>
        <h2>Try it</h2>
        <p>This request needs no key. The answer has the address of each document.</p>
        ${renderCode(`curl -sS -H 'Accept: application/json' '${publicBaseUrl}/'`, 'sh')}
        <p>With a key, continue with <a href="${basePath}/docs/guide#first-booking">the first booking</a>.</p>
      </section>
    </div>`;
}

/** Returns the links as an object, for programs. */
export function homeDocument(publicBaseUrl: string): { name: string; links: Record<string, string> } {
  const links = Object.entries(LINKS).map(([name, [path]]) => [name, publicBaseUrl + path]);
  return { name: 'Tour Platform', links: Object.fromEntries(links) as Record<string, string> };
}

/** Renders the page of an address that does not exist, with a search of the reference and the guide. */
export function missingPage(basePath: string): Markup {
  return html`<main id="content">
    <h1>This page does not exist</h1>
    <p>Check the address, search the reference and the guide, or follow a link.</p>
    <div
      class="find"
      data-pages="${basePath}/docs ${basePath}/docs/guide"
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
