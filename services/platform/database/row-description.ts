import { columnName } from './database';

/*
 * A row of a table is described once: by the SQL and the kind of each field of its object. The description makes the select list, the object
 * and the columns to insert or update. A field that the type of the object has and its description lacks does not compile, and neither does a
 * time that is described as another value.
 */

/** A row that a statement returns, also as JSON: its times are then texts. */
export type Row = Record<string, unknown>;

/** Columns of a row with their values. An undefined value is not written. */
export type StoredColumns = Record<string, unknown>;

/** How a column differs from its field. */
interface Differences<Value> {
  /** The SQL that selects the field, if it is not the column itself. */
  select?: string;
  toField?: (stored: never) => Value;
  toColumn?: (field: never) => unknown;
}

class Field<Kind extends 'value' | 'time'> {
  constructor(
    readonly kind: Kind,
    readonly select: string,
    /** The column that stores the field. Undefined: the field is only read. */
    readonly column: string | undefined,
    readonly toField: (stored: unknown) => unknown = same,
    readonly toColumn: (field: unknown) => unknown = same,
  ) {}
}

function same(value: unknown): unknown {
  return value;
}

/** Describes a field that a column stores. @param column with the alias of its table: `l.booking_ref` */
export function stored<Value>(
  column: string,
  { select = column, toField, toColumn }: Differences<Value> = {},
): Field<'value'> {
  return new Field(
    'value',
    select,
    column.slice(column.indexOf('.') + 1),
    toField as never,
    toColumn as never,
  );
}

/** Describes a field that is only read. @param select SQL */
export function selected(select: string): Field<'value'> {
  return new Field('value', select, undefined);
}

/** Describes a time. It is only read here: a Date has no microseconds, so that each write adds its times as texts. @param select SQL */
export function time(select: string): Field<'time'> {
  return new Field('time', select, undefined, (at) => (typeof at === 'string' ? new Date(at) : at));
}

/** An object of several columns that are all null, or none is. */
class Nullable<Fields> {
  constructor(readonly fields: Fields) {}
}

/** Describes an object of several columns that are all null, or none is. */
export function nullable<Fields>(fields: Fields): Nullable<Fields> {
  return new Nullable(fields);
}

/** The description of each field of an object. */
export type Fields<T> = { [Name in keyof T]-?: Described<T[Name]> };

type Described<Value> = [Extract<Value, Date>] extends [never]
  ? Field<'value'> | Group<Value>
  : Field<'time'>;
type Group<Value> = null extends Value
  ? Nullable<Fields<NonNullable<Value>>>
  : Value extends object
    ? Fields<Value>
    : never;

type AnyDescribed = Field<'value' | 'time'> | Nullable<AnyFields> | AnyFields;
interface AnyFields {
  [name: string]: AnyDescribed;
}

/** A described row. */
export interface RowDescription<T> {
  /** The select list. The name of a field of a group begins with that of the group: `tenant_slug`. */
  select: string;
  /** Returns the object of a row. */
  read: (row: Row) => T;
  /** Returns an object that was written as JSON: its times are texts. */
  fromJson: (written: T) => T;
  /** Returns all columns except the times. A column of a field that is not given is undefined. A group is given whole. */
  columnsOf: (given: Partial<T>) => Row;
}

/** @rule the columns of a hold, a booking and a departure: test/unit/row-description.test.ts */
export function describeRow<T>(fields: Fields<T>): RowDescription<T> {
  const described = fields as unknown as AnyFields;
  return {
    select: selectsOf(described).join(', '),
    read: readerOf(described) as (row: Row) => T,
    fromJson: reviverOf(described) as (written: T) => T,
    columnsOf: (given) => Object.fromEntries(columnsOf(described, given as Row)),
  };
}

function fieldsOf(group: Nullable<AnyFields> | AnyFields): AnyFields {
  return group instanceof Nullable ? group.fields : group;
}

/** Returns the name of a field in a row. @param prefix the name of its group; '' for none */
function nameIn(prefix: string, name: string): string {
  return prefix === '' ? name : prefix + name[0]!.toUpperCase() + name.slice(1);
}

function selectsOf(fields: AnyFields, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, one]) =>
    one instanceof Field
      ? [`${one.select} as ${columnName(nameIn(prefix, name))}`]
      : selectsOf(fieldsOf(one), nameIn(prefix, name)),
  );
}

type Reader = (row: Row) => unknown;

function readerOf(fields: AnyFields, prefix = ''): Reader {
  const readers = Object.entries(fields).map(
    ([name, one]) => [name, readerOfOne(one, nameIn(prefix, name))] as const,
  );
  return (row) => {
    const object: Row = {};
    for (const [name, read] of readers) object[name] = read(row);
    return object;
  };
}

function readerOfOne(one: AnyDescribed, name: string): Reader {
  if (one instanceof Field) return (row) => one.toField(row[name]);
  const read = readerOf(fieldsOf(one), name);
  if (!(one instanceof Nullable)) return read;
  const [first] = Object.keys(one.fields);
  return (row) => (row[nameIn(name, first!)] === null ? null : read(row));
}

function reviverOf(fields: AnyFields): (written: unknown) => unknown {
  const revivers = Object.entries(fields).flatMap(([name, one]) => {
    if (one instanceof Field) return one.kind === 'time' ? [[name, one.toField] as const] : [];
    return [[name, reviverOf(fieldsOf(one))] as const];
  });
  return (written) => {
    if (written === null) return null;
    const object = { ...(written as Row) };
    for (const [name, revive] of revivers) object[name] = revive(object[name]);
    return object;
  };
}

/** Returns the columns with their values. @param given undefined: the group is not given; null: all its columns are null */
function columnsOf(fields: AnyFields, given: Row | null | undefined, isGroup = false): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, one]): [string, unknown][] => {
    const value = given?.[name];
    if (!(one instanceof Field)) return columnsOf(fieldsOf(one), value as Row | null | undefined, true);
    if (one.column === undefined) return [];
    // A group is written whole: what it lacks is null.
    if (value === undefined) return [[one.column, isGroup && given !== undefined ? null : undefined]];
    return [[one.column, one.toColumn(value)]];
  });
}
