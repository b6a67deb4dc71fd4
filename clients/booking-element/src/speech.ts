import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { directionOf, type Formats, formatsOf } from './formats.ts';
import type { Words } from './words/en.ts';
import { fill, wordsOf } from './words/words.ts';

/** The words, the formats and the direction of one language. */
export interface Speech {
  words: Words;
  formats: Formats;
  direction: 'ltr' | 'rtl';
}

export function speechOf(lang: string): Speech {
  return { words: wordsOf(lang), formats: formatsOf(lang), direction: directionOf(lang) };
}

/** Returns how many seats of a departure are free, in words. */
export function seatsLeft(seats: number, { words, formats }: Speech): string {
  return fill(words.times.seatsLeft, { number: formats.number(seats) });
}

/** The language of the element: `<SpeechContext value={speechOf(lang)}>`. */
export const SpeechContext = createContext(speechOf('en'));

/** Returns the language of the element in which a view is shown. */
export function useSpeech(): Speech {
  return useContext(SpeechContext);
}
