import { html, type Markup, trusted } from '../../../platform/html-template';
import type { DeliveryStatus } from '../../deliveries/delivery';
import type { EndpointStatus } from '../../endpoints/endpoint';
import type { FilterInput } from '../queries/read-query';

/** Renders a table that scrolls within its box and becomes cards on a phone. `name` is for screen readers. */
export function cardTable(name: string, columns: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll card" tabindex="0" role="group" aria-label="${name}">
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

/** Renders a coloured word. The colour has no meaning that the word does not have. */
export function mark(tone: MarkTone, text: string): Markup {
  return html`<span class="mark ${tone}">${text}</span>`;
}

interface Field {
  name: string;
  label: string;
  input: FilterInput;
}

/** @param field.options suggestions; other values are allowed */
export function textField(
  field: Field & { placeholder?: string; options?: readonly string[]; wide?: boolean },
): Markup {
  const { name, placeholder, options, input } = field;
  const list = options && `${name}-options`;
  return labelled(
    field,
    html`<input
        id="f-${name}"
        name="${name}"
        value="${input.given[name]}"
        maxlength="200"
        placeholder="${placeholder}"
        autocomplete="off"
        spellcheck="false"
        ${list && html`list="${list}"`}
        ${issueAttributes(field)}
      />${options && html`<datalist id="${list}">${options.map((option) => html`<option value="${option}"></option>`)}</datalist>`}`,
  );
}

/** @param field.options values with their labels; the empty value means "any" */
export function selectField(
  field: Field & { options: readonly (readonly [string, string])[]; selected?: string },
): Markup {
  const { name, options, input } = field;
  const selected = field.selected ?? input.given[name] ?? '';
  return labelled(
    field,
    html`<select id="f-${name}" name="${name}" ${issueAttributes(field)}>
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === selected && trusted('selected')}>${text}</option>`,
      )}
    </select>`,
  );
}

/** @param field.value in the format of `datetime-local` */
export function timeField(field: Field & { value: string | undefined }): Markup {
  const { name, value } = field;
  return labelled(
    field,
    html`<input
      id="f-${name}"
      name="${name}"
      type="datetime-local"
      value="${value}"
      ${issueAttributes(field)}
    />`,
  );
}

function labelled({ name, label, input }: Field, control: Markup): Markup {
  const issue = input.issues[name];
  return html`<div class="field f-${name}">
    <label for="f-${name}">${label}</label>
    ${control}
    ${issue && html`<p class="complaint" id="c-${name}">“${input.given[name]}” is ignored. ${issue}</p>`}
  </div>`;
}

function issueAttributes({ name, input }: Field): Markup | undefined {
  return input.issues[name] ? html`aria-invalid="true" aria-describedby="c-${name}"` : undefined;
}
