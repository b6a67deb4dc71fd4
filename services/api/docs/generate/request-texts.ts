import {
  EMAIL_MAX,
  NAME_MAX,
  NOTES_MAX,
  PHONE_MAX,
  REASON_MAX,
  REFERENCE_MAX,
} from '../../../platform/forms/lengths';
import type { Parameter, Schema } from '../openapi-document';

/** The limits of a text in requests, which the readers of platform/forms/texts.ts check. */
interface RequestText {
  maxLength: number;
  minLength?: number;
  /** True: the text may contain tabs, line breaks and marks of direction. */
  isProse?: boolean;
  /**
   * True: the text may have marks that change its direction. A contact loses them; in other texts they must end, which no pattern can say.
   */
  mayHaveDirection?: boolean;
}

/** Control characters and line separators: CONTROL_CHARACTER in platform/forms/text-forms.ts. */
const NOT_IN_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** The characters of NOT_IN_LINE except the tab, line breaks and line separators. */
const NOT_IN_PROSE = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
/** NOT_IN_LINE and the characters that change the text direction. */
const NOT_IN_REFERENCE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';

/** The texts of REST, by the name of their field. They are trimmed, and must not be empty. */
const REST: Record<string, RequestText> = {
  email: { maxLength: EMAIL_MAX, mayHaveDirection: true },
  external_ref: { maxLength: REFERENCE_MAX },
  first_name: { maxLength: NAME_MAX, mayHaveDirection: true },
  last_name: { maxLength: NAME_MAX, mayHaveDirection: true },
  name: { maxLength: NAME_MAX, mayHaveDirection: true },
  note: { maxLength: NOTES_MAX, isProse: true },
  notes: { maxLength: NOTES_MAX, isProse: true },
  // A phone number has at least six digits.
  phone: { maxLength: PHONE_MAX, minLength: 6, mayHaveDirection: true },
  reason: { maxLength: REASON_MAX, isProse: true },
};

/** The texts of OCTO, by the name of their field. An empty text counts as missing. */
const OCTO: Record<string, RequestText> = {
  country: { maxLength: 64 },
  emailAddress: { maxLength: EMAIL_MAX, mayHaveDirection: true },
  firstName: { maxLength: NAME_MAX, mayHaveDirection: true },
  fullName: { maxLength: NAME_MAX, mayHaveDirection: true },
  lastName: { maxLength: NAME_MAX, mayHaveDirection: true },
  notes: { maxLength: NOTES_MAX, isProse: true },
  phoneNumber: { maxLength: PHONE_MAX, mayHaveDirection: true },
  postalCode: { maxLength: 32 },
  reason: { maxLength: REASON_MAX, isProse: true },
  resellerReference: { maxLength: REFERENCE_MAX },
};

/** Limits the texts of a schema of requests. */
export function limitTexts(name: string, schema: Schema): void {
  const isOcto = name.startsWith('Octo');
  for (const [field, part] of Object.entries(schema.properties ?? {})) {
    const text = (isOcto ? OCTO : REST)[field];
    if (text && part.type === 'string') limitText(part, text, isOcto);
  }
  if (!CHANGES.includes(name)) return;
  schema.minProperties = 1;
  const { customer } = schema.properties!;
  if (customer) customer.minProperties = 1;
}

function limitText(part: Schema, text: RequestText, isOcto: boolean): void {
  const { maxLength, minLength } = text;
  const refused = refusedIn(text);
  const least = minLength ?? (isOcto ? undefined : 1);
  // In REST, at least one character must not be white space. In OCTO, a text may be empty.
  part.pattern = isOcto ? `^[^${refused}]*$` : `^[^${refused}]*[^\\s${refused}][^${refused}]*$`;
  part.maxLength = maxLength;
  if (least !== undefined) part.minLength = least;
}

function refusedIn({ isProse, mayHaveDirection }: RequestText): string {
  if (isProse) return NOT_IN_PROSE;
  return mayHaveDirection ? NOT_IN_LINE : NOT_IN_REFERENCE;
}

/** The schemas of changes by REST. A change must name at least one field. A `customer` in a change must also have at least one field. */
const CHANGES = ['HoldPatch', 'BookingPatch'];

/** Limits a text in a query: http/query-parameters.ts refuses empty texts and control characters in every parameter. */
export function limitQueryText({ in: place, schema }: Parameter): void {
  if (place !== 'query' || schema.type !== 'string') return;
  if (schema.enum || schema.format) return;
  schema.minLength = 1;
  schema.pattern ??= `^[^${NOT_IN_REFERENCE}]*$`;
}
