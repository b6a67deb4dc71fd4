export type Environment = Record<string, string | undefined>;

/** Declares an environment variable. An empty one counts as unset. */
export interface Variable<T = unknown> {
  /** Purpose of the variable. */
  about: string;
  /** Valid values; completes the error "NAME must be …". */
  mustBe: string;
  /** The value if the variable is unset. `<NAME>` stands for the value of a variable that is declared earlier. */
  default?: string;
  /** @throws InvalidValueError */
  parse(text: string): T;
  /** Returns the text to display instead of the value. For values that are unclear or contain a password. */
  show?(value: T): string;
  /** True: the value is never shown. */
  secret?: true;
  /** True: if the variable is unset and the database is embedded, the product generates a value once and keeps it in DATA_DIR. */
  generated?: true;
}

type Kind<T> = Omit<Variable<T>, 'about'>;
type Declarations = Readonly<Record<string, Variable>>;

export type Values<D extends Declarations> = {
  [Name in keyof D]: D[Name] extends { default: string }
    ? ReturnType<D[Name]['parse']>
    : ReturnType<D[Name]['parse']> | undefined;
};

/** The parsed values. An invalid value is replaced by the default. */
export interface Readings<D extends Declarations> {
  values: Values<D>;
  /** The text of each value: from the environment, or the default. */
  texts: Partial<Record<keyof D, string>>;
  /** One for each invalid variable, in the order of the declarations. */
  issues: ConfigError[];
}

export function readVariables<D extends Declarations>(env: Environment, declarations: D): Readings<D> {
  const values: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  const issues: ConfigError[] = [];
  for (const [name, variable] of Object.entries(declarations)) {
    const fallback = variable.default?.replaceAll(/<(\w+)>/g, (_, other: string) => texts[other] ?? '');
    let text = env[name] || fallback;
    const issue = text ? issueOf(name, variable, text) : undefined;
    if (issue) {
      issues.push(issue);
      text = fallback;
    }
    if (!text) continue;
    texts[name] = text;
    values[name] = variable.parse(text);
  }
  return { values: values as Values<D>, texts: texts as Readings<D>['texts'], issues };
}

function issueOf(name: string, variable: Variable, text: string): ConfigError | undefined {
  try {
    variable.parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidValueError)
      return new ConfigError(name, error.message || `must be ${variable.mustBe}`);
    throw error;
  }
}

export function integer(fallback: number, min: number, max: number): Kind<number> & { default: string } {
  return {
    mustBe: `a whole number from ${min} to ${max}`,
    default: String(fallback),
    parse(text) {
      const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      if (!(number >= min && number <= max)) throw new InvalidValueError();
      return number;
    },
  };
}

export function port(fallback: number): Kind<number> & { default: string } {
  return integer(fallback, 1, 65_535);
}

const TRUE = ['1', 'true', 'on', 'yes'];
const FALSE = ['0', 'false', 'off', 'no'];

export function boolean(fallback: 'on' | 'off'): Kind<boolean> & { default: string } {
  return {
    mustBe: `one of ${TRUE.join(' ')}, or ${FALSE.join(' ')}`,
    default: fallback,
    parse(text) {
      const word = text.toLowerCase();
      if (!TRUE.includes(word) && !FALSE.includes(word)) throw new InvalidValueError();
      return TRUE.includes(word);
    },
    show: (value) => (value ? 'on' : 'off'),
  };
}

export function oneOf<T extends string>(allowed: readonly T[], fallback: T): Kind<T> & { default: string } {
  return {
    mustBe: `one of ${allowed.join(' ')}`,
    default: fallback,
    parse(text) {
      if (!allowed.includes(text as T)) throw new InvalidValueError();
      return text as T;
    },
  };
}

/** Accepts URLs with these protocols. Shows the user and the host of a URL, but not the password. */
export function url(...protocols: string[]): Kind<string> {
  return {
    mustBe: `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    parse(text) {
      if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) throw new InvalidValueError();
      return text;
    },
    show: hidePassword,
  };
}

/** Replaces the password of a URL, also in its parameters. */
export function hidePassword(text: string): string {
  const shown = new URL(text);
  if (shown.password) shown.password = '***';
  for (const name of shown.searchParams.keys()) if (/pass/i.test(name)) shown.searchParams.set(name, '***');
  return shown.href;
}

/** Accepts the base of URLs, and drops a trailing slash. */
export function baseUrl(...protocols: string[]): Kind<string> {
  const { mustBe, parse } = url(...protocols);
  return {
    mustBe: `${mustBe}, without query, # and user`,
    parse(text) {
      assertPasswordEncoded(text);
      const { search, hash, username, password } = new URL(parse(text));
      if (search || hash || username || password) throw new InvalidValueError();
      return text.replace(/\/+$/, '');
    },
    show: (value) => value,
  };
}

export function secret(): Kind<string> & { secret: true; generated: true } {
  return {
    mustBe: 'at least 32 characters, for example 64 random hex digits',
    parse(text) {
      if (text.length < 32) throw new InvalidValueError();
      return text;
    },
    secret: true,
    generated: true,
  };
}

/**
 * A text that is not a valid value of its variable. The message begins with "must" and says what to change. Without a message, the
 * declaration's `mustBe` describes the valid values.
 */
export class InvalidValueError extends Error {}

/** Matches the authority of a URL, which ends at the first slash, question mark or number sign. */
const AUTHORITY = /^[^/]*\/\/[^/?#]*/;

/**
 * Refuses a URL with an at sign behind its authority. Its password has a character that ends the authority, so the parser takes a part of
 * the password for a path, and `show` would print it.
 * @throws InvalidValueError
 */
export function assertPasswordEncoded(url: string): void {
  if (url.replace(AUTHORITY, '').includes('@'))
    throw new InvalidValueError(
      'must have a percent-encoded password: %2F for a slash, %3F for a question mark, %23 for a number sign, %40 for an at sign',
    );
}

/** An invalid variable, which stops the start. The message never contains the value, because the value may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly variable: string,
    rule: string,
  ) {
    super(`${variable} ${rule}`);
  }
}
