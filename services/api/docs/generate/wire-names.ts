import { sealCursor } from '../../http/paging';
import type { Schema } from '../openapi-document';

/** The description of a field name of the API. A description or an @example in a dto takes precedence. */
interface WireName {
  description?: string;
  example?: unknown;
  format?: 'date' | 'date-time' | 'uuid' | 'idn-email' | 'uri';
  /** The most characters of the text in a request. */
  maxLength?: number;
}

const ID = '6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21';
export const CURSOR = sealCursor('example', 'example', { nameFolded: 'ha long bay cruise', id: ID });

/**
 * Describes the field names of the API. All examples belong to one purchase by two adults. For one adult, the platform's price is 445.00
 * EUR. The tenant's price is ten percent higher, 489.50 EUR.
 */
const NAMES: Record<string, WireName> = {
  adult: { description: 'One adult.', example: 489.5 },
  adults: { description: 'Number of adults.', example: 2 },
  alt: {
    description: 'Description of the picture for people who do not see it.',
    example: 'Limestone islands at dawn',
  },
  applies_to: { description: 'Tours that the rule applies to.', example: 'continent' },
  as_of: { format: 'date-time', example: '2027-01-12T09:29:57.120Z' },
  available: { example: true },
  birth_date: { description: 'Day of birth, YYYY-MM-DD.', format: 'date', example: '1990-05-04' },
  booking_ref: { description: "The tenant's prefix, a dash, and lead_id.", example: 'ACME-1042' },
  cancellation_policy: {
    description: 'Plain text.',
    example: 'Free until 30 days before departure, then 50 %.',
  },
  cancel_reason: { description: 'As given with the cancellation.', example: null },
  cancelled_at: { format: 'date-time', example: null },
  category: { description: 'Price category.', example: 'adult' },
  child: { description: 'One child.', example: 342.65 },
  children: { description: 'Number of children.', example: 0 },
  closes_at: { format: 'date-time', example: '2027-03-03T02:30:00.000Z' },
  confirmed_at: { format: 'date-time', example: null },
  continent: { example: 'asia' },
  country: { example: 'VN' },
  created_at: { description: 'RFC 3339, UTC.', format: 'date-time', example: '2027-01-12T09:30:00.000Z' },
  currency: { description: 'ISO 4217.', example: 'EUR' },
  cursor: { example: CURSOR },
  customer: { description: 'The customer. Optional fields may be omitted.' },
  day: { description: 'Counted from 1.', example: 1 },
  departs_from: { format: 'date', example: '2027-03-01' },
  departs_to: { format: 'date', example: '2027-03-31' },
  departure_date: { description: 'YYYY-MM-DD.', format: 'date', example: '2027-03-06' },
  departure_time: { example: '09:30' },
  departure_from: { format: 'date', example: '2027-03-01' },
  departure_to: { format: 'date', example: '2027-03-31' },
  deposit: { description: "One adult's deposit.", example: 97.9 },
  deposit_percent: { description: 'Part of the total that is due now.', example: 20 },
  deposit_total: { description: 'Amount that is due now, in major units; 0 with `reserve`.', example: 195.8 },
  description: {
    description: 'Plain text, with line breaks.',
    example: 'Three days between limestone islands.',
  },
  duration_max: { example: 10 },
  duration_min: { example: 3 },
  duration_days: { description: 'Days on tour.', example: 3 },
  email: {
    description: "The customer's e-mail address.",
    // Allows letters of any script (RFC 6531).
    format: 'idn-email',
    example: 'ana@example.com',
  },
  exclusions: { description: 'Not included in the price.', example: ['Flights'] },
  expected_total: { example: 979 },
  expires_at: { format: 'date-time', example: '2027-01-12T09:50:00.000Z' },
  external_ref: { description: "The website's own reference.", maxLength: 128, example: 'cart-81' },
  first_name: { example: 'Ana' },
  from: { format: 'date', example: '2027-03-01' },
  group_size_max: { description: 'Maximum number of travellers in one group.', example: 16 },
  hold_id: {
    description: 'Id of the hold.',
    format: 'uuid',
    example: '0f8c6a52-6a1b-4a4e-8e0c-0f6a1c9d2b77',
  },
  hold_minutes: { description: 'Duration of the hold.', example: 20 },
  id: { description: 'UUID.', format: 'uuid', example: ID },
  id_or_slug: { example: 'ha-long-bay-cruise' },
  image_url: {
    description: 'Cover picture.',
    format: 'uri',
    example: 'https://images.example.com/ha-long.jpg',
  },
  inclusions: {
    description: 'Included in the price.',
    example: ['Cabin with a window', 'All meals on board'],
  },
  kind: {
    description: 'Kind of the value: a percentage, an amount that is added, or the price itself.',
    example: 'percent',
  },
  last_name: { example: 'Lima' },
  languages: { description: 'Spoken by the guides, as language tags.', example: ['en', 'vi'] },
  lang: { example: 'de' },
  lat: { description: 'WGS 84, degrees.', example: 20.9101 },
  lead_id: { description: 'Number of the booking lead.', example: 1042 },
  limit: { description: 'Items a page.', example: 12 },
  localDate: { format: 'date', example: '2027-03-06' },
  localDateEnd: { format: 'date', example: '2027-03-31' },
  localDateStart: { format: 'date', example: '2027-03-01' },
  lng: { description: 'WGS 84, degrees.', example: 107.1839 },
  name: { description: "The customer's name.", example: 'Ana Lima' },
  next_cursor: { example: CURSOR },
  next_departure_date: { format: 'date', example: '2027-03-06' },
  note: { description: 'A note on this traveller.', example: 'Vegetarian' },
  notes: {
    description: 'Free text for the operator; may contain line breaks.',
    example: 'Vegetarian',
  },
  number: { description: 'Number of travellers, or of supplements.', example: 2 },
  payment_due_at: { format: 'date-time', example: '2027-01-15T09:30:00.000Z' },
  payment_method: { description: 'How the customer pays; `reserve` takes no deposit.', example: 'bank' },
  payment_note: { example: 'Please transfer the deposit to DE02 1203 0000 0000 2020 51.' },
  phone: {
    description:
      "The customer's phone number: E.164, or as dialled in the tenant's country. The first number of the text counts.",
    example: '+4930901820',
  },
  phone_as_sent: {
    description:
      'The phone number with the text around it, as sent. Absent if the text says no more than the number.',
    example: '+49 30 901820 (Anna)',
  },
  phone_country: { example: 'DE' },
  platform_unit_price: {
    description: "The platform's price of one unit of the first category, in major units.",
    example: 445,
  },
  price_from: { example: 489.5 },
  q: { example: 'ha long', maxLength: 100 },
  quantity: { description: 'Seats.', example: 2 },
  reason: { example: 'The customer is ill.' },
  requested: { description: 'Requested seats.', example: 2 },
  return_date: { format: 'date', example: '2027-03-08' },
  rule: { description: "The pricing rule that decided the price; null: the platform's price applies." },
  resellerReference: { maxLength: 128, example: 'R-81' },
  seats_available: { description: 'Free seats.', example: 7 },
  seats_total: { description: 'Seats of the departure.', example: 16 },
  single_supplement: { description: 'Surcharge for one traveller in a room.', example: 132 },
  single_supplements: { description: 'Number of adults with a room alone.', example: 0 },
  slug: { description: 'Readable name in URLs.', example: 'ha-long-bay-cruise' },
  sort: { example: 'next_departure_date' },
  source: { description: 'Source of the booking.', example: 'tenant_api' },
  start_time: { example: '09:30' },
  status: { example: 'pending_payment' },
  summary: { description: 'One line.', example: 'Overnight among limestone islands' },
  supplierReference: { maxLength: 128, example: 'ACME-1042' },
  tag: { maxLength: 100, example: 'kayak' },
  tags: { description: 'Keywords of the tour.', example: ['cruise', 'kayak'] },
  time_zone: { example: 'Asia/Ho_Chi_Minh' },
  to: { format: 'date', example: '2027-03-31' },
  total: { description: 'Unit price times number, in major units.', example: 979 },
  total_price: { description: 'For all travellers, in major units.', example: 979 },
  tour_id: { example: 'ha-long-bay-cruise' },
  unit_price: {
    description: "The tenant's price of one unit of the first category, in major units.",
    example: 489.5,
  },
  updated_at: { format: 'date-time', example: '2027-01-10T16:04:11.000Z' },
  updated_since: { format: 'date-time', example: '2027-01-12T09:29:57.120Z' },
  uuid: {
    description: 'UUID of the booking.',
    format: 'uuid',
    example: '0d3c1b52-6f0a-4a3e-9d4e-0f1f3f6f7a11',
  },
  url: {
    description: 'Address.',
    format: 'uri',
    example: 'https://www.example.com/tours/ha-long-bay-cruise',
  },
  value: { description: 'Per cent, or money in major units.', example: 10 },
};

/**
 * Adds the description of the field's name to a field of a dto. Skips a field with its own example. Also skips a field whose type does not
 * allow the example of the name: there the name has another meaning.
 */
export function explainName(name: string, schema: Schema, inRequest: boolean): void {
  const known = NAMES[name];
  if (!known || schema.$ref || schema.example !== undefined || !allows(schema, known.example)) return;
  const { maxLength, ...meaning } = known;
  const limit = inRequest && maxLength ? { maxLength } : {};
  Object.assign(schema, { ...meaning, ...limit, ...schema });
}

function allows({ type, enum: values, nullable }: Schema, example: unknown): boolean {
  if (example === undefined || (example === null && nullable)) return true;
  if (values) return values.includes(example);
  if (type === 'integer') return Number.isInteger(example);
  return type === (Array.isArray(example) ? 'array' : typeof example);
}
