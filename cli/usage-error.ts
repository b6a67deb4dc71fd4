/** The command line is wrong: exit 2. The message names the flag and says what it must be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** @param hint what stands below it for a person, instead of where the help is */
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}
