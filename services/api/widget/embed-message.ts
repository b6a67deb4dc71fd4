import type { AppError } from '../../platform/errors';
import { html, type Markup } from '../../platform/html-template';
import { UnusableWidgetTokenError } from '../credentials/credential.errors';
import { ALERT, type Contents, type DocumentSettings, renderDocument } from './embed-document';
import type { Words } from './words/en';

export interface Message {
  icon: Markup;
  title: string;
  advice: string;
  /** Links to the next steps, the best first. */
  ways: { text: string; href: string }[];
  /** The request id with its label, for questions to the operator. */
  reference?: string;
}

/** Renders a message in place of tours. */
export function message({ icon, title, advice, ways, reference }: Message): Markup {
  return html`<div class="message">
    ${icon}
    <h2>${title}</h2>
    <p>${advice}</p>
    ${
      ways.length > 0 &&
      html`<p class="ways">
        ${ways.map(
          ({ text, href }, index) =>
            html`<a class="button${index === 0 && ' first'}" href="${href}">${text}</a>`,
        )}
      </p>`
    }
    ${reference && html`<small>${reference}</small>`}
  </div>`;
}

/** @param again the address for a retry; null: a retry does not help */
export function failure(words: Words, advice: string, again: string | null, reference?: string): Markup {
  const ways = again === null ? [] : [{ text: words.retry, href: again }];
  return message({ icon: ALERT, title: words.failed, advice, ways, reference });
}

/** The refusal of a request for the page. */
interface EmbedProblem {
  status: number;
  requestId: string;
  error: AppError | undefined;
}

/** Renders an error for visitors, in place of a problem document. */
export function renderEmbedProblem(
  surroundings: DocumentSettings,
  { status, requestId, error }: EmbedProblem,
): string {
  const { words } = surroundings.language;
  const advice = adviceOn(words, status, error);
  // An empty address means the address of the page itself, which contains the token. So the link need not contain the token.
  const again = status === 429 || status >= 500 ? '' : null;
  const contents: Contents = {
    title: words.failed,
    head: html`<h1 class="hidden">${words.tours}</h1>`,
    body: html`<main id="results" tabindex="-1" data-status="${words.failed}. ${advice}">
      ${failure(words, advice, again, `${words.requestId}: ${requestId}`)}
    </main>`,
  };
  return renderDocument(surroundings, contents);
}

/** Names the reason only to a caller with a proven token. */
function adviceOn({ advice, unusable }: Words, status: number, error: AppError | undefined): string {
  if (error instanceof UnusableWidgetTokenError) return unusable[error.reason];
  return status in advice ? advice[status as keyof Words['advice']] : advice[500];
}
