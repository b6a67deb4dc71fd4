import { verbName, type Noun, type Verb } from './command';

const UUID = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
const CREDENTIAL = '4nL0pQ8sTzX2';
const NUMBER = '7';

/** What stands for an id in an example, by noun; the others have numbers. */
const IDS: Record<string, string> = {
  key: CREDENTIAL,
  widget: CREDENTIAL,
  hold: UUID,
  webhook: UUID,
  delivery: UUID,
};

const ARGUMENTS: Record<string, string> = {
  slug: 'acme',
  tour: 'dolomites-hut-to-hut',
  date: '2027-06-05',
  ref: 'ACME-1042',
  origin: 'https://acme.example',
  url: 'https://acme.example/webhooks',
  file: 'tours.json',
};

/** Command lines without the leading `tourctl`: the verb's own, or what its usage says with likely arguments. */
export function examplesOf(verb: Verb, noun?: Noun): string[] {
  if (verb.examples) return verb.examples;
  const words = verb.usage
    .split(' ')
    .slice(1)
    .map((form) => form.replace(/[<>[\].]/g, ''))
    .map((name) => ARGUMENTS[name] ?? IDS[noun?.name ?? ''] ?? NUMBER);
  return [[noun?.name, verbName(verb), ...words].filter(Boolean).join(' ')];
}
