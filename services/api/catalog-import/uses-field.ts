import { z } from 'zod';
import { NAME_MAX, PHONE_MAX } from '../../platform/forms/lengths';
import { contactForm, emailForm } from '../../platform/forms/texts';
import { minutesOf } from '../catalog/cutoff';
import { isTimeZone } from '../../platform/forms/days';
import { PLACES_MAX, RESOURCE_KINDS, RESOURCE_UNITS_MAX } from '../resources/resource';
import { isSlug } from '../../platform/forms/text-forms';
import {
  choiceField,
  expecting,
  formField,
  integerField,
  lineField,
  listField,
  objectField,
  textField,
} from './field-checks';
import { CUTOFF } from './sale-terms';

/** The most resources that a tour or departure uses. */
const USES_MAX = 4;

const flagField = z.boolean(expecting('must be true or false'));

/** One resource that a departure uses, and for how long. */
const USE = objectField({
  resource: textField(isSlug, 'must be the code of a resource, such as boat-maria'),
  shared: flagField.nullish(),
  minutes: integerField(1, 999_999).nullish(),
  before: CUTOFF.nullish(),
  after: CUTOFF.nullish(),
}).transform(
  (use) => Object.fromEntries(Object.entries(use).filter(([, part]) => part != null)) as unknown as Use,
);

/** A use as the database has it: without the parts that are not given. */
interface Use {
  /** The code of the resource. */
  resource: string;
  shared?: boolean;
  /** The minutes after the start at which the departure leaves the resource. */
  minutes?: number;
  before?: string;
  after?: string;
}

/** The resources that the departures of a tour, or one departure, use: each once. issues.repository.ts checks that they exist. */
export const USES = listField(USE, USES_MAX).superRefine((uses, context) => {
  const codes = uses.map(({ resource }) => resource);
  const twice = codes.findIndex((code, at) => codes.indexOf(code) < at);
  if (twice < 0) return;
  context.addIssue({ code: 'custom', path: [twice, 'resource'], message: 'is used twice' });
});

const CODE = textField(
  (text) => isSlug(text),
  'must be 2 to 63 of a-z, 0-9 and inner dashes, such as boat-maria',
);

/** A resource of a file. An omitted field keeps the stored value; null clears one that may be empty. */
export const RESOURCE = objectField({
  code: CODE,
  name: lineField(NAME_MAX).optional(),
  kind: choiceField(...RESOURCE_KINDS).optional(),
  places: integerField(1, PLACES_MAX).nullish(),
  units: integerField(1, RESOURCE_UNITS_MAX).optional(),
  // Minutes in the database.
  turnaround: CUTOFF.transform(minutesOf).optional(),
  time_zone: textField(isTimeZone, 'must be an IANA time zone such as Europe/Berlin').optional(),
  phone: formField(contactForm(PHONE_MAX)).nullish(),
  email: formField(emailForm()).nullish(),
});
