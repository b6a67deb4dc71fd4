import { randomBytes, createHmac } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Config, missingSecret } from './config/config';
import { makeDirectory } from './directories';
import { AppError } from './errors';
import type { Db } from './database/database';

export interface Secrets {
  /** Encrypts webhook secrets. */
  secretsKey: string;
  /** Signs cursors and embed passes. */
  cursorKey: string;
  /** Key of the digests of API keys and widget tokens; undefined: plain SHA-256. */
  keyPepper: string | undefined;
}

const SECRET_VARIABLES = {
  secretsKey: 'SECRETS_KEY',
  cursorKey: 'CURSOR_KEY',
  keyPepper: 'KEY_PEPPER',
} as const satisfies Record<keyof Secrets, string>;

const NAMES = Object.keys(SECRET_VARIABLES) as (keyof Secrets)[];

/**
 * Reads the secrets from the environment. With an embedded database, reads secrets that are not in the environment from
 * `<dataDir>/secrets.json` (0600).
 * @param needed the secrets that must not be missing, except keyPepper; an error names the first missing one. Other secrets may be
 * undefined
 * @param isNewDatabase returns true if no data depends on secrets yet; only then a missing file is created
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
 * Reads the secrets of the environment and, with an embedded database, of `<dataDir>/secrets.json`. Does not fail for missing secrets, and
 * generates none.
 * @throws SecretsError for a damaged file
 */
function readSecrets(config: Config): Partial<Secrets> {
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
    // Uses link(), which fails if the file exists. So two first starts at the same time use the same file.
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
    // Drops the parser's message, because it would show a part of the file. The code below refuses the file.
  }
  throw new SecretsError(`${file} cannot be read or is damaged. Copy it from where you keep it`);
}

function missingFile(file: string, given: Partial<Secrets>): SecretsError {
  const missing = NAMES.filter((name) => given[name] === undefined).map((name) => SECRET_VARIABLES[name]);
  return new SecretsError(
    `${file} is missing, and the database in the same folder depends on its secrets: without them no API key is valid and no webhook ` +
      `secret can be opened. Copy the file from where you keep it, or set ${missing.join(', ')} to the earlier values`,
  );
}

/** Secrets are missing, damaged, or belong to another database. The message says how to restore the secrets, and contains none of them. */
export class SecretsError extends AppError {
  readonly code = 'wrong_secrets';
}

/**
 * Secrets that data in the database depends on. CURSOR_KEY is not one of them: after a change of it, only open lists and embed pages must
 * be reloaded.
 */
type Checked = 'secretsKey' | 'keyPepper';

/** Returns whether the key opens the encrypted data. Undefined: there is no encrypted data. The webhook queue implements this function. */
type OpensSealed = (db: Db, secretsKey: string) => Promise<boolean | undefined>;

const CHECKED: readonly Checked[] = ['secretsKey', 'keyPepper'];
const CONSEQUENCES = {
  secretsKey: 'no webhook secret could be opened',
  keyPepper: 'every API key and widget token would be refused',
};

/**
 * Loads the needed secrets and compares them with the check values in the database. The database must be migrated.
 * @throws ConfigError, SecretsError
 */
export async function openSecrets<Name extends keyof Secrets>(
  db: Db,
  config: Config,
  needed: readonly Name[],
  opensSealed?: OpensSealed,
): Promise<Pick<Secrets, Name> & Partial<Secrets>> {
  const secrets = await loadSecrets(config, needed, async () => (await findSecretChecks(db)).size === 0);
  await verifySecrets(db, config, secrets, needed, opensSealed);
  return secrets;
}

/**
 * Compares every given secret with its check value. Stores missing check values of needed secrets if the database role may write them.
 * @throws SecretsError
 */
export async function verifySecrets(
  db: Db,
  config: Config,
  secrets: Partial<Secrets>,
  needed: readonly (keyof Secrets)[],
  opensSealed?: OpensSealed,
): Promise<void> {
  const checks = await findSecretChecks(db);
  await compare(db, { config, secrets, checks, needed, opensSealed });
  for (const name of CHECKED) {
    const value = secrets[name];
    if (value === undefined || !needed.includes(name) || checks.get(SECRET_VARIABLES[name])) continue;
    if (!(await mayKeepChecks(db))) return;
    await keepCheck(db, name, value);
    // Reads the check value again, because another process may have stored the check value of a different secret first.
    const kept = (await findSecretChecks(db)).get(SECRET_VARIABLES[name]);
    if (kept !== checkValue(name, value)) throw mismatch(name, config);
  }
}

/**
 * Loads the secrets that data in the database depends on, and compares them with the check values. Writes nothing.
 * @throws ConfigError, SecretsError
 */
