import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { categoryName } from './category-names.ts';
import {
  type Contact,
  faultsOf,
  type FieldFaults,
  formField,
  NO_NAMES,
  type TravellerNames,
  travellersOf,
} from './contact-rules.ts';
import { Button } from './parts.tsx';
import { useSpeech } from './speech.ts';
import type { Category, Party, Problem } from './wire.ts';
import type { Words } from './words/en.ts';
import { fill } from './words/words.ts';

interface ContactFormProps {
  contact: Contact;
  party: Party;
  categories: readonly Category[];
  /** The total that the button names. */
  total: string;
  /** The refusal of the booking, if the platform has refused fields. */
  problem: Problem | undefined;
  isOff: boolean;
  onChange(contact: Contact): void;
  onBook(): void;
}

/** Asks who books, and for the names of the travellers. An error stands at its field, and the first one takes the focus. */
export function ContactForm(props: ContactFormProps) {
  const { contact, party, categories, total, problem, isOff, onChange, onBook } = props;
  const { words } = useSpeech();
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<FieldFaults>([]);
  useEffect(() => {
    if (problem) setFaults(refusedFields(problem, contact));
  }, [problem]);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  }, [faults]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (isOff) return;
    const found = faultsOf(contact);
    setFaults(found);
    if (found.length === 0) onBook();
  };
  const field = (name: 'name' | 'phone' | 'email', type: FieldType, autocomplete: string) => (
    <Field
      name={name}
      label={words.contact[name]}
      type={type}
      autocomplete={autocomplete}
      isRequired
      value={contact[name]}
      fault={faultText(faults, name, words)}
      onInput={(value) => onChange({ ...contact, [name]: value })}
    />
  );
  return (
    <form ref={form} part="contact" class="contact" noValidate onSubmit={submit}>
      <h3>{words.contact.title}</h3>
      {field('name', 'text', 'name')}
      {field('phone', 'tel', 'tel')}
      {field('email', 'email', 'email')}
      <Field
        name="notes"
        label={words.contact.notes}
        type="textarea"
        autocomplete="off"
        value={contact.notes}
        fault={faultText(faults, 'notes', words)}
        onInput={(notes) => onChange({ ...contact, notes })}
      />
      <Travellers
        categories={travellersOf(party, categories)}
        travellers={contact.travellers}
        faults={faults}
        onChange={(travellers) => onChange({ ...contact, travellers })}
      />
      <Button isOff={isOff}>{fill(words.contact.book, { total })}</Button>
    </form>
  );
}

/** Returns the fields that the platform has refused. */
function refusedFields({ faults }: Problem, contact: Contact): FieldFaults {
  return faults.map(({ field }) => formField(field, contact));
}

/** The examples of fields whose form a visitor may not know. */
const EXAMPLES: Record<string, string> = { phone: '+49 30 901820', email: 'ana@example.com' };

function faultText(faults: FieldFaults, name: string, { contact, problem }: Words): string | undefined {
  if (!faults.includes(name)) return undefined;
  const example = EXAMPLES[name];
  // Isolates the example, because a phone number would change its order between Arabic words.
  return example
    ? `${problem.invalid} (${fill(contact.example, { example: `\u2066${example}\u2069` })})`
    : problem.invalid;
}

/** The type of an input, or a textarea. */
type FieldType = 'text' | 'tel' | 'email' | 'date' | 'textarea';

interface FieldProps {
  /** Names the field for the platform, and so its ids. */
  name: string;
  label: string;
  type: FieldType;
  autocomplete: string;
  isRequired?: boolean;
  value: string;
  fault: string | undefined;
  onInput(value: string): void;
}

function Field({ name, label, type, autocomplete, isRequired, value, fault, onInput }: FieldProps) {
  const id = `field-${name}`;
  const attributes = {
    id,
    name,
    value,
    autocomplete,
    required: isRequired,
    maxLength: type === 'textarea' ? 2000 : 200,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? undefined : `${id}-error`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'textarea'
        ? h('textarea', { ...attributes, rows: 3 })
        : h('input', { ...attributes, type: type as 'text' })}
      {fault !== undefined && (
        <p id={`${id}-error`} class="error">
          {fault}
        </p>
      )}
    </div>
  );
}

interface TravellersProps {
  /** The category of each traveller. */
  categories: Category[];
  travellers: readonly TravellerNames[];
  faults: FieldFaults;
  onChange(travellers: TravellerNames[]): void;
}

/** The names of the travellers, which the visitor may leave out. */
function Travellers({ categories, travellers, faults, onChange }: TravellersProps) {
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
        const field = (name: string, key: keyof TravellerNames, label: string) => (
          <Field
            name={`travellers.${index}.${name}`}
            label={label}
            type={key === 'birth' ? 'date' : 'text'}
            autocomplete="off"
            value={names[key]}
            fault={faultText(faults, `travellers.${index}.${name}`, words)}
            onInput={(value) => change(index, { [key]: value })}
          />
        );
        return (
          <fieldset key={index}>
            <legend>{`${formats.number(index + 1)}. ${categoryName(category, words)}`}</legend>
            {field('first_name', 'first', words.contact.firstName)}
            {field('last_name', 'last', words.contact.lastName)}
            {field('birth_date', 'birth', words.contact.birthDate)}
          </fieldset>
        );
      })}
    </details>
  );
}
