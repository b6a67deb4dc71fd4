import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../services/platform/config/config';
import { makeDirectory } from '../../services/platform/directories';
import { isSlug } from '../../services/platform/forms/text-forms';
import { personOfAddress } from '../../services/platform/people/people.repository';
import type { Parse, Verb } from './command';
import { readConfig } from './context';
import { FileNotWrittenError, UsageError } from './failure';
import { argumentsOf } from './named-values';
import type { Io } from '../terminal/io';
import type { Output } from '../terminal/output';

/*
 * Keeps the default tenant, which a command uses if only its `<slug>` is missing. TOURCTL_TENANT names the default tenant. Without this
 * variable, a file in DATA_DIR names it; `tourctl use` writes the file. Each person has an own file. The commands of `tenant` never use the default tenant.
 */

export interface DefaultTenant {
  slug: string;
  /** The variable or the command that named the tenant. */
  from: 'TOURCTL_TENANT' | 'tourctl use';
}

export function readDefaultTenant(config: Config): DefaultTenant | undefined {
  if (config.defaultTenant !== undefined) return { slug: config.defaultTenant, from: 'TOURCTL_TENANT' };
  const slug = readKept(config);
  return slug === undefined ? undefined : { slug, from: 'tourctl use' };
}

type Place = Pick<Config, 'dataDir' | 'databaseUrl' | 'databaseDirectUrl'>;

function fileOf({ dataDir, databaseUrl, databaseDirectUrl }: Place): string {
  const person = databaseUrl && databaseDirectUrl && personOfAddress(databaseDirectUrl);
  return path.join(dataDir, person ? `default-tenant-${person}` : 'default-tenant');
}

function readKept(place: Place): string | undefined {
  try {
    const slug = readFileSync(fileOf(place), 'utf8').trim();
    return isSlug(slug) ? slug : undefined;
  } catch {
    // The file does not exist, or another account owns it.
    return undefined;
  }
}

/** Keeps the default tenant, or forgets it. @throws FileNotWrittenError */
export function keepDefaultTenant(place: Place, slug: string | undefined): void {
  const file = fileOf(place);
  try {
    if (slug === undefined) return rmSync(file, { force: true });
    makeDirectory(place.dataDir);
    writeFileSync(file, `${slug}\n`, { mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FileNotWrittenError(file, code ?? message, ': set TOURCTL_TENANT instead');
  }
}

/**
 * Puts the default tenant in front of the arguments if the command line lacks only its `<slug>`. The commands of `tenant` never use it.
 * @param args the arguments as commander places them: without the slug, each word is one place too far in front
 */
export function withDefaultTenant(
  verb: Verb,
  noun: string | undefined,
  args: unknown[],
  io: Io,
): { args: unknown[]; tenant?: DefaultTenant } {
  const others = noun === 'tenant' ? undefined : findArgumentsAfterSlug(verb, noun, args);
  const tenant = others && readDefaultTenant(readConfig(io));
  return tenant ? { args: [tenant.slug, ...others], tenant } : { args };
}

/** Returns the arguments after a missing `<slug>`. Undefined: the slug is given, or other arguments are missing too. */
function findArgumentsAfterSlug(
  verb: Verb,
  noun: string | undefined,
  args: unknown[],
): unknown[] | undefined {
  const [first, ...others] = argumentsOf(verb, noun);
  if (first?.name !== 'slug' || !first.required) return undefined;
  const words = args.flat().filter((word): word is string => word !== undefined);
  // A slug in front cannot be told from an argument that repeats, except by its form: an origin is no slug.
  if (others[0]?.repeats) return words.length > 0 && !isSlug(words[0]!) ? [words] : undefined;
  const fits =
    words.length === others.length && others.every(({ name }, i) => isValid(verb.args?.[name], words[i]!));
  return fits ? words : undefined;
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

/**
 * Prints which default tenant a command uses, because the command line does not name the tenant. Also prints it with --json, because a
 * script may not expect a default tenant.
 */
export function announceTenant({ slug, from }: DefaultTenant, output: Output): void {
  const line = `Tenant: ${slug} (${from})`;
  if (output.json) output.warn(line);
  else output.note(line);
}
