import type { Db, Trx } from '../database/database';
import { PERSON_ROLES, type PersonRole } from './tasks';

/** A person whose login a session has. */
export interface PersonOfSession {
  name: string;
  /** `<database>_<name>` */
  login: string;
  roles: PersonRole[];
}

/** A person of this installation, with the login on this server. */
export interface ListedPerson {
  name: string;
  roles: PersonRole[];
  /** Null: the login does not end by itself. */
  until: Date | null;
  createdAt: Date;
  changedAt: Date;
  /** Null: the person has no login on this server, as after a restore. */
  login: string | null;
  /** The number of open sessions. */
  sessions: number;
  /** When the oldest open session began. */
  oldestSession: Date | null;
}

/** The roles and the end of a login. */
export interface PersonRights {
  roles: readonly PersonRole[];
  until: Date | null;
}

/** SQL of the roles of people that the login of this session has. The owner of the tables has none: who makes a role is its member. */
export const ROLES_OF_SESSION = `
  select session_user::text as login, current_database()::text as database, array(
    select substr(g.rolname, 15) from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member
    where u.rolname = session_user and left(g.rolname, 14) = 'tour_platform_'
      and not coalesce(pg_has_role(session_user, (select relowner from pg_class where oid = to_regclass('audit_log')), 'usage'), true)) as roles`;

export interface RolesOfSession {
  login: string;
  database: string;
  roles: string[];
}

/** Returns the person of a session. Undefined: the login is not `<database>_<name>`, or has no role of people. */
export function personOf({ login, database, roles: groups }: RolesOfSession): PersonOfSession | undefined {
  const name = login.startsWith(`${database}_`) ? login.slice(database.length + 1) : '';
  const roles = PERSON_ROLES.filter((role) => groups.includes(role));
  return isPersonName(name) && roles.length > 0 ? { name, login, roles } : undefined;
}

/**
 * Returns the name of the person whose login an address of the database has: its user is the name of the database, an underscore and the
 * name. Undefined: another login. Asks no server.
 */
export function personOfAddress(address: string): string | undefined {
  const [, user, database] = /^\w+:\/\/([^:@/]+)(?::[^@/]*)?@[^/]*\/([^?]+)/.exec(address) ?? [];
  if (user === undefined || database === undefined) return undefined;
  const [login, before] = [decodeURIComponent(user), `${decodeURIComponent(database)}_`];
  const name = login.slice(before.length);
  return login.startsWith(before) && isPersonName(name) ? name : undefined;
}

export function isPersonName(text: string): boolean {
  return /^[a-z0-9]{2,20}$/.test(text);
}

async function call<T>(trx: Db | Trx, text: string, values: unknown[]): Promise<T> {
  const { rows } = await trx.raw<{ rows: { result: T }[] }>(`select ${text} as result`, values as never);
  return rows[0]!.result;
}

/** Adds a person. @returns the login. @throws an error for refusalOf */
export function addPerson(trx: Trx, name: string, { roles, until }: PersonRights, verifier: string) {
  return call<string>(trx, 'people_add(?, ?, ?, ?)', [name, roles, until, verifier]);
}

/** Changes the roles and the end of a login. @returns the login. @throws an error for refusalOf */
export function setPerson(trx: Trx, name: string, { roles, until }: PersonRights) {
  return call<string>(trx, 'people_set(?, ?, ?)', [name, roles, until]);
}

/** Gives a person another password. @returns the login. @throws an error for refusalOf */
export function rotatePerson(trx: Trx, name: string, verifier: string) {
  return call<string>(trx, 'people_rotate(?, ?)', [name, verifier]);
}

/** Removes a person. The login opens no session after COMMIT. @throws an error for refusalOf */
export async function removePerson(trx: Trx, name: string): Promise<void> {
  await call(trx, 'people_remove(?)', [name]);
}

/** Ends the sessions of a person. @returns the number of sessions that were open */
export function endSessions(db: Db, name: string): Promise<number> {
  return call<number>(db, 'people_end_sessions(?)', [name]);
}

/** Ends the sessions of people whose login has ended. */
export async function endExpiredSessions(db: Db): Promise<void> {
  await db.raw('select people_end_expired()');
}

/** Drops the login of a removed person. */
export async function dropLogin(db: Db, name: string): Promise<void> {
  await call(db, 'people_drop_login(?)', [name]);
}

/** Lists the people by name. */
export async function listPeople(db: Db): Promise<ListedPerson[]> {
  const { rows } = await db.raw<{ rows: ListedPerson[] }>(
    `select p.name, p.roles, p.until, p.created_at, p.changed_at, s.login, coalesce(s.sessions, 0) as sessions, s.oldest as oldest_session
     from people p left join people_sessions() s using (name) order by p.name`,
  );
  return rows;
}

/** A person with a session that holds a lock. */
export interface LockingPerson {
  name: string;
  /** When the transaction with the lock began. */
  since: Date;
}

/** Lists the people whose sessions have held a lock for so many seconds. Null: this login may not see sessions of people. */
export async function findLockingPeople(db: Db, seconds: number): Promise<LockingPerson[] | null> {
  const { rows } = await db.raw<{ rows: [{ isShown: boolean }] }>(
    `select has_function_privilege('people_sessions()', 'execute') as is_shown`,
  );
  if (!rows[0].isShown) return null;
  const locking = await db.raw<{ rows: LockingPerson[] }>(
    `select name, locked_since as since from people_sessions()
     where locked_since <= clock_timestamp() - make_interval(secs => :seconds) order by name`,
    { seconds },
  );
  return locking.rows;
}

/** Counts the people whose login ends by itself. */
export async function countEndingPeople(db: Db): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    'select count(*)::integer as count from people where until is not null',
  );
  return rows[0].count;
}

/** Returns the rights that every login of the server has on a database with people, and must not have, as REVOKE names them. */
export async function findRightsOfPublic(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select format('connect on database %I', current_database()) as name where public_may_connect() and exists (select from people)
     union all
     select format('create on schema %s', relnamespace::regnamespace) from pg_class
     where oid = 'people'::regclass and public_may_create() and exists (select from people)`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the statement that keeps data of customers out of the server's log, if the owner may not run it for this login. */
export async function findMissingLogSetting(db: Db, login: string): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { statement: string }[] }>(
    `select format('alter role %I set log_error_verbosity = terse;', r.rolname) as statement from pg_roles r
     where r.rolname = ? and not exists (select from pg_db_role_setting s
       where s.setrole = r.oid and 'log_error_verbosity=terse' = any(s.setconfig))`,
    [login],
  );
  return rows[0]?.statement;
}

/** Returns a person; undefined for an unknown name. */
export async function findPerson(db: Db, name: string): Promise<PersonRights | undefined> {
  return db('people').where({ name }).first<PersonRights | undefined>('roles', 'until');
}
