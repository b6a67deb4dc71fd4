import { type Db, openDatabase } from '../../services/platform/database/database';
import { type Answer, runOnce } from '../cli/run-once';
import { databaseUrl } from '../support/database';
import { PEPPER } from '../support/given';
import { startTemporaryPostgres } from '../support/temporary-postgres';

const PASSWORD = 'secret';
/** As docs/install.md creates the role of an installation with one login. */
const OWNER = `create role tours login password '${PASSWORD}'; grant pg_read_all_stats to tours`;
/** As docs/run-many.md adds the roles of an installation with three logins. */
const LOGINS = ['api', 'queue'].map(
  (name) => `create role tour_platform_${name} nologin;
    create role tours_${name} login password '${PASSWORD}' in role tour_platform_${name};`,
);
/** The secrets of the installation. */
export const SECRETS = { SECRETS_KEY: 's'.repeat(32), CURSOR_KEY: 'c'.repeat(32), KEY_PEPPER: PEPPER };

/** A server with the roles of an installation. */
export interface StartedServer {
  version: string;
  /** Creates an empty database as docs/install.md does. @returns a pool of its owner */
  create(database: string): Promise<Db>;
  /** Creates the logins of the API and the webhook queue. */
  createLogins(): Promise<void>;
  urlOf(database: string, role?: string): string;
  /** Runs a command that must succeed. @param line its words, or text that is split at spaces */
  tourctl(database: string, line: string | string[]): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startServerOf(programs: string | undefined): Promise<StartedServer> {
  const postgres = await startTemporaryPostgres(programs);
  const admin = openDatabase(postgres.url, { applicationName: 'test', poolMax: 1 });
  const opened = [admin];
  const { rows } = await admin.raw("select split_part(current_setting('server_version'), ' ', 1) as version");
  await admin.raw(OWNER);
  const urlOf = (database: string, role = 'tours') => {
    const url = new URL(databaseUrl(postgres.url, database));
    [url.username, url.password] = [role, PASSWORD];
    return url.href;
  };
  return {
    version: rows[0].version,
    urlOf,
    async create(database) {
      const form = "owner tours template template0 encoding 'UTF8' locale 'C.UTF-8'";
      await admin.raw(`create database ?? ${form}`, [database]);
      const db = openDatabase(urlOf(database), { applicationName: 'test', poolMax: 2 });
      opened.push(db);
      return db;
    },
    async createLogins() {
      await admin.raw(LOGINS.join(''));
    },
    async tourctl(database, line) {
      const env = { DATABASE_URL: urlOf(database), SUDO_USER: 'olga', ...SECRETS };
      const answer = await runOnce(line, { env });
      const { code, stderr } = answer;
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr });
      return answer;
    },
    async stop() {
      for (const db of opened) await db.destroy();
      await postgres.stop();
    },
  };
}
