import { html, type Markup } from '../../../platform/html-template';

/** Scrolls sideways by itself where it is too wide. */
export function renderTable(head: Markup[], rows: Markup[][]): Markup {
  const columns = head.map((cell) => html`<th scope="col">${cell}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${cell}</td>`)}
      </tr> `,
  );
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          ${columns}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`;
}
