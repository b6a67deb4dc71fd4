import { h } from 'preact';
import type { FieldNames } from './contact-rules.ts';
import { useSpeech } from './speech.ts';

export interface FieldProps {
  /** Names the field for the platform, and so its ids. */
  name: string;
  label: string;
  isRequired?: boolean;
  value: string;
  /** The fields that are missing or wrong. */
  issues: FieldNames;
  /** Says which values are right. */
  hint?: string | undefined;
  /** Says what is wrong with a value. */
  issue?: string | undefined;
  onInput(value: string): void;
}

/** Returns the id of a field, its attributes for screen readers, and the texts below it: the hint and the error. */
export function useField({
  name,
  value,
  isRequired,
  issues,
  hint,
  issue,
}: Omit<FieldProps, 'label' | 'onInput'>) {
  const { problem } = useSpeech().words;
  const id = `field-${name}`;
  const isInvalid = issues.includes(name);
  const described = [hint && `${id}-hint`, isInvalid && `${id}-error`].filter(Boolean).join(' ');
  return {
    id,
    aria: {
      'aria-required': isRequired,
      'aria-invalid': isInvalid,
      'aria-describedby': described || undefined,
    },
    notes: (
      <>
        {hint && (
          <p id={`${id}-hint`} class="detail">
            {hint}
          </p>
        )}
        {isInvalid && (
          <p id={`${id}-error`} class="error">
            {value.trim() ? (issue ?? problem.invalid) : problem.required}
          </p>
        )}
      </>
    ),
  };
}

/** The type of an input, or a textarea. */
export type FieldType = 'text' | 'tel' | 'email' | 'date' | 'textarea';

/**
 * The longest text of a field in characters. The platform allows names of 200, but a body of 64 KiB: the longest texts of a party of fifty fit
 * into it in any script, with three bytes a character.
 */
const CHARACTERS_MAX: Partial<Record<FieldType, number>> = { tel: 40, email: 254, textarea: 2000 };
const OF_OTHERS_MAX = 100;

interface TextFieldProps extends FieldProps {
  type: FieldType;
  /** Names the value that the browser may fill in. */
  autocomplete?: string | undefined;
  maxLength?: number | undefined;
  inputMode?: 'decimal' | undefined;
}

export function TextField(props: TextFieldProps) {
  const { name, label, type, value, autocomplete = 'off', maxLength, inputMode, onInput } = props;
  const { id, aria, notes } = useField(props);
  const read = ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value);
  const attributes = {
    ...aria,
    id,
    name,
    // The field keeps what it has until the form is sent.
    defaultValue: value,
    autocomplete,
    inputMode,
    maxLength: maxLength ?? CHARACTERS_MAX[type] ?? OF_OTHERS_MAX,
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
      {notes}
    </div>
  );
}

/** A choice of a field, with its text. */
export type Option = [value: string, text: string];

interface ChoiceFieldProps extends FieldProps {
  options: readonly Option[];
}

export function SelectField(props: ChoiceFieldProps) {
  const { name, label, value, options, onInput } = props;
  const { id, aria, notes } = useField(props);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        {...aria}
        id={id}
        name={name}
        value={value}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        {options.map(([code, text]) => (
          <option key={code} value={code}>
            {text}
          </option>
        ))}
      </select>
      {notes}
    </div>
  );
}

export function RadioField(props: ChoiceFieldProps) {
  const { name, label, value, options, onInput } = props;
  const { id, aria, notes } = useField(props);
  return (
    <div class="field" role="radiogroup" aria-labelledby={id} {...aria}>
      <span id={id} class="label">
        {label}
      </span>
      {options.map(([code, text]) => (
        <label key={code} class="choice">
          <input
            type="radio"
            name={name}
            value={code}
            checked={code === value}
            onChange={() => onInput(code)}
          />
          <span>{text}</span>
        </label>
      ))}
      {notes}
    </div>
  );
}
