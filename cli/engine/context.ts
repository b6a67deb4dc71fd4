import type { Config } from '../../services/platform/config';
import { ConfigError } from '../../services/platform/read-variable';
import type { Db, Trx } from '../../services/platform/database';
import type { Secrets } from '../../services/platform/secrets';
import type { Io } from '../terminal/io';
import type { Output } from '../terminal/output';
import { askYesNo } from '../terminal/prompts';
import { NotConfirmedError, SettingsError, UsageError } from './failure';
import type { Audited, Note, Operator } from './audited-change';

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
  /**
   * Returns when --yes is given or the person agrees.
   * @throws UsageError where there is neither; NotConfirmedError
   */
  confirm(question: string): Promise<void>;
}

/** Resources of a command that uses the database. */
export interface Context extends Terminal {
  db: Db;
  /**
   * Loads the named secrets on first use and compares them with the database's check values.
   * @throws ConfigError, SecretsError
   */
  secrets<Name extends keyof Secrets>(...needed: Name[]): Promise<Pick<Secrets, Name>>;
  /** The person at this terminal, for audit rows and the monitoring page. */
  operator: Operator;
  /**
   * Runs a change and its audit row in one transaction. `note` records the state before and after, without secrets, and
   * the tenant and subject if only `work` knows them. If before equals after, no row is written.
   * Resolves when the change applies on every API instance, at most 1.5 seconds after COMMIT.
   */
  audited<T>(entry: Audited, work: (trx: Trx, note: Note) => Promise<T>): Promise<T>;
}

export function openTerminal(io: Io, output: Output, yes: boolean, actor?: string): Terminal {
  const agree = (question: string) => confirm(io, output, yes, question);
  return { io, output, config: readConfig(io), actor, confirm: agree };
}

function readConfig(io: Io): Config {
  const { loadConfig } =
    require('../../services/platform/config') as typeof import('../../services/platform/config');
  const { settingsOf } = require('./settings-of') as typeof import('./settings-of');
  try {
    return loadConfig(settingsOf(io));
  } catch (error) {
    throw asSettingsError(error);
  }
}

export function asSettingsError(error: unknown): unknown {
  return error instanceof ConfigError ? new SettingsError(error.message) : error;
}

async function confirm(io: Io, output: Output, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!io.isTTY || output.json) throw nobodyToAsk(question);
  if (!(await askYesNo(io, question))) throw new NotConfirmedError();
}

/** @param question the question that could not be asked, if data decides it */
export function nobodyToAsk(question?: string): UsageError {
  const asked = question === undefined ? '' : ` if you agree: ${question}`;
  return new UsageError(`No terminal to ask on: add --yes${asked}`);
}
