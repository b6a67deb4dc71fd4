import { type ComponentChildren, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { categoryName } from './category-names.ts';
import {
  type Contact,
  invalidFields,
  type FieldNames,
  formField,
  NO_NAMES,
  type TravellerNames,
  travellersOf,
} from './contact-rules.ts';
import { useSpeech } from './speech.ts';
import type { Category, Party, Problem } from './wire.ts';
import type { Words } from './words/en.ts';
import { fill } from './words/words.ts';

interface ContactFormProps {
  contact: Contact;
  party: Party;
  categories: readonly Category[];
  /** The refusal of the booking, if the platform has refused fields. */
  problem: Problem | undefined;
  /** Shows the summary and the terms, and the button that books. */
  children: ComponentChildren;
  /** Several fields may change before the form is shown again, where a program fills it in. */
  onChange(changed: Partial<Contact>): void;
  onBook(contact: Contact): void;
}

/** Asks who books, and for the names of the travellers. An error stands at its field, and the first one takes the focus. */
export function ContactForm(props: ContactFormProps) {
  const { contact, party, categories, problem, children, onChange, onBook } = props;
  const { words } = useSpeech();
  const form = useRef<HTMLFormElement>(null);
  const [issues, setIssues] = useState<FieldNames>([]);
  useEffect(() => {
    if (problem) setIssues(refusedFields(problem, contact));
  }, [problem]);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  }, [issues]);
  const travellers = travellersOf(party, categories);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = contactIn(form.current!, travellers);
    onChange(read);
    const found = invalidFields(read);
    setIssues(found);
    if (found.length === 0) onBook(read);
  };
  const field = (name: 'name' | 'phone' | 'email' | 'notes', type: FieldType, autocomplete?: string) => (
    <Field
      name={name}
      label={words.contact[name]}
      type={type}
      autocomplete={autocomplete}
      isRequired={name !== 'notes'}
      value={contact[name]}
      issues={issues}
      onInput={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <form ref={form} part="contact" class="contact" noValidate onSubmit={submit}>
      <div class="fields">
        <h3>{words.contact.title}</h3>
        {field('name', 'text', 'name')}
        {field('phone', 'tel', 'tel')}
        {field('email', 'email', 'email')}
        {field('notes', 'textarea')}
        <Travellers
          categories={travellers}
          travellers={contact.travellers}
          issues={issues}
          onChange={(names) => onChange({ travellers: names })}
        />
      </div>
      {children}
    </form>
  );
}

/** Reads the texts of the form, because a program may have filled them in without an event. */
function contactIn({ elements }: HTMLFormElement, travellers: readonly Category[]): Contact {
  const read = (name: string) => (elements.namedItem(name) as HTMLInputElement).value;
  return {
    name: read('name'),
    phone: read('phone'),
    email: read('email'),
    notes: read('notes'),
    travellers: travellers.map((_, index) => ({
      first_name: read(`travellers.${index}.first_name`),
      last_name: read(`travellers.${index}.last_name`),
      birth_date: read(`travellers.${index}.birth_date`),
    })),
  };
}

/** Returns the fields that the platform has refused. The notes are what a larger party can shorten. */
function refusedFields({ errors = [], code }: Problem, contact: Contact): FieldNames {
  if (code === 'body_too_large' && contact.notes) return ['notes'];
  return errors.map(({ field }) => formField(field, contact));
}

/** The examples of fields whose form a visitor may not know. */
const EXAMPLES: Record<string, string> = { phone: '+49 30 901820', email: 'ana@example.com' };

function issueText(name: string, value: string, { contact, problem }: Words): string {
  if (!value.trim()) return problem.required;
  const example = EXAMPLES[name];
  // Isolates the example, because a phone number would change its order between Arabic words.
  return example
    ? `${problem.invalid} (${fill(contact.example, { example: `\u2066${example}\u2069` })})`
    : problem.invalid;
}

/** The type of an input, or a textarea. */
type FieldType = 'text' | 'tel' | 'email' | 'date' | 'textarea';

/**
 * The longest text of a field in characters. The platform allows names of 200, but a body of 64 KiB: the longest texts of a party of fifty fit
 * into it in any script, with three bytes a character.
 */
const CHARACTERS_MAX: Partial<Record<FieldType, number>> = { tel: 40, email: 254, textarea: 2000 };
const OF_OTHERS_MAX = 100;

interface FieldProps {
  /** Names the field for the platform, and so its ids. */
  name: string;
  label: string;
  type: FieldType;
  /** Names the value that the browser may fill in. */
  autocomplete?: string;
  isRequired?: boolean;
  value: string;
  /** The fields that are missing or wrong. */
  issues: FieldNames;
  onInput(value: string): void;
}

function Field({ name, label, type, autocomplete = 'off', isRequired, value, issues, onInput }: FieldProps) {
  const { words } = useSpeech();
  const isInvalid = issues.includes(name);
  const id = `field-${name}`;
  const read = ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value);
  const attributes = {
    id,
    name,
    // The field keeps what it has until the form is sent.
    defaultValue: value,
    autocomplete,
    required: isRequired,
    maxLength: CHARACTERS_MAX[type] ?? OF_OTHERS_MAX,
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? `${id}-error` : undefined,
    onInput: read,
    // Some programs that fill in forms send this event alone.
    onChange: read,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'textarea'
        ? h('textarea', { ...attributes, rows: 3 })
        : h('input', { ...attributes, type: type as 'text' })}
      {isInvalid && (
        <p id={`${id}-error`} class="error">
          {issueText(name, value, words)}
        </p>
      )}
    </div>
  );
}

interface TravellersProps {
  /** The category of each traveller. */
  categories: Category[];
  travellers: readonly TravellerNames[];
  issues: FieldNames;
  onChange(travellers: TravellerNames[]): void;
}

const TRAVELLER_FIELDS = ['first_name', 'last_name', 'birth_date'] as const;

/** The names of the travellers, which the visitor may leave out. */
function Travellers({ categories, travellers, issues, onChange }: TravellersProps) {
  const { words, formats } = useSpeech();
  if (categories.length === 0) return null;
  const change = (index: number, names: Partial<TravellerNames>) =>
    onChange(
      categories.map((_, place) => {
        const before = travellers[place] ?? NO_NAMES;
        return place === index ? { ...before, ...names } : before;
      }),
    );
  return (
    <details class="travellers">
      <summary>{words.contact.travellers}</summary>
      {categories.map((category, index) => {
        const names = travellers[index] ?? NO_NAMES;
        return (
          <fieldset key={index}>
            <legend>{`${formats.number(index + 1)}. ${categoryName(category, words)}`}</legend>
            {TRAVELLER_FIELDS.map((key) => (
              <Field
                key={key}
                name={`travellers.${index}.${key}`}
                label={words.contact[key]}
                type={key === 'birth_date' ? 'date' : 'text'}
                value={names[key]}
                issues={issues}
                onInput={(value) => change(index, { [key]: value })}
              />
            ))}
          </fieldset>
        );
      })}
    </details>
  );
}
