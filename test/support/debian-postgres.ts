import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { accountFor, runAs } from '../../services/platform/embedded-postgres/account';
import { serverPrograms } from '../chaos/failover/server-programs';
import { type Child, startChild, untilReady } from '../stack/child';
import { lowPorts } from '../stack/low-ports';

const SUPERUSER = 'postgres';

/** A PostgreSQL server of the apt package, as Debian configures it: a superuser over the socket, passwords over TCP. */
export interface DebianPostgres {
  port: number;
  /** The variables with which programs of PostgreSQL connect as superuser. */
  superuser: Record<string, string>;
  /** Resolves when the server accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates and starts an empty server.
 * @param dir a new folder, which the server's account then owns; every account may enter its parent
 */
export async function createDebianPostgres(dir: string): Promise<DebianPostgres> {
  const programs = serverPrograms()!;
  const account = accountFor();
  const [port] = await lowPorts(1);
  // The server runs as another account when root runs this.
  chmodSync(path.dirname(dir), 0o755);
  mkdirSync(dir, { mode: 0o755 });
  if (account.uid !== undefined) chownSync(dir, account.uid, account.gid!);
  const data = path.join(dir, 'data');
  const access = ['-U', SUPERUSER, '--auth-local=trust', '--auth-host=scram-sha-256'];
  const form = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { ok, output } = await runAs(account, path.join(programs, 'initdb'), [
    '-D',
    data,
    ...access,
    ...form,
  ]);
  if (!ok) throw new Error(`initdb failed: ${output}`);
  let child: Child;
  const server: DebianPostgres = {
    port: port!,
    superuser: { PGHOST: dir, PGPORT: `${port}`, PGUSER: SUPERUSER },
    async start() {
      child = startChild({
        name: 'PostgreSQL',
        program: path.join(programs, 'postgres'),
        args: ['-D', data, '-p', `${port}`, '-k', dir, '-c', 'fsync=off'],
        ...account,
        env: { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' },
        cwd: '/',
        logFile: path.join(dir, 'postgres.log'),
      });
      const asking = ['-h', '127.0.0.1', '-p', `${port}`];
      await untilReady(
        child,
        'PostgreSQL',
        async () => (await runAs(account, path.join(programs, 'pg_isready'), asking)).ok,
      );
    },
    // A fast shutdown: disconnects clients.
    stop: async () => void (await child.stop('SIGINT')),
  };
  await server.start();
  return server;
}
