import {
  allowPeople,
  findRunningPostgres,
} from '../../services/platform/embedded-postgres/embedded-postgres';
import {
  addPerson,
  dropLogin,
  endSessions,
  findMissingLogSetting,
  findPerson,
  isPersonName,
  type ListedPerson,
  listPeople,
  type PersonRights,
  removePerson,
  rotatePerson,
  setPerson,
} from '../../services/platform/people/people.repository';
import { createPassword, scramVerifier } from '../../services/platform/people/scram';
import { PERSON_ROLES, type PersonRole } from '../../services/platform/people/tasks';
import type { Db } from '../../services/platform/database/database';
import { AppError } from '../../services/platform/errors';
import { flag, type Verb } from '../engine/command';
import type { AuditedContext, Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import { OUT_FLAG, withSecretFile } from '../engine/secrets';
import { instant, orNone } from '../engine/values';
import { shortTime, tableOf } from '../terminal/table';
import { countOf } from '../terminal/text';

/** The connections that a login may have at a time. */
const CONNECTIONS = 5;

const roleFlag = (must: boolean) =>
  flag('--role <role>', 'what the person may do: docs/people.md', {
    choices: PERSON_ROLES,
    repeats: true,
    must,
  });
const args = { name: personArgument };

export const peopleVerbs: Verb[] = [
  {
    usage: 'add <name>',
    about: 'Add a person with a login of the database, and print its DATABASE_URL',
    args,
    flags: [
      roleFlag(true),
      flag('--until <time>', 'when the login ends: a date or a time', { parse: future }),
      OUT_FLAG,
    ],
    examples: ['people add olga --role desk', 'people add rui --role catalog --role keys --until 2099-12-31'],
    audits: true,
    run: addPersonCommand,
  },
  {
    usage: 'list',
    about: 'List the people, what they may do and their open sessions',
    examples: ['people list'],
    run: listPeopleCommand,
  },
  {
    usage: 'set <name>',
    about: 'Change what a person may do, or when the login ends; open sessions end',
    args,
    flags: [
      roleFlag(false),
      flag('--until <time>', 'when the login ends: a date, a time, or none', { parse: orNone(future) }),
    ],
    check: ({ role, until }: SetOptions) => {
      if (role === undefined && until === undefined) throw new UsageError('--role or --until is missing');
    },
    examples: ['people set olga --role desk --role catalog', 'people set olga --until none'],
    audits: true,
    run: setPersonCommand,
  },
  {
    usage: 'rotate <name>',
    about: "Give a person another password; the person's sessions end",
    args,
    flags: [OUT_FLAG],
    examples: ['people rotate olga --out olga.url'],
    audits: true,
    run: rotatePersonCommand,
  },
  {
    usage: 'remove <name>',
    about: "Remove a person: the login and the person's sessions end before this command returns",
    args,
    asks: () => true,
    examples: ['people remove olga'],
    audits: true,
    run: removePersonCommand,
  },
];

function personArgument(text: string, name: string): string {
  if (!isPersonName(text))
    throw new UsageError(`${name} must be a name of 2 to 20 characters of a-z and 0-9`);
  return text;
}

function future(text: string, name: string): Date {
  const time = instant(text, name);
  if (time.getTime() <= Date.now()) throw new UsageError(`${name} must be in the future`);
  return time;
}

interface AddOptions {
  role: PersonRole[];
  until?: Date;
  out?: string;
}

async function addPersonCommand(context: AuditedContext, { role, until, out }: AddOptions, name: string) {
  const rights = { roles: distinctRoles(role), until: until ?? null };
  const password = createPassword();
  const address = addressOf(context);
  if (!context.config.databaseUrl) await allowPeople(context.config.dataDir);
  const { login, url } = await withSecretFile(out, (keep) =>
    context.audited({ action: 'people.add', subject: name }, async (trx, note) => {
      const made = await addPerson(trx, name, rights, scramVerifier(password));
      note(null, { ...rightsDocument(rights), login: made });
      const secret = urlOf(address, made, password);
      keep(secret);
      return { login: made, url: secret };
    }),
  );
  await answerLogin(context, { name, login, rights, url, out });
  const statement = await findMissingLogSetting(context.db, login);
  if (statement !== undefined)
    context.output.note(
      `The server's log shows customers when a statement of ${name} fails. As an administrator of the server: ${statement}`,
    );
}

interface IssuedLogin {
  name: string;
  login: string;
  rights: PersonRights;
  url: string;
  out?: string;
}

/** Answers with the address of a login, once: the database keeps the verifier of the password only. */
async function answerLogin(
  { output }: Context,
  { name, login, rights, url, out }: IssuedLogin,
): Promise<void> {
  const secret = out === undefined ? url : null;
  await output.answer({ name, login, ...rightsDocument(rights), database_url: secret }, () => secret ?? '');
  output.note(`${name} logs in as ${login}: ${rights.roles.join(', ')}`);
  output.note(
    out === undefined
      ? 'The password is shown only once: the person sets DATABASE_URL to this address.'
      : `The address with the password is in ${out}`,
  );
}

async function listPeopleCommand({ db, output }: Context): Promise<void> {
  const items = (await listPeople(db)).map(toPersonDocument);
  await output.answer({ items }, (screen) => PEOPLE_TABLE(items, screen));
}

function toPersonDocument(person: ListedPerson) {
  const { name, login, changedAt, createdAt, sessions, oldestSession } = person;
  return {
    name,
    login,
    ...rightsDocument(person),
    connection_limit: CONNECTIONS,
    created_at: createdAt.toISOString(),
    changed_at: changedAt.toISOString(),
    sessions,
    oldest_session: oldestSession?.toISOString() ?? null,
  };
}

const PEOPLE_TABLE = tableOf<ReturnType<typeof toPersonDocument>>(
  [
    'name',
    { heading: 'roles', least: 8, cell: ({ roles }) => roles.join(', ') },
    { heading: 'login', least: 8, cell: ({ login }) => login ?? 'none here' },
    { heading: 'until (utc)', cell: ({ until }) => until && shortTime(until) },
    { heading: 'changed (utc)', cell: ({ changed_at }) => shortTime(changed_at) },
    { heading: 'sessions', right: true },
    { heading: 'oldest (utc)', cell: ({ oldest_session }) => oldest_session && shortTime(oldest_session) },
  ],
  'No people: the owner alone uses this installation',
);

interface SetOptions {
  role?: PersonRole[];
  until?: Date | null;
}

async function setPersonCommand(context: AuditedContext, { role, until }: SetOptions, name: string) {
  const { audited, db, output } = context;
  const { login, rights } = await audited({ action: 'people.set', subject: name }, async (trx, note) => {
    const before = await findPerson(trx, name);
    if (!before) throw new UnknownPersonError(name);
    const after = {
      roles: role ? distinctRoles(role) : before.roles,
      until: until === undefined ? before.until : until,
    };
    const made = await setPerson(trx, name, after);
    note(rightsDocument(before), rightsDocument(after));
    return { login: made, rights: after };
  });
  await awaitEndOfSessions(db, name);
  await output.answer(
    { name, login, ...rightsDocument(rights) },
    () => `${name}: ${rights.roles.join(', ')}`,
  );
}

async function rotatePersonCommand(context: AuditedContext, { out }: { out?: string }, name: string) {
  const password = createPassword();
  const address = addressOf(context);
  const { login, url, rights } = await withSecretFile(out, (keep) =>
    context.audited({ action: 'people.rotate', subject: name }, async (trx, note) => {
      const found = await findPerson(trx, name);
      const made = await rotatePerson(trx, name, scramVerifier(password));
      note(null, rightsDocument(found!));
      const secret = urlOf(address, made, password);
      keep(secret);
      return { login: made, url: secret, rights: found! };
    }),
  );
  await awaitEndOfSessions(context.db, name);
  await answerLogin(context, { name, login, rights, url, out });
}

async function removePersonCommand(
  { audited, confirm, db, output }: AuditedContext,
  _: object,
  name: string,
) {
  const found = await findPerson(db, name);
  if (!found) throw new UnknownPersonError(name);
  await confirm(`Remove ${name} (${found.roles.join(', ')})? The person's sessions end at once.`);
  await audited({ action: 'people.remove', subject: name }, async (trx, note) => {
    await removePerson(trx, name);
    note(rightsDocument(found), null);
  });
  const ended = await awaitEndOfSessions(db, name);
  await dropLogin(db, name);
  await output.answer({ name, sessions_ended: ended }, () => `${name} is removed`);
  if (ended > 0) output.note(`${countOf(ended, 'session')} ended`);
}

/** The name of a person that does not exist. */
class UnknownPersonError extends AppError {
  readonly code = 'person_not_found';

  constructor(name: string) {
    super(`There is no person ${name}: tourctl people list`);
  }
}

const POLL_MS = 50;
const SESSIONS_END_MS = 5000;

/** Sessions of a login did not end in time. */
class SessionsRunningError extends AppError {
  readonly code = 'sessions_running';

  constructor(name: string) {
    super(`Sessions of ${name} still run after five seconds, and no new one can begin. Repeat the command`);
  }
}

/** Ends the sessions of a login, and waits until the server has none. @returns how many there were. @throws SessionsRunningError */
async function awaitEndOfSessions(db: Db, name: string): Promise<number> {
  const first = await endSessions(db, name);
  const until = performance.now() + SESSIONS_END_MS;
  for (let left = first; left > 0; left = await endSessions(db, name)) {
    if (performance.now() > until) throw new SessionsRunningError(name);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return first;
}

function distinctRoles(roles: readonly PersonRole[]): PersonRole[] {
  return PERSON_ROLES.filter((role) => roles.includes(role));
}

function rightsDocument({ roles, until }: PersonRights) {
  return { roles, until: until?.toISOString() ?? null };
}

/** Returns the address of the server past a pooler, because a pooler does not know a new login. */
function addressOf({ config }: Context): string {
  const own = config.databaseUrl && config.databaseDirectUrl;
  return own || findRunningPostgres(config.dataDir)!;
}

/** Replaces the user and the password of an address. Keeps hosts, ports, the database and the settings, such as sslmode. */
function urlOf(address: string, login: string, password: string): string {
  const [, scheme, rest] = /^(\w+:\/\/)(?:[^@/]*@)?(.*)$/s.exec(address)!;
  return `${scheme}${encodeURIComponent(login)}:${password}@${rest}`;
}
