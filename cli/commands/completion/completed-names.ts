import { type Flag, flagName, flagsOf, type Noun, type Verb, verbName } from '../../engine/command';

/** The kind of object that a completed value names. */
export type CompletedName =
  'tenant' | 'tour' | 'booking' | 'apiKey' | 'widgetToken' | 'hold' | 'endpoint' | 'delivery';

const ARGUMENTS: Record<string, CompletedName> = { slug: 'tenant', tour: 'tour', ref: 'booking' };
/** The id that is an argument of each noun; other ids are numbers, which nobody completes. */
const IDS: Record<string, CompletedName> = {
  key: 'apiKey',
  widget: 'widgetToken',
  hold: 'hold',
  webhook: 'endpoint',
  delivery: 'delivery',
};
const FLAGS: Record<string, CompletedName> = {
  '--tenant': 'tenant',
  '--tour': 'tour',
  '--endpoint': 'endpoint',
};

/** Returns what each argument of a verb names; undefined for other arguments. */
export function namedArguments(verb: Verb, noun: string | undefined): (CompletedName | undefined)[] {
  const forms = verb.usage.split(' ').slice(1);
  const names = forms.map((form) => form.replace(/[<>[\].]/g, ''));
  return names.map((name) => (name === 'id' ? IDS[noun ?? ''] : ARGUMENTS[name]));
}

/** Returns what the value of a flag names. */
export function namedByFlag(flag: Flag): CompletedName | undefined {
  return flag.flags.includes('<') ? FLAGS[flagName(flag)] : undefined;
}

/** The kind of the last word of a command line, and its text. */
interface LastWord {
  kind: CompletedName;
  start: string;
}

/** @param words a command line without `tourctl`; the last word is the one to complete, and may be empty */
export function lastWordOf(nouns: readonly Noun[], words: readonly string[]): LastWord | undefined {
  const [first, second, ...rest] = words;
  const noun = nouns.find(({ name }) => name === first);
  const verb = noun?.verbs.find((one) => verbName(one) === second);
  if (!noun || !verb || rest.length === 0) return undefined;
  const last = rest.pop()!;
  const takesValue = (word: string | undefined) =>
    flagsOf(verb).find((flag) => flagName(flag) === word && flag.flags.includes('<'));
  const [name, value] = last.split(/=(.*)/s);
  const flag = takesValue(last.startsWith('--') ? name : rest.at(-1));
  if (flag) {
    const kind = namedByFlag(flag);
    return kind && { kind, start: last.startsWith('--') ? (value ?? '') : last };
  }
  if (last.startsWith('-')) return undefined;
  const before = rest.filter((word, i) => !word.startsWith('-') && !takesValue(rest[i - 1]));
  const kind = namedArguments(verb, noun.name)[before.length];
  return kind && { kind, start: last };
}
