import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Formats, formatsOf } from './formats.ts';
import type { Words } from './words/en.ts';
import { wordsOf } from './words/words.ts';

/** The words and formats of one language. */
export interface Speech {
  words: Words;
  formats: Formats;
}

export function speechOf(lang: string): Speech {
  return { words: wordsOf(lang), formats: formatsOf(lang) };
}

/** The language of the element: `<SpeechContext value={speechOf(lang)}>`. */
export const SpeechContext = createContext(speechOf('en'));

/** Returns the words and formats of the element in which a view is shown. */
export function useSpeech(): Speech {
  return useContext(SpeechContext);
}
