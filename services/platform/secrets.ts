import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Config, missingSecret } from './config';
import { makeDirectory } from './make-directory';
import { AppError } from './errors';

export interface Secrets {
  /** Seals webhook secrets. */
  secretsKey: string;
  /** Signs cursors and embed passes. */
  cursorKey: string;
  /** Key of the digests of API keys and widget tokens; undefined: plain SHA-256. */
  keyPepper: string | undefined;
}

export const SECRET_VARIABLES = {
  secretsKey: 'SECRETS_KEY',
  cursorKey: 'CURSOR_KEY',
  keyPepper: 'KEY_PEPPER',
} as const satisfies Record<keyof Secrets, string>;

const NAMES = Object.keys(SECRET_VARIABLES) as (keyof Secrets)[];

/**
 * Reads the secrets from the environment. With an embedded database, reads missing ones from `<dataDir>/secrets.json` (0600).
 * @param needed an error names the first of these that is missing; other secrets may be undefined
 * @param isNewDatabase returns whether no data depends on secrets yet; then the file is created
 * @throws ConfigError, SecretsError
 */
export async function loadSecrets<Name extends keyof Secrets>(
  config: Config,
  needed: readonly Name[],
  isNewDatabase: () => Promise<boolean>,
): Promise<Pick<Secrets, Name> & Partial<Secrets>> {
  const given = config.secrets;
  const isComplete = NAMES.every((name) => given[name] !== undefined);
  const kept = config.databaseUrl || isComplete ? {} : await keptSecrets(config, isNewDatabase);
  const secrets = { ...kept, ...definedOf(given) };
  const missing = needed.find((name) => name !== 'keyPepper' && secrets[name] === undefined);
  if (missing) throw missingSecret(SECRET_VARIABLES[missing]);
  return secrets as Pick<Secrets, Name> & Partial<Secrets>;
}

/**
 * Reads the secrets of the environment and, with an embedded database, of `<dataDir>/secrets.json`. Demands and generates none.
 * @throws SecretsError for a damaged file
 */
export function readSecrets(config: Config): Partial<Secrets> {
  const file = secretsFile(config);
  const kept = config.databaseUrl || !existsSync(file) ? {} : readFile(file);
  return { ...kept, ...definedOf(config.secrets) };
}

function secretsFile({ dataDir }: Config): string {
  return path.join(path.resolve(dataDir), 'secrets.json');
}

function definedOf(given: Partial<Secrets>): Partial<Secrets> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function keptSecrets(config: Config, isNewDatabase: () => Promise<boolean>): Promise<Secrets> {
  const file = secretsFile(config);
  if (!existsSync(file)) {
    if (!(await isNewDatabase())) throw missingFile(file, config.secrets);
    await createFile(file);
  }
  return readFile(file);
}

async function createFile(file: string): Promise<void> {
  makeDirectory(path.dirname(file));
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const fresh = () => randomBytes(32).toString('hex');
  const secrets = { secretsKey: fresh(), cursorKey: fresh(), keyPepper: fresh() };
  try {
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // link() fails where the file exists, so that two concurrent first starts read the same file.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new SecretsError(
      `${file} cannot be created (${(error as Error).message}). Free disk space, or set DATA_DIR to a directory that you can write`,
    );
  } finally {
    await rm(draft, { force: true });
  }
}

function readFile(file: string): Secrets {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
    if (NAMES.every((name) => typeof kept[name] === 'string' && kept[name].length >= 32))
      return kept as Secrets;
  } catch {
    // Refused below: the parser's message would show a part of the file.
  }
  throw new SecretsError(`${file} cannot be read or is damaged. Copy it from where you keep it`);
}

function missingFile(file: string, given: Partial<Secrets>): SecretsError {
  const missing = NAMES.filter((name) => given[name] === undefined).map((name) => SECRET_VARIABLES[name]);
  return new SecretsError(
    `${file} is missing, and the database beside it depends on its secrets: without them no API key is valid and no webhook ` +
      `secret can be opened. Copy the file from where you keep it, or set ${missing.join(', ')} to the earlier values`,
  );
}

/** Secrets are missing, damaged, or belong to another database. The message says how to restore them and shows none. */
export class SecretsError extends AppError {
  readonly code = 'wrong_secrets';
}
