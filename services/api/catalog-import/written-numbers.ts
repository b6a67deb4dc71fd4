/**
 * A number as a file has it. It stays text where JSON.parse would lose its form: the currency decides how many decimals an amount may have, and
 * 1.490 would be 1.49.
 */
export class WrittenNumber {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }

  /** True for 1e3, which no amount of money is. */
  get hasExponent(): boolean {
    return /e/i.test(this.text);
  }
}

/** A number with an exponent, or with several decimals of which the last is 0. Programs write 7000.0 for 7000, so one decimal is no form. */
const MAY_LOSE_FORM = /\d[eE][+-]?\d|\.\d+0(?!\d)/;
/** Matches strings, and numbers. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Begins the string in whose place a WrittenNumber comes. */
const MARK = '\u0000';

/** Parses JSON. A number that has lost its form is a WrittenNumber. @throws SyntaxError */
export function parseWritten(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!MAY_LOSE_FORM.test(text)) return parsed;
  const marked = text.replace(TOKEN, (token) =>
    !token.startsWith('"') && MAY_LOSE_FORM.test(token) ? JSON.stringify(MARK + token) : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new WrittenNumber(value.slice(1)) : value,
  );
}
