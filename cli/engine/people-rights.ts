import { existsSync } from 'node:fs';
import { AppError } from '../../services/platform/errors';
import {
  type PersonOfSession,
  personOf,
  personOfAddress,
  ROLES_OF_SESSION,
} from '../../services/platform/people/people.repository';
import {
  type PersonRole,
  rolesNeededTogether,
  rolesOfCommand,
  rolesOfSome,
  seesCustomers,
} from '../../services/platform/people/tasks';
import { flagName, optionKey, type Verb } from './command';
import type { Io } from '../terminal/io';

/** Limits the wait for the roles of a person. A later statement reports a database that does not answer. */
const ANSWER_MS = 1000;

/** The role of a person does not allow a command or a flag. */
class NotAllowedError extends AppError {
  readonly code = 'not_allowed';
}

/** The flags that show, or search, data of customers. */
export const CUSTOMER_FLAGS = ['--search', '--reveal', '--external-ref'];

/** @throws NotAllowedError if no role of the person may use the command. @param command noun and verb */
export function refuseCommand({ name, roles }: PersonOfSession, command: string): void {
  if (mayUse(roles, command)) return;
  throw new NotAllowedError(
    `${name} (${roles.join(', ')}) may not use tourctl ${command}: ${rolesThatMay(command)}`,
  );
}

function rolesThatMay(command: string): string {
  const needed = rolesNeededTogether(command);
  if (needed.length > 0) return `it needs ${needed.join(' and ')}, or admin`;
  const allowed = rolesOfCommand(command);
  return allowed.length === 0
    ? 'only the owner of the database may'
    : `the roles that may: ${allowed.join(', ')}`;
}

export function mayUse(roles: readonly PersonRole[], command: string): boolean {
  return rolesOfCommand(command).some((role) => roles.includes(role)) && !lacksSecondRole(roles, command);
}

/** Returns true if a command or flag does the tasks of two roles, and the person lacks one of them. */
function lacksSecondRole(roles: readonly PersonRole[], word: string): boolean {
  return !roles.includes('admin') && rolesNeededTogether(word).some((role) => !roles.includes(role));
}

/** Returns true if the roles allow a verb without a noun, or a verb of a noun. Loads no file of the noun. */
export function mayUseSome(roles: readonly PersonRole[], name: string): boolean {
  return rolesOfSome(name).some((role) => roles.includes(role));
}

/** Returns true if the help of a person leaves out the flag: it is refused. */
export function isRefusedFlag(roles: readonly PersonRole[], { audits }: Verb, flag: string): boolean {
  return (
    (flag === '--actor' && audits === true) ||
    lacksSecondRole(roles, flag) ||
    showsHiddenCustomers(roles, flag)
  );
}

/** Returns true if a flag shows, or searches, data of customers that the roles do not see. */
function showsHiddenCustomers(roles: readonly PersonRole[], flag: string): boolean {
  return CUSTOMER_FLAGS.includes(flag) && !seesCustomers(roles);
}

/**
 * Refuses a command, or a flag of it, that the roles of the person do not allow, before anything is asked.
 * @throws NotAllowedError
 */
export async function refuseNotAllowed(
  verb: Verb,
  command: string,
  options: Record<string, unknown>,
  io: Io,
): Promise<void> {
  const person = await findPersonAtTerminal(io);
  if (!person) return;
  refuseCommand(person, command);
  const { name, roles } = person;
  if (verb.audits && options.actor !== undefined)
    throw new NotAllowedError(`--actor cannot be given: the login ${person.login} proves who acts`);
  for (const flag of (verb.flags ?? []).filter((one) => options[optionKey(one)] !== undefined)) {
    const word = flagName(flag);
    if (showsHiddenCustomers(roles, word))
      throw new NotAllowedError(
        `${name} (${roles.join(', ')}) may not use ${word}, which shows customers: the roles that may: desk, admin`,
      );
    if (lacksSecondRole(roles, word))
      throw new NotAllowedError(`${name} (${roles.join(', ')}) may not use ${word}: ${rolesThatMay(word)}`);
  }
}

/**
 * Returns the person whose login DATABASE_URL has. Asks the database only if the login has the form of a person's, so that commands of the
 * owner take no longer. Undefined also if the database does not answer.
 */
export async function findPersonAtTerminal(io: Io): Promise<PersonOfSession | undefined> {
  const given = io.env.DATABASE_DIRECT_URL || io.env.DATABASE_URL;
  if (given ? !personOfAddress(given) : !existsSync(io.envFile ?? '')) return undefined;
  try {
    // The help of the owner does not load the configuration.
    const { loadConfig } =
      require('../../services/platform/config/config') as typeof import('../../services/platform/config/config');
    const { settingsOf } = require('./context') as typeof import('./context');
    const config = loadConfig(settingsOf(io));
    const url = config.databaseUrl && config.databaseDirectUrl;
    if (!url || !personOfAddress(url)) return undefined;
    const { queryOnce } =
      require('../../services/platform/database/connect') as typeof import('../../services/platform/database/connect');
    const [session] = await queryOnce<Parameters<typeof personOf>[0]>(url, {
      text: ROLES_OF_SESSION,
      values: [],
      timeoutMs: ANSWER_MS,
    });
    return session && personOf(session);
  } catch {
    return undefined;
  }
}
