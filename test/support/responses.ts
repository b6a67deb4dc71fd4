import type { Response } from 'supertest';

/** Expects a complete problem document with this status and code, its headers, and the members in `facts`. */
export function expectProblem(response: Response, status: number, code: string, facts: object = {}): void {
  const id = response.headers['x-request-id'];
  expect(response.body).toMatchObject({
    type: expect.stringMatching(new RegExp(`^https://api[.]example[.]test/docs/errors/${code}$`)),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: `urn:request:${id}`,
    ok: false,
    code,
    request_id: id,
    retryable: expect.any(Boolean),
    ...facts,
  });
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
}

/** Expects a 400 that names these fields, and no other. */
export function expectInvalidFields(response: Response, fields: string[], code = 'validation_failed'): void {
  expectProblem(response, 400, code);
  expect(response.body.errors.map((issue: { field: string }) => issue.field)).toEqual(fields);
}

/** Expects the status and the bytes of the first answer, marked as a replay. */
export function expectReplay(repeat: Response, first: Response): void {
  expect(first.headers).not.toHaveProperty('idempotent-replayed');
  expect(repeat.headers['idempotent-replayed']).toBe('true');
  expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
  expect(repeat.headers['content-type']).toBe(first.headers['content-type']);
  expect(repeat.headers['cache-control']).toBe('no-store');
  expect(repeat.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
}

/** Returns what two answers to equal requests have in common: no request id, no date, no quota counters. */
export function withoutRequestId({ status, headers, text }: Response): unknown {
  const perRequest = ['x-request-id', 'date', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset'];
  const others = Object.entries(headers as Record<string, string>).filter(
    ([name]) => !perRequest.includes(name),
  );
  return {
    status,
    headers: Object.fromEntries(others),
    text: text.replaceAll(headers['x-request-id']!, '<id>'),
  };
}
