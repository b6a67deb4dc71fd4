import { birthDateForm } from '../../platform/forms/days';
import { type Form, ofText } from '../../platform/forms/form';
import { lineForm, notesForm, personNameForm } from '../../platform/forms/texts';
import type { Traveller } from '../bookings/booking-lead';
import { foldLine } from '../catalog-import/field-checks';

/** Returns the form of a text that is one line. */
function inOneLine(form: Form<string>): Form<string> {
  return ofText((text) => form(foldLine(text)));
}

const FORMS: Record<keyof Traveller, { form: Form<string>; isRequired: boolean }> = {
  category: { form: inOneLine(lineForm(32)), isRequired: true },
  first_name: { form: inOneLine(personNameForm), isRequired: true },
  last_name: { form: inOneLine(personNameForm), isRequired: true },
  birth_date: { form: birthDateForm, isRequired: false },
  note: { form: notesForm, isRequired: false },
};

/** Reads the travellers of a row: JSON, as text or as a value. Returns what is wrong instead, without a value of the row. */
export function readTravellers(given: unknown): Traveller[] | { issue: string } {
  const list = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(list)) return { issue: 'must be a JSON list of travellers' };
  const read: Traveller[] = [];
  for (const [index, one] of list.entries()) {
    const traveller = readTraveller(one);
    if (typeof traveller === 'string') return { issue: `${index}.${traveller}` };
    read.push(traveller);
  }
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the traveller, or the field with what is wrong. */
function readTraveller(given: unknown): Traveller | string {
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  const read: Record<string, string | null> = {};
  for (const [field, { form, isRequired }] of Object.entries(FORMS)) {
    const value = fields[field] ?? null;
    if (value === null && !isRequired) {
      read[field] = null;
      continue;
    }
    const reading = form(value);
    if (reading.issue !== undefined) return `${field} ${reading.issue}`;
    read[field] = reading.value;
  }
  return read as unknown as Traveller;
}
