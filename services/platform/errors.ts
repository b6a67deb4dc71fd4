/**
 * A refusal that the domain foresaw. It knows its code and its facts, never an HTTP status or an exit code:
 * services/api/http/problems.ts and cli/main.ts translate.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;

  /** What a caller may be told beside code and message, in wire names. */
  get facts(): Record<string, unknown> {
    return {};
  }
}

/** SQLSTATE of a database error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export type InputPlace = 'body' | 'query' | 'path' | 'header';

export interface InputFault {
  in: InputPlace;
  /** Name on the wire, such as `customer.email`. */
  field: string;
  /** What it must be. Never the offending value. */
  message: string;
}

/** Input that only the domain can judge. */
export class InvalidInputError extends AppError {
  override readonly name = 'InvalidInputError';
  readonly code = 'validation_failed' as const;
  readonly errors: InputFault[];

  constructor(place: InputPlace, field: string, message: string) {
    super(`${field} ${message}.`);
    this.errors = [{ in: place, field, message }];
  }

  override get facts(): Record<string, unknown> {
    return { errors: this.errors };
  }
}
