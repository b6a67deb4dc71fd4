import { html } from '../../../platform/html-template';
import { renderMonitorPage, type Viewer } from '../html/layout';
import { LINK_MINUTES, SESSION_HOURS } from '../sign-in/session';
import { fullTimeElement } from '../html/formats';

/** @param link the target of the form of a one-time link; undefined: the page explains how to get a link */
export function signInPage(link?: { action: string }): string {
  const body = link
    ? html`<section class="card message">
        <h1>Sign in</h1>
        <p>The link works once, and this button uses it. The session lasts ${SESSION_HOURS} hours.</p>
        <form method="post" action="${link.action}"><button class="primary" autofocus>Sign in</button></form>
      </section>`
    : html`<section class="card message">
        <h1>Sign in</h1>
        <p>On a machine that reaches the database, run</p>
        <pre><code>tourctl monitor</code></pre>
        <p>and open the link that it prints. The link works once, for ${LINK_MINUTES} minutes.</p>
      </section>`;
  return renderMonitorPage({ title: 'Sign in', body });
}

/** @param shown.overlapUntil end of the old secrets; null if they ended at once */
export function secretPage(
  shown: { endpointId: string; secret: string; overlapUntil: Date | null },
  viewer: Viewer,
): string {
  const { endpointId, secret, overlapUntil } = shown;
  const old = overlapUntil
    ? html`The old secret also signs until ${fullTimeElement(overlapUntil)}: set the new one in the receiver
      before.`
    : html`The old secret no longer signs: the receiver refuses requests until it has the new one.`;
  const body = html`<section class="card message wide">
    <h1>New secret</h1>
    <p><strong>Shown only once.</strong> Only its sealed form is stored.</p>
    <div class="copyable">
      <button type="button" class="quiet" data-copy="secret" hidden>Copy</button>
      <pre id="secret" tabindex="0" role="group" aria-label="Secret"><code>${secret}</code></pre>
    </div>
    <p>${old}</p>
    <p><a class="button" href="/endpoints/${endpointId}">I have saved it: back to the endpoint</a></p>
  </section>`;
  return renderMonitorPage({ title: 'New secret', at: '/endpoints', viewer, body });
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
