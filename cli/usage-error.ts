/** The command line is wrong: exit 2. The message names the flag and says what it must be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
