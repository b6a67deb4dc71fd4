import { html, type Markup } from '../../../platform/html-template';
import { renderLine } from './markdown';
import { type Parameter, referencedName, type Schema } from '../openapi-document';
import { renderTable } from '../pages/page';

const HEAD = [html`Name`, html`Type`, html`Meaning`];

type Schemas = Record<string, Schema>;

/** Formats that add something to the type. */
const SHOWN_FORMATS = ['date', 'date-time', 'uuid', 'email', 'uri'];

/** Returns a table with one row for each field of a request body. A nested field is `customer.name`, a field of a list's item `items[].id`. */
export function bodyTable(schema: Schema, schemas: Schemas): Markup {
  const mark = (required: boolean) => (required ? 'required' : '');
  return renderTable(HEAD, rowsOf(schema, schemas, mark));
}

/** Returns the table of an answer. Marks the fields that an answer may leave out. */
export function answerTable(schema: Schema, schemas: Schemas): Markup {
  const mark = (required: boolean) => (required ? '' : 'not always');
  return renderTable(HEAD, rowsOf(schema, schemas, mark));
}

export function parameterTable(parameters: Parameter[], schemas: Schemas): Markup {
  return renderTable(
    HEAD,
    parameters.map(({ in: place, name, required, schema, description = '' }) =>
      row(
        name,
        `${place}, ${typeOf(schema, schemas)}`,
        required ? 'required' : '',
        [description, ...limitsOf(schema)].join(' '),
      ),
    ),
  );
}

function rowsOf(
  schema: Schema,
  schemas: Schemas,
  mark: (required: boolean) => string,
  prefix = '',
): Markup[][] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties).flatMap(([name, field]) => {
    const text = [field.description ?? '', ...limitsOf(resolved(field, schemas))].join(' ').trim();
    const path = prefix + name;
    const own = row(path, typeOf(field, schemas), mark(required.includes(name)), text);
    const inner = field.type === 'array' ? field.items! : field;
    return [own, ...rowsOf(inner, schemas, mark, field.type === 'array' ? `${path}[].` : `${path}.`)];
  });
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = referencedName(schema);
  return name ? schemas[name]! : schema;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const { type = 'object', format = '', items } = resolved(schema, schemas);
  const shown = SHOWN_FORMATS.includes(format) ? format : type;
  const name = type === 'array' ? `list of ${typeOf(items!, schemas)}` : shown;
  return schema.nullable ? `${name} or null` : name;
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, maxLength, enum: values, default: fallback } = schema;
  const limits: string[] = [];
  if (values?.length === 1) limits.push(`Always \`${String(values[0])}\`.`);
  else if (values) limits.push(`One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`);
  if (minimum !== undefined && maximum !== undefined) limits.push(`${minimum} to ${maximum}.`);
  if (maxLength !== undefined) limits.push(`At most ${maxLength} characters.`);
  if (fallback !== undefined) limits.push(`By default \`${String(fallback)}\`.`);
  return limits;
}

function row(name: string, type: string, mark: string, text: string): Markup[] {
  return [html`<code>${name}</code> <span class="mark">${mark}</span>`, html`${type}`, renderLine(text)];
}
