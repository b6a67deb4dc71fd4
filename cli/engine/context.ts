import path from 'node:path';
import { type Config, loadConfig, withEnvFile } from '../../services/platform/config/config';
import type { Db } from '../../services/platform/database/database';
import type { PersonOfSession } from '../../services/platform/people/people.repository';
import { ConfigError, type Environment } from '../../services/platform/read-variable';
import type { Secrets } from '../../services/platform/secrets';
import type { Ended, Operator, RunAudited } from './audited-change';
import type { ChangeOfItem, Series } from './audited-series';
import { confirm } from './confirm';
import { SettingsError } from './failure';
import type { Io } from '../terminal/io';
import type { Output } from '../terminal/output';

/** Resources of every command. */
export interface Basics {
  io: Io;
  output: Output;
}

/** Resources of a command that reads the configuration. */
export interface Terminal extends Basics {
  config: Config;
  /** The name of --actor. */
  actor?: string;
  /** Noun and verb, such as `booking add`. */
  command?: string;
  /**
   * Returns when --yes is given or the person agrees.
   * @throws UsageError if --yes is missing and nobody can be asked; NotConfirmedError
   */
  confirm(question: string): Promise<void>;
}

/** How a command opens the database. */
export interface DatabaseUse {
  /** `as-is` for commands about the schema itself. All other commands require the schema to be up to date. */
  schema?: 'up-to-date' | 'as-is';
  /**
   * True: creates the embedded database if DATA_DIR has none. All other commands refuse a DATA_DIR without a database, because a wrong path
   * would look like an empty installation.
   */
  creates?: boolean;
}

/** Resources of a command that opens the database itself. @typeParam C what `work` gets: AuditedContext if the verb declares `audits` */
export interface OpeningTerminal<C extends Context> extends Terminal {
  /**
   * Opens the database for `work`, and closes it at the end.
   * @param words the values of the command line; an error about an unknown name suggests names that resemble one of them
   * @throws NoInstallationError if there is no embedded database and `use` does not create it
   */
  withDatabase: <T>(
    use: DatabaseUse,
    work: (context: C) => Promise<T>,
    words?: readonly string[],
  ) => Promise<T>;
}

/** Resources of a command that uses the database. */
export interface Context extends Terminal {
  db: Db;
  /** The person whose login the session has. Undefined: the owner of the database. */
  person?: PersonOfSession;
  /**
   * Loads the named secrets on first use and compares them with the database's check values.
   * @throws ConfigError, SecretsError
   */
  secrets<Name extends keyof Secrets>(...needed: Name[]): Promise<Pick<Secrets, Name>>;
}

/** Resources of a command that changes data or reveals personal data: only a verb that declares `audits` gets them. */
export interface AuditedContext extends Context {
  /** The person at this terminal, for audit rows and the monitoring page. */
  operator: Operator;
  /**
   * Runs a change and its audit row in one transaction. `note` records the state before and after, without secrets. `note` also records the
   * tenant and the subject if only `work` knows them. Writes no row if both states are equal. Resolves when the change applies on every API
   * instance, at most 1.5 seconds after COMMIT.
   */
  audited: RunAudited;
  /** Makes the changes of a list one after another, each as `audited` does (audited-series.ts). */
  auditedSeries<Item, Done>(items: Item[], change: ChangeOfItem<Item, Done>): Promise<Series<Item, Done>>;
  /**
   * Waits until no write of a key or tenant runs that began before a change of `audited` ended something. Call it before the command returns.
   * @throws WritesInFlightError after five seconds
   */
  awaitWrites(ended: Ended): Promise<void>;
}

/** @param given the name of --actor, and noun and verb */
export function openTerminal(
  basics: Basics,
  agreed: boolean,
  { actor, command }: { actor?: string; command?: string } = {},
): Terminal {
  return {
    ...basics,
    config: readConfig(basics.io),
    actor,
    command,
    confirm: (question) => confirm(basics, agreed, question),
  };
}

/** @throws SettingsError */
export function readConfig(io: Io): Config {
  try {
    return loadConfig(settingsOf(io));
  } catch (error) {
    throw asSettingsError(error);
  }
}

export function asSettingsError(error: unknown): unknown {
  return error instanceof ConfigError ? new SettingsError(error.message) : error;
}

/**
 * Returns the environment variables of a command, completed by the .env file of the working directory. The default of DATA_DIR is in the
 * folder of the installation, not in the working directory.
 * @throws EnvFileError
 */
export function settingsOf({ env, envFile, root }: Io): Environment {
  const given = envFile === undefined ? env : withEnvFile(env, envFile);
  return { ...given, DATA_DIR: given.DATA_DIR || path.join(root, '.data') };
}
