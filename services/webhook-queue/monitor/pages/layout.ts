import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup, toHtml } from '../../../platform/html-template';
import { PAGE_HEADER_STYLE, renderPageHeader } from '../../../platform/page-header/page-header';
import type { Range } from '../queries/read-query';
import { LINK_MINUTES, SESSION_HOURS } from '../session';
import { copyable } from './components';
import { linkTo } from './formats';

export interface Frame {
  title: string;
  /** Path of the navigation entry that is marked as the current page. */
  at?: '/' | '/endpoints' | '/deliveries' | '/replay';
  /** Undefined before the sign-in. */
  viewer?: Viewer;
  notice?: Notice;
  /**
   * How the open page updates itself. `fragments`: the server sends the changed parts for this range. `refreshSeconds`: the page fetches
   * itself again at this interval. Undefined: the page does not update itself.
   */
  live?: { fragments: Range } | { refreshSeconds: number };
  body: Markup;
}

const PAGES = [
  ['/', 'Overview'],
  ['/endpoints', 'Endpoints'],
  ['/deliveries', 'Deliveries'],
  ['/replay', 'Replay'],
] as const;

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
  const end =
    viewer &&
    html`<p class="liveness" id="liveness" hidden></p>
      <form class="who" method="post" action="/sign-out">
        ${csrfField(viewer)}<span title="Signed in by tourctl monitor">${viewer.operator}</span>
        <button class="quiet">Sign out</button>
      </form>`;
  return renderPageHeader({
    home: '/',
    area: 'Webhooks',
    label: 'Pages',
    pages: viewer ? PAGES : [],
    current: at,
    end,
  });
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

/** @param link `action`: the target of the form that uses a one-time link; undefined: the page explains how to get a link */
export function signInPage(link?: { action: string }): string {
  const inside = link
    ? html`<p>The link works once, and this button uses it. The session lasts ${SESSION_HOURS} hours.</p>
        <form method="post" action="${link.action}"><button class="primary" autofocus>Sign in</button></form>`
    : html`<p>On a machine that reaches the database, run</p>
        ${copyable('sign-in-command', 'Command', 'tourctl monitor')}
        <p>and open the link that it prints. The link works once, for ${LINK_MINUTES} minutes.</p>`;
  const body = html`<section class="card message">
    <h1>Sign in</h1>
    ${inside}
  </section>`;
  return renderMonitorPage({ title: 'Sign in', body });
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not found',
  409: 'Not possible now',
  503: 'Not ready',
};

/** @param text a sentence that names the problem and the next step */
export function refusalPage(status: number, text: string, viewer?: Viewer): string {
  const title = TITLES[status] ?? (status < 500 ? 'Refused' : 'Error');
  const body = html`<section class="card message">
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a class="button" href="/">To the overview</a> <span class="soft">${status}</span></p>
  </section>`;
  return renderMonitorPage({ title, viewer, body });
}

export interface Asset {
  /** The query of the path is a hash of the body, so browsers may cache the response for ever. */
  path: string;
  body: string;
  type: string;
}

/** The pages load nothing from another host. */
export const STYLE = asset('monitor.css', 'text/css; charset=utf-8', PAGE_HEADER_STYLE);
/** Updates open pages and copies texts at a click. The pages work without it. */
export const SCRIPT = asset('monitor.js', 'text/javascript; charset=utf-8');

/** @param start the text before that of the file */
function asset(file: string, type: string, start = ''): Asset {
  const body = start + readFileSync(join(__dirname, '../assets', file), 'utf8');
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `/assets/${file}?v=${hash}`, body, type };
}
