import { html, type Markup } from '../../../platform/html-template';

/** A table that scrolls within its box, and becomes cards on a phone. `name` tells it to those who do not see it. */
export function cardTable(name: string, columns: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll card" tabindex="0" role="region" aria-label="${name}">
    <table class="cards">
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
