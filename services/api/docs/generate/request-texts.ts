import type { Parameter, Schema } from '../openapi-document';

/** The limits of a text in requests, which the readers of http/input.ts check. */
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

/** Control characters and line separators: CONTROL_CHARACTER in platform/text-forms.ts. */
const NOT_IN_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** The characters of NOT_IN_LINE except the tab, line breaks and line separators. */
const NOT_IN_PROSE = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
/** NOT_IN_LINE and the characters that change the text direction. */
const NOT_IN_REFERENCE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';

/** The texts of REST, by the name of their field. They are trimmed, and must not be empty. */
const REST: Record<string, RequestText> = {
  email: { maxLength: 254, mayHaveDirection: true },
  external_ref: { maxLength: 128 },
  first_name: { maxLength: 200, mayHaveDirection: true },
  last_name: { maxLength: 200, mayHaveDirection: true },
  name: { maxLength: 200, mayHaveDirection: true },
  note: { maxLength: 2000, isProse: true },
  notes: { maxLength: 2000, isProse: true },
  // A phone number has at least six digits.
  phone: { maxLength: 40, minLength: 6, mayHaveDirection: true },
  reason: { maxLength: 500, isProse: true },
};

/** The texts of OCTO, by the name of their field. An empty text counts as missing. */
const OCTO: Record<string, RequestText> = {
  country: { maxLength: 64 },
  emailAddress: { maxLength: 254, mayHaveDirection: true },
  firstName: { maxLength: 200, mayHaveDirection: true },
  fullName: { maxLength: 200, mayHaveDirection: true },
  lastName: { maxLength: 200, mayHaveDirection: true },
  notes: { maxLength: 2000, isProse: true },
  phoneNumber: { maxLength: 40, mayHaveDirection: true },
  postalCode: { maxLength: 32 },
  reason: { maxLength: 500, isProse: true },
  resellerReference: { maxLength: 128 },
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
