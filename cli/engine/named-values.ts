import { type Flag, flagName, type Verb } from './command';

/** The kind of object that an argument or the value of a flag names. */
export type NamedKind = ListedKind | IdKind;

/** The kind of object that an argument names. A person who leaves it out chooses it from a list (choose-name.ts). */
export type ListedKind =
  | 'tenant'
  | 'tour'
  | 'departure'
  | 'booking'
  | 'resource'
  | 'apiKey'
  | 'widgetToken'
  | 'hold'
  | 'endpoint'
  | 'delivery';

/** The objects with ids that a person cannot remember. A command takes the beginning of such an id too (find-ids.ts). */
export type IdKind = 'apiKey' | 'widgetToken' | 'hold' | 'endpoint' | 'delivery' | 'import';

/** The name of one object in messages. */
export const OBJECT_NAMES: Record<NamedKind, string> = {
  tenant: 'tenant',
  tour: 'tour',
  departure: 'departure',
  booking: 'booking',
  resource: 'resource',
  apiKey: 'API key',
  widgetToken: 'widget token',
  hold: 'hold',
  endpoint: 'webhook endpoint',
  delivery: 'delivery',
  import: 'import of bookings',
};

const ARGUMENTS: Record<string, ListedKind> = {
  slug: 'tenant',
  tour: 'tour',
  date: 'departure',
  to: 'departure',
  ref: 'booking',
  resource: 'resource',
};
/** The id that is an argument of each noun; other ids are numbers. */
const IDS: Record<string, ListedKind & IdKind> = {
  key: 'apiKey',
  widget: 'widgetToken',
  hold: 'hold',
  webhook: 'endpoint',
  delivery: 'delivery',
};
const FLAGS: Record<string, NamedKind> = {
  '--tenant': 'tenant',
  '--tour': 'tour',
  '--resource': 'resource',
  '--guide': 'resource',
  '--endpoint': 'endpoint',
  '--hold': 'hold',
  '--undo': 'import',
};

/** An argument of a verb, as its usage declares it: `<slug>`, `[slug]` or `<origin...>`. */
export interface VerbArgument {
  name: string;
  /** True for `<slug>`, false for `[slug]`. */
  required: boolean;
  /** True: the argument takes all further words, and its value is a list. */
  repeats: boolean;
  /** The object that the argument names. Undefined: the argument names none, as an amount does, or a new one. */
  kind: ListedKind | undefined;
}

/** Returns the arguments of a verb in order. @param noun undefined for a verb without a noun */
export function argumentsOf({ usage }: Pick<Verb, 'usage'>, noun: string | undefined): VerbArgument[] {
  const forms = usage.split(' ').slice(1);
  return forms.map((form) => {
    const name = form.replace(/[<>[\].]/g, '');
    const repeats = form.includes('...');
    const named = name === 'id' ? IDS[noun ?? ''] : ARGUMENTS[name];
    // The dates that `departure add` takes are new.
    return { name, required: form.startsWith('<'), repeats, kind: repeats ? undefined : named };
  });
}

const ID_KINDS = new Set<NamedKind>([...Object.values(IDS), 'import']);

/** Returns whether objects of this kind are named by an id. */
export function isIdKind(kind: NamedKind | undefined): kind is IdKind {
  return kind !== undefined && ID_KINDS.has(kind);
}

/** Returns the kind of object that the value of a flag names. */
export function namedByFlag(flag: Flag): NamedKind | undefined {
  return flag.flags.includes('<') ? FLAGS[flagName(flag)] : undefined;
}
