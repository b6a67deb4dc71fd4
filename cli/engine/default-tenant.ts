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
 * Keeps the default tenant: the one of commands whose `<slug>` alone is missing. TOURCTL_TENANT names it, or a file in DATA_DIR, which
 * `tourctl use` writes. The commands of `tenant` never use it.
 */

export interface DefaultTenant {
  slug: string;
  /** The variable or the command that named it. */
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
    // There is no file, or another account owns it.
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
 * Returns the default tenant if it stands for the `<slug>` that a command line lacks; undefined if nothing but the slug may be missing and
 * it is not, if there is no default, and for the commands of `tenant`.
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
 * Returns whether the words of a command line are its other arguments, so that only the slug in front of them is missing. Of one argument
 * too few, the slug is the missing one only if each word is valid in its place. If the last argument repeats, the number says nothing: the
 * slug is missing if the first word cannot be one, as an origin.
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

/** Tells which tenant a command is about, because the command line does not. With --json too: a script may not expect a default. */
export function announceTenant({ slug, from }: DefaultTenant, output: Output): void {
  const line = `Tenant: ${slug} (${from})`;
  if (output.json) output.warn(line);
  else output.note(line);
}
