import type { Flag } from './command';
import { UsageError } from './usage-error';

/** The long name alone, as messages have it: `--currency`. */
export function flagName(flag: Flag): string {
  return flag.flags.split(' ').find((part) => part.startsWith('--'))!;
}

/** @throws UsageError that names the flag */
export function parseFlag(flag: Flag, text: string): unknown {
  if (flag.choices && !flag.choices.includes(text)) {
    throw new UsageError(`${flagName(flag)} must be one of ${flag.choices.join(', ')}`);
  }
  return flag.parse ? flag.parse(text, flagName(flag)) : text;
}
