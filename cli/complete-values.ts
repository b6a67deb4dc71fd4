import type { Flag, Parse, Verb } from './command';
import type { Io } from './io';
import { flagName, parseFlag } from './flag';
import { askOne, askSome, askText } from './prompts';
import { UsageError } from './usage-error';

interface Values {
  options: Record<string, unknown>;
  args: unknown[];
}

/**
 * Parses the arguments and fills in what the verb must have and the command line lacks: from the person where `ask`,
 * else it is a usage error.
 */
export async function completeValues(verb: Verb, values: Values, io: Io, ask: boolean): Promise<Values> {
  const args: unknown[] = [];
  for (const [i, form] of verb.usage.split(' ').slice(1).entries()) {
    args.push(await completeArgument(form, values.args[i], verb.args ?? {}, io, ask));
  }
  const options = { ...values.options };
  for (const flag of verb.flags ?? []) {
    const key = optionKey(flag);
    if (flag.must && options[key] === undefined) options[key] = await askFlag(flag, io, ask);
  }
  return { options, args };
}

async function completeArgument(
  form: string,
  given: unknown,
  parsers: Record<string, Parse>,
  io: Io,
  ask: boolean,
): Promise<unknown> {
  const name = form.replace(/[<>[\].]/g, '');
  const parse = parsers[name] ?? ((text: string) => text);
  const one = (text: string) => parse(text, `<${name}>`);
  if (form.includes('...')) {
    const texts = (given as string[] | undefined) ?? [];
    if (texts.length > 0 || form.startsWith('[')) return texts.map(one);
    return [one(await askFor(name, one, io, ask, form))];
  }
  if (given !== undefined) return one(given as string);
  return form.startsWith('[') ? undefined : one(await askFor(name, one, io, ask, form));
}

async function askFlag(flag: Flag, io: Io, ask: boolean): Promise<unknown> {
  if (!ask) throw new UsageError(`${flagName(flag)} is missing: ${flag.about}`);
  if (flag.choices) {
    return flag.repeats ? askSome(io, flag.about, flag.choices) : askOne(io, flag.about, flag.choices);
  }
  const parse = (text: string) => parseFlag(flag, text);
  const value = parse(await askFor(flag.about, parse, io, ask, flagName(flag)));
  return flag.repeats ? [value] : value;
}

async function askFor(
  message: string,
  parse: (text: string) => unknown,
  io: Io,
  ask: boolean,
  missing: string,
): Promise<string> {
  if (!ask) throw new UsageError(`${missing.replace('...', '')} is missing`);
  return askText(io, message, (answer) => {
    try {
      parse(answer);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  });
}

/** `--booking-prefix <prefix>` is options.bookingPrefix. */
function optionKey(flag: Flag): string {
  return flagName(flag)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
