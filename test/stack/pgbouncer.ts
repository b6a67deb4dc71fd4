import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { isListening } from '../support/free-ports';
import { type Child, startChild, untilReady } from './child';

const POOL_INI = path.resolve(__dirname, '../../docker/pgbouncer/pool.ini');

export interface PgBouncer {
  child: Child;
  /** The URL of the same database through the pooler. */
  url(directUrl: string): string;
}

/**
 * Starts PgBouncer in transaction mode, with the settings of docker/, for the server of `directUrl`.
 * @param settings additional lines of its ini file
 */
export async function startPgBouncer(
  dir: string,
  port: number,
  directUrl: string,
  settings: string[] = [],
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(directUrl);
  // PgBouncer refuses to run as root, like PostgreSQL.
  const account = accountFor();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const write = (name: string, lines: string[]) => {
    const file = path.join(dir, name);
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    if (account.uid !== undefined) chownSync(file, account.uid, account.gid!);
    return file;
  };
  if (account.uid !== undefined) chownSync(dir, account.uid, account.gid!);
  const users = write('userlist.txt', [`"${username}" "${decodeURIComponent(password)}"`]);
  const ini = write('pgbouncer.ini', [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    `auth_file = ${users}`,
    `admin_users = ${username}`,
    `%include ${POOL_INI}`,
    ...settings,
  ]);
  const child = startChild({
    name: 'PgBouncer',
    program: 'pgbouncer',
    args: [ini],
    cwd: '/',
    ...account,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin' },
    logFile: path.join(dir, 'pgbouncer.log'),
  });
  await untilReady(child, 'PgBouncer', () => isListening(port));
  return {
    child,
    url(direct) {
      const url = new URL(direct);
      url.hostname = '127.0.0.1';
      url.port = `${port}`;
      return url.href;
    },
  };
}
