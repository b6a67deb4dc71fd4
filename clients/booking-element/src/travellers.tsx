import { questionsFor } from './answers.ts';
import { categoryName } from './category-names.ts';
import { type FieldNames, fitTravellers, type TravellerTexts } from './contact-rules.ts';
import { TextField } from './field.tsx';
import { optional, QuestionFields } from './question-field.tsx';
import { type Speech, useSpeech } from './speech.ts';
import type { Category, Question } from './wire.ts';

interface TravellersProps {
  /** The category of each traveller. */
  categories: readonly Category[];
  questions: readonly Question[];
  travellers: readonly TravellerTexts[];
  issues: FieldNames;
  onChange(travellers: TravellerTexts[]): void;
}

/** The texts of each traveller. */
export const TRAVELLER_FIELDS = ['first_name', 'last_name', 'birth_date'] as const;

/** The names of the travellers, which the visitor may leave out, and what is asked of each. Folded at first if nothing is asked. */
export function Travellers({ categories, questions, travellers, issues, onChange }: TravellersProps) {
  const speech = useSpeech();
  const { words } = speech;
  if (categories.length === 0) return null;
  const texts = fitTravellers(travellers, categories);
  const change = (index: number, changed: Partial<TravellerTexts>) =>
    onChange(texts.map((before, place) => (place === index ? { ...before, ...changed } : before)));
  const asksAny = categories.some(({ code }) => questionsFor(questions, code).length > 0);
  return (
    <details class="travellers" open={asksAny}>
      <summary>{asksAny ? words.summary.party : optional(words.contact.travellers, words)}</summary>
      {texts.map((traveller, index) => (
        <fieldset key={index}>
          <legend>{personName(index, categories[index]!, speech)}</legend>
          {TRAVELLER_FIELDS.map((key) => (
            <TextField
              key={key}
              name={`travellers.${index}.${key}`}
              label={key === 'birth_date' ? optional(words.contact[key], words) : words.contact[key]}
              type={key === 'birth_date' ? 'date' : 'text'}
              value={traveller[key]}
              issues={issues}
              onInput={(value) => change(index, { [key]: value })}
            />
          ))}
          <QuestionFields
            questions={questionsFor(questions, traveller.category)}
            path={`travellers.${index}.answers`}
            answers={traveller.answers}
            issues={issues}
            onChange={(answers) => change(index, { answers })}
          />
        </fieldset>
      ))}
    </details>
  );
}

/** Returns the name of a person without a name: `2. Adult`. */
export function personName(index: number, category: Category, { words, formats }: Speech): string {
  return `${formats.number(index + 1)}. ${categoryName(category, words)}`;
}
