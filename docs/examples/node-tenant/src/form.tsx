import { TourPlatformError } from '@tour-platform/client';
import type { InputHTMLAttributes } from 'preact';
import { logRefusal } from './refusal.js';

/** The fields of a form as they were sent: all are text. */
export type Values = Record<string, string | undefined>;

/** A form, and what the platform has refused of it. */
export interface Form {
  values: Values;
  /** Why a field is refused, by its name. */
  issues: Values;
  refusal?: TourPlatformError;
}

/**
 * Returns the form as it is shown again, with the platform's answer to it.
 * @param nameOf returns the form's name of a field of the platform, where both differ
 * @throws the error, if another input would not help
 */
export function refusedForm(values: Values, error: unknown, nameOf = (field: string) => field): Form {
  if (!(error instanceof TourPlatformError) || ![400, 409].includes(error.status)) throw error;
  logRefusal(error);
  const errors = error.problem?.errors ?? [];
  const issues = Object.fromEntries(errors.map(({ field, message }) => [nameOf(field), message]));
  return { values, issues, refusal: error };
}

interface InputProps {
  label: string;
  /** Follows the label. */
  detail?: string;
  /** A small text below the label. */
  hint?: string;
  name: string;
  form: Form;
  type?: 'text' | 'number' | 'tel' | 'email' | 'date';
  value?: string;
  min?: number;
  max?: number;
  maxLength?: number;
  required?: boolean;
  autocomplete?: 'name' | 'tel' | 'email';
}

/** A field with the value that was sent, and the platform's reason beside it if it is refused. */
export function Input({ label, detail, hint, form: { values, issues }, ...input }: InputProps) {
  const { name, value } = input;
  const issue = issues[name];
  const id = `${name}-issue`;
  const attributes = {
    ...input,
    value: values[name] ?? value,
    'aria-invalid': issue !== undefined,
    'aria-describedby': issue && id,
    // The browser takes the first of them.
    autofocus: issue !== undefined,
  } as InputHTMLAttributes;
  return (
    <div>
      <label>
        <span>
          {label}
          {detail}
        </span>
        {hint && <small>{hint}</small>}
        <input {...attributes} />
      </label>
      {issue && <p id={id} class="issue">{`${label} ${issue}.`}</p>}
    </div>
  );
}
