import { html, type Markup } from '../../../platform/html-template';

/** Lists the public addresses (CONTRACT section 3, row 12) by their name in the JSON answer of `/`. */
const LINKS = {
  guide: ['/docs/guide', 'Integration guide: from the first request to a booking'],
  reference: ['/docs', 'API reference'],
  errors: ['/docs/errors', 'Errors and what to do about each'],
  openapi: ['/openapi.json', 'OpenAPI 3.0 document'],
  openapi_3_1: ['/openapi.3.1.json', 'OpenAPI 3.1 document'],
  types: ['/openapi.d.ts', 'Types for TypeScript'],
  widget: ['/embed/widget.js', 'Script that puts the tour list into a page'],
  health: ['/healthz', 'Does the process live?'],
  readiness: ['/readyz', 'Can it do its work?'],
} as const;

/** @param basePath of PUBLIC_BASE_URL */
export function homeBody(basePath: string): Markup {
  const items = Object.values(LINKS).map(
    ([path, text]) => html`<li><a href="${basePath}${path}">${text}</a></li>`,
  );
  return html`<h1>Tour Platform</h1>
    <p>The API of a tour catalog and its bookings. Every call below needs no credential.</p>
    <ul>
      ${items}
    </ul>`;
}

/** The same links for a program. */
export function homeDocument(publicBaseUrl: string): { name: string; links: Record<string, string> } {
  const links = Object.entries(LINKS).map(([name, [path]]) => [name, publicBaseUrl + path]);
  return { name: 'Tour Platform', links: Object.fromEntries(links) as Record<string, string> };
}
