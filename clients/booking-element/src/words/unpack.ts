import type { Words } from './en.ts';

type Texts = { [key: string]: string | Texts };

/** Gives the texts of a language the keys of the English ones. @param packed the texts in the same order, one a line (bundle.cjs) */
export function unpack(english: Words, packed: string): Words {
  const texts = packed.split('\n');
  const withTexts = (shape: Texts): Texts =>
    Object.fromEntries(
      Object.entries(shape).map(([key, value]) => [
        key,
        typeof value === 'string' ? texts.shift()! : withTexts(value),
      ]),
    );
  return withTexts(english) as Words;
}
