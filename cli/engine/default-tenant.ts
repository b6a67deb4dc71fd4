import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../services/platform/config';
import { makeDirectory } from '../../services/platform/directories';
import { isSlug } from '../../services/platform/text-forms';
import type { Parse, Verb } from './command';
import { type Basics, readConfig } from './context';
import { FileNotWrittenError, UsageError } from './failure';
import { argumentsOf } from './named-values';
import type { Output } from '../terminal/output';

/*
 * Keeps the default tenant, which a command uses if only its `<slug>` is missing. TOURCTL_TENANT names the default tenant. Without this
 * variable, a file in DATA_DIR names it; `tourctl use` writes the file. The commands of `tenant` never use the default tenant.
 */

export interface DefaultTenant {
  slug: string;
  /** The variable or the command that named the tenant. */
  from: 'TOURCTL_TENANT' | 'tourctl use';
}

export function readDefaultTenant({ defaultTenant, dataDir }: Config): DefaultTenant | undefined {
  if (defaultTenant !== undefined) return { slug: defaultTenant, from: 'TOURCTL_TENANT' };
  const slug = readKept(dataDir);
  return slug === undefined ? undefined : { slug, from: 'tourctl use' };
}

const fileIn = (dataDir: string) => path.join(dataDir, 'default-tenant');

function readKept(dataDir: string): string | undefined {
  try {
    const slug = readFileSync(fileIn(dataDir), 'utf8').trim();
    return isSlug(slug) ? slug : undefined;
  } catch {
    // The file does not exist, or another account owns it.
    return undefined;
  }
}

/** Keeps the default tenant, or forgets it. @throws FileNotWrittenError */
export function keepDefaultTenant(dataDir: string, slug: string | undefined): void {
  const file = fileIn(dataDir);
  try {
    if (slug === undefined) return rmSync(file, { force: true });
    makeDirectory(dataDir);
    writeFileSync(file, `${slug}\n`, { mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FileNotWrittenError(file, code ?? message, ': set TOURCTL_TENANT instead');
  }
}

/**
 * Returns the default tenant if the command line lacks only the `<slug>`. Returns undefined if the slug is given, if other arguments are
 * missing, if there is no default tenant, or for the commands of `tenant`.
 */
export function findDefaultTenant(
  verb: Verb,
  noun: string | undefined,
  args: readonly unknown[],
  { io }: Basics,
): DefaultTenant | undefined {
  if (noun === 'tenant' || !lacksOnlySlug(verb, args)) return undefined;
  return readDefaultTenant(readConfig(io));
}

/**
 * Returns true if the command line has all arguments except the slug. If one argument is missing, the missing one is the slug only if each
 * word is valid as the argument in its position. If the last argument repeats, the number of words does not decide: the slug is missing if
 * the first word cannot be a slug, such as an origin.
 */
function lacksOnlySlug(verb: Verb, args: readonly unknown[]): boolean {
  const [first, ...others] = argumentsOf(verb);
  if (first?.form !== '<slug>') return false;
  const words = wordsOf(args);
  const repeats = others.at(-1)?.form.includes('...') ?? false;
  if (repeats) return words.length >= others.length && !isSlug(words[0]!);
  return (
    words.length === others.length && others.every(({ name }, i) => isValid(verb.args?.[name], words[i]!))
  );
}

function wordsOf(args: readonly unknown[]): string[] {
  return args.flat().filter((word): word is string => word !== undefined);
}

function isValid(parse: Parse | undefined, word: string): boolean {
  try {
    parse?.(word, '');
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Returns the arguments of a command line with the slug in front. @param args what findDefaultTenant got */
export function withSlug(verb: Verb, slug: string, args: readonly unknown[]): unknown[] {
  const words = [slug, ...wordsOf(args)];
  return argumentsOf(verb).map(({ form }, i) => (form.includes('...') ? words.slice(i) : words[i]));
}

/**
 * Prints which default tenant a command uses, because the command line does not name the tenant. Also prints it with --json, because a
 * script may not expect a default tenant.
 */
export function announceTenant({ slug, from }: DefaultTenant, output: Output): void {
  const line = `Tenant: ${slug} (${from})`;
  if (output.json) output.warn(line);
  else output.note(line);
}
