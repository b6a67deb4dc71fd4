export type Environment = Record<string, string | undefined>;

const TRUE = ['1', 'true', 'on', 'yes'];
const FALSE = ['0', 'false', 'off', 'no'];

export function readInteger(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = env[name];
  if (!value) return fallback;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (!(number >= min && number <= max)) throw new ConfigError(name, `a whole number from ${min} to ${max}`);
  return number;
}

export function readPort(env: Environment, name: string, fallback: number): number {
  return readInteger(env, name, fallback, 1, 65_535);
}

export function readBoolean(env: Environment, name: string, fallback: boolean): boolean {
  const value = env[name]?.toLowerCase();
  if (!value) return fallback;
  if (TRUE.includes(value)) return true;
  if (FALSE.includes(value)) return false;
  throw new ConfigError(name, 'one of 1 true on yes, or 0 false off no');
}

export function readOneOf<T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = env[name];
  if (!value) return fallback;
  if (!allowed.includes(value as T)) throw new ConfigError(name, `one of ${allowed.join(' ')}`);
  return value as T;
}

export function readUrl(env: Environment, name: string, protocols: string[]): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigError(name, `an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }
  return value;
}

export function readList(env: Environment, name: string, fallback: string[]): string[] {
  const value = env[name];
  if (!value) return fallback;
  return value.split(',').map((item) => item.trim());
}

/** An invalid variable, which stops the start. The message never holds the value: it may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, mustBe: string) {
    super(`${variable} must be ${mustBe}`);
  }
}
