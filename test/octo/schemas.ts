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

/** Expects an answer of this kind by the standard's schema. @returns its body */
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

/** Expects OCTO's form of an error, with the offending id if there is one. */
export function expectOctoError(response: Response, status: number, error: string, id: object = {}): void {
  expectOcto(response, 'error', status);
  expect(response.body).toEqual({ error, errorMessage: expect.stringMatching(/\S/), ...id });
}

/**
 * Adds a start time to options without one, because the schema requires one. The standard's validator requires an empty list
 * for products with opening hours.
 */
function withStartTimes(body: unknown): unknown {
  const text = JSON.stringify(body).replaceAll(
    '"availabilityLocalStartTimes":[]',
    '"availabilityLocalStartTimes":["00:00"]',
  );
  return JSON.parse(text);
}
