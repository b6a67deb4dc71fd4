import { html, type Markup, trusted } from '../../../platform/html-template';
import type { DeliveryStatus } from '../../deliveries/delivery';
import type { EndpointStatus } from '../../endpoints/endpoint';
import type { FilterInput } from '../queries/read-query';
import { CHOICES_MAX } from '../queries/endpoints.repository';
import { formatTimeForInput, linkTo } from './formats';

type Cell = Markup | string | number | null;

/** A column of a table. The first column holds the name of each row. */
export interface TableColumn<Row> {
  name: string;
  /** CSS class of the cells. */
  kind?: string;
  cell: (row: Row) => Cell;
}

/**
 * Renders a table that scrolls within its box.
 * @param name for screen readers
 * @param style `cards`: each row becomes a card on a phone; `figures`: rows of numbers
 */
export function tableElement<Row>(
  name: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  style: 'cards' | 'figures' = 'cards',
): Markup {
  return html`<div
    class="scroll ${style === 'cards' && 'card'}"
    tabindex="0"
    role="group"
    aria-label="${name}"
  >
    <table class="${style}">
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column.name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column, index) => tableCell(column, row, index === 0))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function tableCell<Row>({ name, kind, cell }: TableColumn<Row>, row: Row, isFirst: boolean): Markup {
  const attributes = html`data-label="${name}"${kind && html` class="${kind}"`}`;
  return isFirst
    ? html`<th scope="row" ${attributes}>${cell(row)}</th>`
    : html`<td ${attributes}>${cell(row)}</td>`;
}

type Fact = readonly [name: Markup | string, value: Cell];

/** Renders a list of names with their values. Omits entries that are '', false or null. */
export function facts(style: 'facts' | 'headers', entries: readonly (Fact | '' | false | null)[]): Markup {
  const rows = entries
    .filter((entry) => !!entry)
    .map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    );
  return html`<dl class="${style}">${rows}</dl>`;
}

/** Renders a text with a button that copies it; monitor.js shows the button. */
export function copyable(id: string, label: string, text: string): Markup {
  return html`<div class="copyable">
    <button type="button" class="quiet" data-copy="${id}" hidden>Copy</button>
    <pre id="${id}" tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>
  </div>`;
}

export type MarkTone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const DELIVERY_TONES: Readonly<Record<DeliveryStatus, MarkTone>> = {
  pending: 'idle',
  delivering: 'busy',
  delivered: 'good',
  retrying: 'warn',
  dead: 'bad',
  cancelled: 'idle',
};

const ENDPOINT_TONES: Readonly<Record<EndpointStatus, MarkTone>> = {
  active: 'good',
  paused: 'warn',
  disabled: 'bad',
  removed: 'idle',
};

export function deliveryMark(status: DeliveryStatus): Markup {
  return mark(DELIVERY_TONES[status], status);
}

export function endpointMark(status: EndpointStatus): Markup {
  return mark(ENDPOINT_TONES[status], status);
}

/** Renders a coloured word. The word alone says everything; the colour only repeats it. */
export function mark(tone: MarkTone, text: string): Markup {
  return html`<span class="mark ${tone}">${text}</span>`;
}

/** A field of a filter: a time if it has `at`, a line of text if it has a placeholder, otherwise a select. */
interface Field {
  name: string;
  label: string;
  at?: Date | undefined;
  placeholder?: string;
  /** Labels, keyed by value. The empty value means "any". A line of text suggests the choices, and accepts other values too. */
  choices?: Readonly<Record<string, string>>;
  /** The selected choice. Undefined: the value that was given is selected. */
  selected?: string;
}

/** Returns options whose labels are their values. */
export function optionsOf(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => [value, value]));
}

/**
 * Returns a field to pick one of the choices. The field is a select, or a line of text with suggestions if there are more than CHOICES_MAX
 * choices.
 * @param choices labels by value, at most CHOICES_MAX + 1
 * @param given may be a value outside the choices, such as a removed endpoint
 */
export function pickerField(field: Field, choices: Readonly<Record<string, string>>, given = ''): Field {
  if (Object.keys(choices).length > CHOICES_MAX) return { ...field, choices, placeholder: 'type to search' };
  return { ...field, choices: { [given]: given, '': 'any', ...choices } };
}

/** Renders the fields of a filter with their values, and the issue below each invalid one. */
export function filterFields(input: FilterInput, fields: readonly Field[]): Markup {
  return html`${fields.map((field) => filterField(input, field))}`;
}

/** Renders a filter that a phone shows only after a click, with a chip above it for each field in use. */
export function filterForm(path: string, input: FilterInput, fields: readonly Field[]): Markup {
  const used = fields.filter(({ name }) => input.given[name] !== undefined);
  return html`${
      used.length > 0 &&
      html`<ul class="chips" aria-label="Filters in use">
        ${used.map((field) => chip(path, input, field))}
        <li><a href="${path}">Show all</a></li>
      </ul>`
    }
    <details class="card filters" id="filters" ${Object.keys(input.issues).length > 0 && trusted('open')}>
      <summary>Filter</summary>
      <form class="filter" method="get" action="${path}" role="search">
        ${filterFields(input, fields)}
        <div class="buttons"><button>Filter</button></div>
      </form>
    </details>`;
}

/** Renders a link that removes a field from the filter. */
function chip(path: string, { given }: FilterInput, { name, label, choices = {} }: Field): Markup {
  const value = given[name]!;
  const shown = Object.hasOwn(choices, value) ? choices[value] : value;
  // Returns to the first page of the wider list.
  const others = { ...given, [name]: undefined, before: undefined, after: undefined };
  return html`<li>
    <a class="button quiet chip" href="${linkTo(path, others)}"
      ><span class="hidden">Remove the filter</span> ${label}: <strong>${shown}</strong>
      <span aria-hidden="true">×</span></a
    >
  </li>`;
}

function filterField({ given, issues }: FilterInput, field: Field): Markup {
  const { name, label } = field;
  const issue = issues[name];
  const attributes = html`id="f-${name}" name="${name}"
  ${issue && html`aria-invalid="true" aria-describedby="c-${name}"`}`;
  return html`<div class="field f-${name}">
    <label for="f-${name}">${label}</label>
    ${control(field, given[name], attributes)}
    ${issue && html`<p class="complaint" id="c-${name}">“${given[name]}” is ignored. ${issue}</p>`}
  </div>`;
}

function control(field: Field, given: string | undefined, attributes: Markup): Markup {
  const { name, placeholder, choices = {}, selected = given ?? '' } = field;
  if ('at' in field)
    return html`<input
      ${attributes}
      type="datetime-local"
      value="${field.at && formatTimeForInput(field.at)}"
    />`;
  const options = Object.entries(choices).map(
    ([value, text]) =>
      html`<option value="${value}" ${value === selected && trusted('selected')}>${text}</option>`,
  );
  if (placeholder === undefined)
    return html`<select ${attributes}>
      ${options}
    </select>`;
  return html`<input
      ${attributes}
      value="${given}"
      maxlength="200"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
      ${options.length > 0 && html`list="${name}-choices"`}
    />${options.length > 0 && html`<datalist id="${name}-choices">${options}</datalist>`}`;
}
