import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { linkTo } from './formats';
import type { Range } from '../queries/read-query';

export interface Frame {
  title: string;
  /** Marks this page in the navigation. */
  at?: '/' | '/endpoints' | '/deliveries' | '/replay';
  /** Undefined before the sign-in. */
  viewer?: Viewer;
  notice?: Notice;
  /** Updates the open page: by fragments for a range, or by reloading it at this interval. Undefined: the page never changes. */
  live?: { fragments: Range } | { refreshSeconds: number };
  body: Markup;
}

const PAGES = [
  ['/', 'Overview'],
  ['/endpoints', 'Endpoints'],
  ['/deliveries', 'Deliveries'],
  ['/replay', 'Replay'],
] as const;

/** Renders a complete HTML document. */
export function renderMonitorPage({ title, at, viewer, notice, live, body }: Frame): string {
  return toHtml(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title} – Webhooks – Tour Platform</title>
          <link rel="stylesheet" href="${STYLE.path}" />
          <script src="${SCRIPT.path}" defer></script>
        </head>
        <body ${liveness(live)}>
          <a class="skip" href="#content">To the content</a>
          ${header(viewer, at)}
          <main id="content">
            <div id="notice" role="status">
              ${notice && html`<p class="notice ${notice.kind}">${notice.text}</p>`}
            </div>
            ${body}
          </main>
        </body>
      </html> `,
  );
}

/** Renders the CSRF token. A form without it is refused. */
export function csrfField({ csrfToken }: Viewer): Markup {
  return html`<input type="hidden" name="csrf" value="${csrfToken}" />`;
}

function liveness(live: Frame['live']): Markup | undefined {
  if (live === undefined) return undefined;
  if ('refreshSeconds' in live) return html`data-refresh="${live.refreshSeconds}"`;
  return html`data-live="${linkTo('/live', { range: live.fragments })}"`;
}

function header(viewer: Viewer | undefined, at: Frame['at']): Markup {
  const links = PAGES.map(
    ([path, name]) => html`<a href="${path}" ${path === at && trusted('aria-current="page"')}>${name}</a> `,
  );
  return html`<header>
    <p class="brand"><strong>Tour Platform</strong> Webhooks</p>
    ${
      viewer &&
      html`<nav aria-label="Pages">${links}</nav>
        <p class="liveness" id="liveness" hidden></p>
        <form class="who" method="post" action="/sign-out">
          ${csrfField(viewer)}<span title="Signed in by tourctl monitor">${viewer.operator}</span>
          <button class="quiet">Sign out</button>
        </form>`
    }
  </header>`;
}

export interface Viewer {
  operator: string;
  csrfToken: string;
}

/** Reports the result of an action once, on top of the next page. */
export interface Notice {
  kind: 'done' | 'refused';
  text: string;
}

export interface Asset {
  /** Holds a hash of the body as its query, so that browsers may cache the response for ever. */
  path: string;
  body: string;
  type: string;
}

/** Uses the colours and fonts of the API's documentation. The pages load nothing from another host. */
export const STYLE = asset('monitor.css', 'text/css; charset=utf-8');
/** Updates open pages and copies texts at a click. The pages work without it. */
export const SCRIPT = asset('monitor.js', 'text/javascript; charset=utf-8');

function asset(file: string, type: string): Asset {
  const body = readFileSync(join(__dirname, '../assets', file), 'utf8');
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `/assets/${file}?v=${hash}`, body, type };
}
