import type { Words } from './en.ts';

/** Gives the texts of a language the keys of the English ones. @param packed the texts in the same order, with | between them (bundle.cjs) */
export function unpack(english: Words, packed: string): Words {
  const texts = packed.split('|');
  const translate = (_key: string, value: unknown) => (typeof value === 'string' ? texts.shift() : value);
  return JSON.parse(JSON.stringify(english), translate) as Words;
}
