import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Formats, formatsOf } from './formats.ts';
import { fill, type Language, languageOf } from './words/words.ts';

/** The words, the formats and the direction of one language. */
export interface Speech extends Language {
  formats: Formats;
}

export function speechOf(lang: string): Speech {
  const language = languageOf(lang);
  return { ...language, formats: formatsOf(language.locale) };
}

/** Returns how many seats of a departure are free, in words. */
export function seatsLeft(seats: number, { words, formats }: Speech): string {
  return fill(words.times.seatsLeft, { number: formats.number(seats) });
}

/** The language of the element: `<SpeechContext value={speechOf(lang)}>`. */
export const SpeechContext = createContext<Speech | undefined>(undefined);

/** Returns the language of the element in which a view is shown. */
export function useSpeech(): Speech {
  return useContext(SpeechContext)!;
}
