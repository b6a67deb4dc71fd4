import { ar } from '../../clients/booking-element/src/words/ar';
import { de } from '../../clients/booking-element/src/words/de';
import { en, type Words } from '../../clients/booking-element/src/words/en';
import { es } from '../../clients/booking-element/src/words/es';
import { fr } from '../../clients/booking-element/src/words/fr';
import { ja } from '../../clients/booking-element/src/words/ja';
import { pt } from '../../clients/booking-element/src/words/pt';
import { ptBR } from '../../clients/booking-element/src/words/pt-BR';
import { unpack } from '../../clients/booking-element/src/words/unpack';
import { vi } from '../../clients/booking-element/src/words/vi';
import { languageOf } from '../../clients/booking-element/src/words/words';

type Texts = { [key: string]: string | Texts };

/** Returns each text with the path of its key. */
function textsOf(words: Texts, path = ''): [path: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : textsOf(value, `${path}${key}.`),
  );
}

const ENGLISH = textsOf(en);
const placesOf = (text: string) => [...text.matchAll(/{\w+}/g)].map(([place]) => place).sort();

describe.each(Object.entries({ ar, de, es, fr, ja, pt, 'pt-BR': ptBR, vi }))(
  'the words in %s',
  (tag, words: Words) => {
    it('the words have the keys of the English ones in the same order, because the module has only the texts', () => {
      expect(textsOf(words).map(([path]) => path)).toEqual(ENGLISH.map(([path]) => path));
      const packed = textsOf(words).map(([, text]) => text);
      expect(packed.join('').includes('|')).toBe(false);
      expect(unpack(en, packed.join('|'))).toEqual(words);
    });

    it('the words fill in the same values as the English ones, and leave no text empty', () => {
      const places = textsOf(words).map(([path, text]) => [path, ...placesOf(text)]);
      expect(places).toEqual(ENGLISH.map(([path, text]) => [path, ...placesOf(text)]));
      expect(textsOf(words).filter(([, text]) => text.trim() === '')).toEqual([]);
    });

    it('the language tag has these words', () => {
      expect(languageOf(tag).words).toBe(words);
    });
  },
);

describe('a language tag', () => {
  it.each([
    ['de-AT', de, 'de-AT', 'ltr'],
    ['de-at-1996', de, 'de-AT-1996', 'ltr'],
    ['ar-EG', ar, 'ar-EG', 'rtl'],
    ['pt', pt, 'pt-PT', 'ltr'],
    ['pt-AO', pt, 'pt-AO', 'ltr'],
    ['de_DE', de, 'de-DE', 'ltr'],
    [' de \n', de, 'de', 'ltr'],
    ['pt_br', ptBR, 'pt-BR', 'ltr'],
    ['PT-br', ptBR, 'pt-BR', 'ltr'],
    ['en-GB', en, 'en-GB', 'ltr'],
    ['he', en, 'en', 'ltr'],
    ['', en, 'en', 'ltr'],
    ['not a tag', en, 'en', 'ltr'],
    ['constructor', en, 'en', 'ltr'],
  ])('the language tag %p has its words, formats and direction', (tag, words, locale, direction) => {
    expect(languageOf(tag)).toMatchObject({ locale, direction });
    expect(languageOf(tag).words).toBe(words);
  });
});
