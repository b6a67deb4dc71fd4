import { html } from '../../../platform/html-template';
import { renderPage } from '../html/layout';
import { LINK_MINUTES, SESSION_HOURS } from '../sign-in/session';
import { fullMoment } from '../html/time-forms';
import type { Viewer } from '../html/viewer';

/** @param link where the form of a one-time link posts to; left out on the page that tells how to get one */
export function signInPage(link?: { action: string }): string {
  const body = link
    ? html`<section class="card message">
        <h1>Sign in</h1>
        <p>The link is good once, and this button uses it. The session lasts ${SESSION_HOURS} hours.</p>
        <form method="post" action="${link.action}"><button class="primary" autofocus>Sign in</button></form>
      </section>`
    : html`<section class="card message">
        <h1>Sign in</h1>
        <p>On a machine that reaches the database, run</p>
        <pre><code>tourctl monitor</code></pre>
        <p>and open the link that it prints. It is good for ${LINK_MINUTES} minutes, once.</p>
      </section>`;
  return renderPage({ title: 'Sign in', body });
}

/** @param shown.overlapUntil until when the old secrets sign too; null if they ended at once */
export function secretPage(
  shown: { endpointId: string; secret: string; overlapUntil: Date | null },
  viewer: Viewer,
): string {
  const { endpointId, secret, overlapUntil } = shown;
  const old = overlapUntil
    ? html`The old secret signs beside it until ${fullMoment(overlapUntil)}: put the new one into the receiver
      before.`
    : html`The old secret signs no more: what is sent from now on fails at the receiver until it knows the new
      one.`;
  const body = html`<section class="card message wide">
    <h1>New secret</h1>
    <p><strong>Shown this once.</strong> Only its sealed form is kept.</p>
    <div class="copyable">
      <button type="button" class="quiet" data-copy="secret" hidden>Copy</button>
      <pre id="secret" tabindex="0" aria-label="Secret"><code>${secret}</code></pre>
    </div>
    <p>${old}</p>
    <p><a class="button" href="/endpoints/${endpointId}">I have it: back to the endpoint</a></p>
  </section>`;
  return renderPage({ title: 'New secret', at: '/endpoints', viewer, body });
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not from here',
  404: 'Not here',
  409: 'Not possible now',
  503: 'Not ready',
};

/** @param text a sentence for a person that says why, and what to do */
export function refusalPage(status: number, text: string, viewer?: Viewer): string {
  const title = TITLES[status] ?? (status < 500 ? 'Refused' : 'It did not work');
  const body = html`<section class="card message">
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a class="button" href="/">To the overview</a> <span class="soft">${status}</span></p>
  </section>`;
  return renderPage({ title, viewer, body });
}
