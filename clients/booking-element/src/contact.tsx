import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Asks, questionsFor } from './answers.ts';
import {
  type Contact,
  type FieldNames,
  fitTravellers,
  formField,
  invalidFields,
  type TravellerTexts,
  travellersOf,
} from './contact-rules.ts';
import { type FieldType, TextField } from './field.tsx';
import { Pickup } from './pickup.tsx';
import { optional, QuestionFields } from './question-field.tsx';
import { useSpeech } from './speech.ts';
import { TRAVELLER_FIELDS, Travellers } from './travellers.tsx';
import type { Hold, Problem, Tour } from './wire.ts';
import type { Words } from './words/en.ts';
import { fill } from './words/words.ts';

interface ContactFormProps {
  contact: Contact;
  hold: Hold;
  tour: Tour;
  /** The refusal of the booking, if the platform has refused fields. */
  problem: Problem | undefined;
  /** Shows the summary and the terms, and the button that books. */
  children: ComponentChildren;
  /** Several fields may change before the form is shown again, where a program fills it in. */
  onChange(changed: Partial<Contact>): void;
  onBook(contact: Contact): void;
}

/** Asks who books, what the tour asks, and for the names of the travellers. An error stands at its field, and the first one takes the focus. */
export function ContactForm(props: ContactFormProps) {
  const { contact, hold, tour, problem, children, onChange, onBook } = props;
  const { words } = useSpeech();
  const form = useRef<HTMLFormElement>(null);
  const { issues, setIssues, onInput } = useIssues(form);
  useEffect(() => {
    if (problem) setIssues(refusedFields(problem, form.current!, contact, tour));
  }, [problem]);
  const travellers = travellersOf(hold.party, tour.categories);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = contactIn(form.current!, contact, fitTravellers(contact.travellers, travellers), tour);
    onChange(read);
    const found = invalidFields(read, tour);
    setIssues(found);
    if (found.length === 0) onBook(read);
  };
  const field = (name: 'name' | 'phone' | 'email' | 'notes', type: FieldType, autocomplete?: string) => (
    <TextField
      name={name}
      label={name === 'notes' ? optional(words.contact[name], words) : words.contact[name]}
      type={type}
      autocomplete={autocomplete}
      isRequired={name !== 'notes'}
      value={contact[name]}
      issues={issues}
      issue={issueText(name, words)}
      onInput={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <form ref={form} part="contact" class="contact" noValidate onSubmit={submit} onInput={onInput}>
      <div class="fields">
        <h3>{words.contact.title}</h3>
        {field('name', 'text', 'name')}
        {field('phone', 'tel', 'tel')}
        {field('email', 'email', 'email')}
        <QuestionFields
          questions={questionsFor(tour.questions)}
          path="answers"
          answers={contact.answers}
          issues={issues}
          onChange={(answers) => onChange({ answers })}
        />
        {field('notes', 'textarea')}
        {tour.pickup && (
          <Pickup
            offer={tour.pickup}
            tour={tour}
            hold={hold}
            choice={contact}
            issues={issues}
            onChange={onChange}
          />
        )}
        <Travellers
          categories={travellers}
          questions={tour.questions}
          travellers={contact.travellers}
          issues={issues}
          onChange={(texts) => onChange({ travellers: texts })}
        />
      </div>
      {children}
    </form>
  );
}

/** Returns the fields that a click has refused, without those that the visitor has changed since. The first refused field takes the focus. */
function useIssues(form: RefObject<HTMLFormElement | null>) {
  const [refused, setRefused] = useState<FieldNames>([]);
  const [changed, setChanged] = useState<FieldNames>([]);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    // A group of radio buttons takes no focus itself.
    (field?.querySelector('input') ?? field)?.focus();
  }, [refused]);
  return {
    issues: refused.filter((name) => !changed.includes(name)),
    setIssues: (found: FieldNames) => {
      setRefused(found);
      setChanged([]);
    },
    onInput: ({ target }: Event) => setChanged([...changed, (target as HTMLInputElement).name]),
  };
}

/**
 * Reads the texts of the form, because a program may have filled them in without an event. The choice of a pickup has no text, and a search may
 * hide it.
 */
function contactIn(
  { elements }: HTMLFormElement,
  contact: Contact,
  travellers: readonly TravellerTexts[],
  { questions }: Asks,
): Contact {
  const read = <Name extends string>(names: readonly Name[], path = '') =>
    Object.fromEntries(
      names.map((name) => [name, (elements.namedItem(path + name) as HTMLInputElement).value]),
    ) as Record<Name, string>;
  const answersIn = (path: string, category?: string) =>
    read(
      questionsFor(questions, category).map(({ code }) => code),
      `${path}answers.`,
    );
  return {
    ...contact,
    ...read(['name', 'phone', 'email', 'notes']),
    ...(elements.namedItem('place') && read(['place'])),
    answers: answersIn(''),
    travellers: travellers.map((traveller, index) => ({
      ...traveller,
      ...read(TRAVELLER_FIELDS, `travellers.${index}.`),
      answers: answersIn(`travellers.${index}.`, traveller.category),
    })),
  };
}

/**
 * Returns the fields that the platform has refused, and those that its tour, which is read again, refuses now. The longest text is what can be
 * shortened.
 */
function refusedFields(
  { errors = [], code }: Problem,
  form: HTMLFormElement,
  contact: Contact,
  asks: Asks,
): FieldNames {
  if (code === 'body_too_large') {
    const texts = [...new FormData(form)] as [name: string, text: string][];
    return [texts.reduce((longest, one) => (one[1].length > longest[1].length ? one : longest))[0]];
  }
  const refused = errors.map(({ field }) => formField(field, contact));
  return refused.length > 0 ? [...refused, ...invalidFields(contact, asks)] : [];
}

/** The examples of fields whose form a visitor may not know. */
const EXAMPLES: Record<string, string> = { phone: '+49 30 901820', email: 'ana@example.com' };

/** Returns what is wrong with a field, with an example. */
function issueText(name: string, { contact, problem }: Words): string | undefined {
  const example = EXAMPLES[name];
  // Isolates the example, because a phone number would change its order between Arabic words.
  return example && `${problem.invalid} (${fill(contact.example, { example: `\u2066${example}\u2069` })})`;
}