export async function inspectSecrets(
  db: Db,
  config: Config,
  opensSealed: OpensSealed,
): Promise<Partial<Secrets>> {
  const checks = await findSecretChecks(db);
  const used = CHECKED.filter((name) => checks.has(SECRET_VARIABLES[name]));
  if (used.length === 0) return {};
  const secrets = await loadSecrets(config, used, () => Promise.resolve(false));
  await compare(db, { config, secrets, checks, needed: used, opensSealed });
  return secrets;
}

interface Comparison {
  config: Config;
  secrets: Partial<Secrets>;
  checks: Map<string, string | null>;
  needed: readonly (keyof Secrets)[];
  opensSealed: OpensSealed | undefined;
}

/** Throws if a given secret does not match its check value, or if a needed secret with a check value is missing. */
async function compare(db: Db, comparison: Comparison): Promise<void> {
  const { config, secrets, checks, needed } = comparison;
  for (const name of CHECKED) {
    const value = secrets[name];
    const kept = checks.get(SECRET_VARIABLES[name]);
    const isMissing = value === undefined && kept !== undefined && needed.includes(name);
    const isOther = value !== undefined && kept && kept !== checkValue(name, value);
    if (isMissing || isOther) throw mismatch(name, config);
  }
  if (await opensNothing(db, comparison)) throw mismatch('secretsKey', config);
}

/** Tests a SECRETS_KEY that has no check value. Returns true if the database has encrypted data that the key does not open. */
async function opensNothing(
  db: Db,
  { secrets: { secretsKey }, checks, needed, opensSealed }: Comparison,
): Promise<boolean> {
  if (secretsKey === undefined || !needed.includes('secretsKey')) return false;
  if (checks.get(SECRET_VARIABLES.secretsKey)) return false;
  return (await opensSealed?.(db, secretsKey)) === false;
}

/**
 * Compares this installation's secrets with the check values of a backup. Needs no database.
 * @throws SecretsError
 */
export function compareSecrets(config: Config, checks: Map<string, string | null>): void {
  const secrets = readSecrets(config);
  for (const name of CHECKED.filter((one) => checks.has(SECRET_VARIABLES[one]))) {
    const value = secrets[name];
    const kept = checks.get(SECRET_VARIABLES[name]);
    if (value !== undefined && (!kept || kept === checkValue(name, value))) continue;
    const problem = value === undefined ? 'is missing' : 'is not the one that the backup was made with';
    const copy = config.databaseUrl ? '' : `, or copy its secrets.json into ${path.resolve(config.dataDir)}`;
    throw new SecretsError(
      `${SECRET_VARIABLES[name]} ${problem}: ${CONSEQUENCES[name]}. ` +
        `Set ${SECRET_VARIABLES[name]} to the value of that installation${copy}. Nothing was changed`,
    );
  }
}

/** Reads the check value of each secret that data depends on, keyed by variable. Null: no check value is stored. */
export async function findSecretChecks(db: Db): Promise<Map<string, string | null>> {
  const rows = await db('secret_checks').select<{ variable: string; checkValue: string | null }[]>(
    'variable',
    'check_value',
  );
  return new Map(rows.map((row) => [row.variable, row.checkValue]));
}

/**
 * Returns whether the database role may store check values. The roles of the services may not, because one wrong check value stops every
 * start. tourctl stores the check value of a secret before it writes the first row that depends on the secret.
 */
async function mayKeepChecks(db: Db): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ may: boolean }] }>(
    `select has_table_privilege('secret_checks', 'insert') as may`,
  );
  return rows[0].may;
}

async function keepCheck(db: Db, name: Checked, secret: string): Promise<void> {
  await db.raw(
    `insert into secret_checks (variable, check_value) values (:variable, :value)
     on conflict (variable) do update set check_value = excluded.check_value
     where secret_checks.check_value is null`,
    { variable: SECRET_VARIABLES[name], value: checkValue(name, secret) },
  );
}

function checkValue(name: Checked, secret: string): string {
  return createHmac('sha256', secret)
    .update(`tour-platform check value of ${SECRET_VARIABLES[name]} v1`)
    .digest('hex');
}

function mismatch(name: Checked, config: Config): SecretsError {
  const variable = SECRET_VARIABLES[name];
  const restore = config.databaseUrl
    ? ''
    : `, or unset it and copy ${secretsFile(config)} from where you keep it`;
  return new SecretsError(
    `${variable} is not the one that this database was used with: ${CONSEQUENCES[name]}. ` +
      `Set ${variable} to the earlier value${restore}`,
  );
}
