import { html, type Markup } from '../../../platform/html-template';
import { renderLine } from './markdown';
import { type Parameter, referencedName, type Schema } from '../openapi-document';

type Schemas = Record<string, Schema>;

interface Field {
  name: string;
  type: string;
  /** Says whether the field is required, or may be missing. */
  mark: string;
  text: string;
}

/** The formats that the list shows in place of the type. */
const SHOWN_FORMATS = ['date', 'date-time', 'uuid', 'idn-email', 'uri'];

/**
 * Returns a list with an entry for each field of a request body: the name, whether it is required, the type, the meaning. A nested field is
 * named `customer.name`, a field of a list item `items[].id`.
 * @param id the id of the list on the page; the address of a field is `#<id>.customer.name`
 */
export function bodyFields(id: string, schema: Schema, schemas: Schemas): Markup {
  const mark = (required: boolean) => (required ? 'required' : '');
  return listOfFields(id, rowsOf(schema, schemas, mark));
}

/** Returns the fields of an answer. Marks the fields that an answer may leave out. */
export function answerFields(id: string, schema: Schema, schemas: Schemas): Markup {
  const mark = (required: boolean) => (required ? '' : 'not always');
  return listOfFields(id, rowsOf(schema, schemas, mark));
}

export function parameterFields(id: string, parameters: Parameter[], schemas: Schemas): Markup {
  return listOfFields(
    id,
    parameters.map(({ in: place, name, required, schema, description = '' }) => ({
      name,
      type: `${place}, ${typeOf(schema, schemas)}`,
      mark: required ? 'required' : '',
      text: [description, ...limitsOf(schema)].join(' '),
    })),
  );
}

/** @param listed the path at which the fields of each schema are listed already; a second object of it refers to the first one */
function rowsOf(
  schema: Schema,
  schemas: Schemas,
  mark: (required: boolean) => string,
  prefix = '',
  listed = new Map<string, string>(),
): Field[] {
  if (schema.anyOf) return rowsOfChoices(schema.anyOf, schemas, mark, prefix, listed);
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties).flatMap(([name, field]) => {
    const isList = field.type === 'array';
    const inner = isList ? field.items! : field;
    const path = prefix + name + (isList ? '[]' : '');
    const object = resolved(inner, schemas).properties && referencedName(inner);
    const first = object === undefined ? undefined : listed.get(object);
    if (object !== undefined && first === undefined) listed.set(object, path);
    const limits = limitsOf(resolved(field, schemas));
    const same = first === undefined ? '' : `Its fields are those of \`${first}\`.`;
    const text = [field.description ?? '', ...limits, same].join(' ').trim();
    const type = typeOf(field, schemas);
    const own = { name: prefix + name, type, mark: mark(required.includes(name)), text };
    return first === undefined ? [own, ...rowsOf(inner, schemas, mark, `${path}.`, listed)] : [own];
  });
}

/** Returns the rows of the first schema, and the rows of the other schemas for fields that the first one does not have. */
function rowsOfChoices(
  choices: Schema[],
  schemas: Schemas,
  mark: (required: boolean) => string,
  prefix: string,
  listed: Map<string, string>,
): Field[] {
  const [first, ...others] = choices;
  const known = resolved(first!, schemas).properties ?? {};
  const more = others.map((choice) => {
    const { properties = {} } = resolved(choice, schemas);
    return {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in known))),
    };
  });
  return [
    ...rowsOf(first!, schemas, mark, prefix, listed),
    ...more.flatMap((choice) => rowsOf(choice, schemas, mark, prefix, listed)),
  ];
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

/** Renders the entries with few characters, because the reference has 1,000 of them. docs.js makes each name a link to itself. */
function listOfFields(id: string, fields: Field[]): Markup {
  const entries = fields.map(({ name, type, mark, text }) => {
    const anchor = `${id}.${name.replaceAll('[]', '')}`;
    return html`<dt><a id="${anchor}">${name}</a>${mark && html` <b>${mark}</b>`} <i>${type}</i></dt>
      <dd>${renderLine(text)}</dd>`;
  });
  return html`<dl class="fields">${entries}</dl>`;
}
