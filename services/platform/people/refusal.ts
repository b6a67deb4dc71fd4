import { AppError, sqlState } from '../errors';

/** A refusal of the database, whose message is written for people. */
class PeopleRefusedError extends AppError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The SQLSTATE of refuse_person() in the migrations. */
const REFUSED = 'TP001';

/** Returns the refusal that refuse_person() raised. Undefined for any other error. */
export function refusalOf(error: unknown): AppError | undefined {
  if (sqlState(error) !== REFUSED) return undefined;
  const { detail, message } = error as Error & { detail: string };
  // Knex writes the statement before the message of the server.
  const start = message.lastIndexOf(' - ');
  return new PeopleRefusedError(detail, start < 0 ? message : message.slice(start + ' - '.length));
}
