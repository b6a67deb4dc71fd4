import { insteadOf } from './unknown-name';

/** Tells a fault at the value, or at a part of it (`[2]`, `.lat`). Returns undefined, so that a check can end with it. */
export type Report = (message: string, part?: string) => undefined;

/** Makes a value of a file the value we keep. Undefined: it was wrong, and that was reported. */
export type Check<T> = (value: unknown, report: Report) => T | undefined;

export interface Field<T, R extends boolean> {
  check: Check<T>;
  required: R;
}
export type Shape = Record<string, Field<unknown, boolean>>;

type Checked<F> = F extends Field<infer T, boolean> ? T : never;
type RequiredNames<S> = { [N in keyof S]: S[N] extends Field<unknown, true> ? N : never }[keyof S];

/** What a shape reads. An optional field may be left out (it stays as it is) or null (it is emptied). */
export type Read<S> = { [N in RequiredNames<S>]: Checked<S[N]> } & {
  [N in Exclude<keyof S, RequiredNames<S>>]?: Checked<S[N]> | null;
};

export function required<T>(check: Check<T>): Field<T, true> {
  return { check, required: true };
}

export function optional<T>(check: Check<T>): Field<T, false> {
  return { check, required: false };
}

/** What of an object is sound, whatever else is wrong with it, and the whole where nothing is. */
interface Parts<S> {
  sound: Partial<Read<S>>;
  whole?: Read<S>;
}

let misses = 0;
/** Only tells that something is wrong: what is sound, as nearly everything is, is read without preparing for words about it. */
const unheard: Report = () => {
  misses++;
  return undefined;
};

/** Checks every field, also after a fault, and names the fields it does not know. */
export function readParts<S extends Shape>(shape: S, value: unknown, report: Report): Parts<S> {
  const sound = readSound(shape, value);
  if (sound) return { sound, whole: sound };
  if (report === unheard) {
    unheard('');
    return { sound: {} };
  }
  return readFaulty(shape, value, report);
}

/** The whole object; undefined where anything is wrong with it. */
function readSound<S extends Shape>(shape: S, value: unknown): Read<S> | undefined {
  if (!isRecord(value)) return undefined;
  for (const name in value) if (!Object.hasOwn(shape, name)) return undefined;
  const before = misses;
  const read: Record<string, unknown> = {};
  for (const name in shape) {
    const checked = checkField(shape[name]!, value[name], unheard);
    if (checked !== undefined) read[name] = checked;
  }
  return misses === before ? (read as Read<S>) : undefined;
}

function readFaulty<S extends Shape>(shape: S, value: unknown, report: Report): Parts<S> {
  if (!isRecord(value)) {
    report('must be an object');
    return { sound: {} };
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(shape, name))
      report(`is not known here; ${insteadOf(name, Object.keys(shape))}`, `.${name}`);
  }
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    const checked = checkField(field, value[name], (message, part = '') =>
      report(message, `.${name}${part}`),
    );
    if (checked !== undefined) read[name] = checked;
  }
  return { sound: read as Partial<Read<S>> };
}

export function object<S extends Shape>(shape: S): Check<Read<S>> {
  return (value, report) => readParts(shape, value, report).whole;
}

/** For an object that is kept as a whole: what is null in it is left out of it. */
export function compact<T extends object>(check: Check<T>): Check<T> {
  return (value, report) => {
    const read = check(value, report);
    return read && (Object.fromEntries(Object.entries(read).filter(([, part]) => part !== null)) as T);
  };
}

export function checkField<T>(field: Field<T, true>, value: unknown, report: Report): T | undefined;
export function checkField(field: Field<unknown, boolean>, value: unknown, report: Report): unknown;
export function checkField(field: Field<unknown, boolean>, value: unknown, report: Report): unknown {
  if (value !== undefined && value !== null) return field.check(value, report);
  return field.required ? report('is required') : value;
}

export function list<T>(check: Check<T>, atMost: number): Check<T[]> {
  return (value, report) => {
    if (!Array.isArray(value)) return report('must be a list');
    if (value.length > atMost) return report(`must have at most ${atMost} entries`);
    const items = value.map((item, index) =>
      check(item, report === unheard ? report : (message, part = '') => report(message, `[${index}]${part}`)),
    );
    return items.includes(undefined) ? undefined : (items as T[]);
  };
}

export function oneOf<T extends string>(...known: T[]): Check<T> {
  return (value, report) =>
    known.includes(value as T) ? (value as T) : report(`must be one of ${known.join(', ')}`);
}

export function integer(min: number, max: number): Check<number> {
  return (value, report) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : report(`must be a whole number from ${min} to ${max}`);
}

export function decimal(min: number, max: number): Check<number> {
  return (value, report) => {
    if (typeof value !== 'number')
      return report('must be a number with a decimal point and no separators, such as 1299.50');
    return value >= min && value <= max ? value : report(`must be a number from ${min} to ${max}`);
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
