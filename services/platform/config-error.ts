/** A variable that stops the start. The message never holds the variable's value: it may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, mustBe: string) {
    super(`${variable} must be ${mustBe}`);
  }
}
