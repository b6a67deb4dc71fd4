import { type Flag, flagName, optionKey, type Verb } from './command';

/** The kind of object that an argument or the value of a flag names. */
export type NamedKind = 'tenant' | 'tour' | 'booking' | IdKind;

/** The objects with ids that a person cannot remember. A command takes the beginning of such an id too (find-ids.ts). */
export type IdKind = 'apiKey' | 'widgetToken' | 'hold' | 'endpoint' | 'delivery';

const ARGUMENTS: Record<string, NamedKind> = { slug: 'tenant', tour: 'tour', ref: 'booking' };
/** The id that is an argument of each noun; other ids are numbers. */
const IDS: Record<string, IdKind> = {
  key: 'apiKey',
  widget: 'widgetToken',
  hold: 'hold',
  webhook: 'endpoint',
  delivery: 'delivery',
};
const FLAGS: Record<string, NamedKind> = {
  '--tenant': 'tenant',
  '--tour': 'tour',
  '--endpoint': 'endpoint',
};

export interface ArgumentForm {
  name: string;
  /** The argument as written in the usage: `<slug>`, `[slug]` or `<origin...>`. */
  form: string;
}

/** Returns the arguments of a verb in order. */
export function argumentsOf({ usage }: Pick<Verb, 'usage'>): ArgumentForm[] {
  const forms = usage.split(' ').slice(1);
  return forms.map((form) => ({ name: form.replace(/[<>[\].]/g, ''), form }));
}

/** Returns the kind of object that an argument names. Undefined for an argument that is not the name of an object. */
export function namedByArgument(name: string, noun: string | undefined): NamedKind | undefined {
  return name === 'id' ? idKindOf(name, noun) : ARGUMENTS[name];
}

/** Returns the kind of id that an argument takes. Undefined for an argument that is not an id. */
export function idKindOf(name: string, noun: string | undefined): IdKind | undefined {
  return name === 'id' && noun !== undefined ? IDS[noun] : undefined;
}

/** Returns the kind of object that the value of a flag names. */
export function namedByFlag(flag: Flag): NamedKind | undefined {
  return flag.flags.includes('<') ? FLAGS[flagName(flag)] : undefined;
}

/** A place of a command line that takes an id. */
export interface IdPlace {
  kind: IdKind;
  /** Name in messages: `<id>` or `--endpoint`. */
  name: string;
  /** The number of the argument, or the key in `options`. */
  at: number | string;
}

/** Returns the places of a verb that take an id. */
export function idPlaces(verb: Verb, noun: string | undefined): IdPlace[] {
  const inArguments = argumentsOf(verb).flatMap(({ name }, at) => {
    const kind = idKindOf(name, noun);
    return kind ? [{ kind, name: `<${name}>`, at }] : [];
  });
  const inFlags = (verb.flags ?? []).flatMap((flag) =>
    namedByFlag(flag) === 'endpoint'
      ? [{ kind: 'endpoint' as const, name: flagName(flag), at: optionKey(flag) }]
      : [],
  );
  return [...inArguments, ...inFlags];
}
