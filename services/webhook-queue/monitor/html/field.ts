import { html, type Markup, trusted } from '../../../platform/html-template';
import type { Asked } from '../queries/read-query';

interface Field {
  name: string;
  label: string;
  asked: Asked;
}

/** @param given.options suggestions, not bounds */
export function textField(
  field: Field & { placeholder?: string; options?: readonly string[]; wide?: boolean },
): Markup {
  const { name, placeholder, options, asked } = field;
  const list = options && `${name}-options`;
  return labelled(
    field,
    html`<input
        id="f-${name}"
        name="${name}"
        value="${asked.given[name]}"
        maxlength="200"
        placeholder="${placeholder}"
        autocomplete="off"
        spellcheck="false"
        ${list && html`list="${list}"`}
        ${complainedOf(field)}
      />${options && html`<datalist id="${list}">${options.map((option) => html`<option value="${option}"></option>`)}</datalist>`}`,
  );
}

/** @param field.options values with their names; the empty one is "any" */
export function selectField(
  field: Field & { options: readonly (readonly [string, string])[]; chosen?: string },
): Markup {
  const { name, options, asked } = field;
  const chosen = field.chosen ?? asked.given[name] ?? '';
  return labelled(
    field,
    html`<select id="f-${name}" name="${name}" ${complainedOf(field)}>
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen && trusted('selected')}>${text}</option>`,
      )}
    </select>`,
  );
}

/** @param field.value as the browser's own field for it takes it */
export function momentField(field: Field & { value: string | undefined }): Markup {
  const { name, value } = field;
  return labelled(
    field,
    html`<input
      id="f-${name}"
      name="${name}"
      type="datetime-local"
      value="${value}"
      ${complainedOf(field)}
    />`,
  );
}

function labelled({ name, label, asked }: Field, control: Markup): Markup {
  const complaint = asked.complaints[name];
  return html`<div class="field f-${name}">
    <label for="f-${name}">${label}</label>
    ${control}
    ${complaint && html`<p class="complaint" id="c-${name}">“${asked.given[name]}” is left out. ${complaint}</p>`}
  </div>`;
}

function complainedOf({ name, asked }: Field): Markup | undefined {
  return asked.complaints[name] ? html`aria-invalid="true" aria-describedby="c-${name}"` : undefined;
}
