/**
 * A refusal that the domain foresaw. It knows its code and its facts, never an HTTP status or an exit code:
 * services/api/http/problems.ts and cli/failure.ts translate.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }

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
  readonly code = 'validation_failed';
  readonly errors: InputFault[];

  constructor(place: InputPlace, field: string, message: string) {
    super(`${field} ${message}.`);
    this.errors = [{ in: place, field, message }];
  }

  override get facts(): Record<string, unknown> {
    return { errors: this.errors };
  }
}
