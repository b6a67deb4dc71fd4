import {
  zAvailability,
  zAvailabilityCalendar,
  zBaseError,
  zBooking,
  zCapability,
  zProduct,
  zSupplier,
} from '@octocloud/types';
import type { Response } from 'supertest';

/** The standard's own schemas of its answers. */
export const SCHEMAS = {
  supplier: zSupplier,
  capabilities: zCapability.array(),
  product: zProduct,
  products: zProduct.array(),
  calendar: zAvailabilityCalendar.array(),
  availability: zAvailability.array(),
  booking: zBooking,
  bookings: zBooking.array(),
  error: zBaseError,
};

/** Checks an answer against the standard's schema for this kind. @returns the body of the answer */
export function expectOcto(response: Response, kind: keyof typeof SCHEMAS, status = 200) {
  expect([response.status, response.type, response.body]).toEqual([
    status,
    'application/json',
    expect.anything(),
  ]);
  const { error } = SCHEMAS[kind].safeParse(withStartTimes(response.body));
  expect(error?.issues ?? []).toEqual([]);
  return response.body;
}

/** Matches the names of fields of REST: an error of OCTO names the field that the client sent. The code of a category is no such name. */
const REST_FIELD =
  /\b(?!single_supplement\b)[a-z]+_[a-z_]+\b|^(adults|children|quantity|travellers|name|phone|email) /;

/** Expects OCTO's form of an error, with the offending id if there is one. The message names no field of REST. */
export function expectOctoError(response: Response, status: number, error: string, id: object = {}): void {
  expectOcto(response, 'error', status);
  expect(response.body).toEqual({ error, errorMessage: expect.stringMatching(/\S/), ...id });
  expect(response.body.errorMessage).not.toMatch(REST_FIELD);
}

/**
 * Adds a start time to each option without one, because the standard's schema requires one. For products with opening hours, the
 * standard's validator requires an empty list.
 */
function withStartTimes(body: unknown): unknown {
  const text = JSON.stringify(body).replaceAll(
    '"availabilityLocalStartTimes":[]',
    '"availabilityLocalStartTimes":["00:00"]',
  );
  return JSON.parse(text);
}
