import { readFileSync } from 'node:fs';
import path from 'node:path';
import { accountFor, runAs } from '../../../services/platform/embedded-postgres/account';
import { type Child, startChild } from '../../stack/child';
import { DOCKER } from '../../stack/docker-files';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { composeEnvironment } from './compose-environment';
import type { EtcdMember } from './etcd';
import { serverPrograms } from './server-programs';
import { processTree, signalAll } from './processes';

/** A PostgreSQL with its Patroni, as docker/patroni starts it. */
export interface Member {
  name: string;
  /** The port of PostgreSQL. */
  port: number;
  /** The port of Patroni's REST API for HAProxy. The other member uses a proxy before it. */
  restPort: number;
  start(): void;
  /** Sends SIGKILL to Patroni and PostgreSQL, like a loss of power. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to Patroni and PostgreSQL. Connections stay open, but get no answers. */
  freeze(): void;
  thaw(): void;
  /** Pauses the WAL senders until `kill`. A COMMIT is then only on the member's own disk. */
  holdBackWal(): void;
  /** Drops all packets between this member's Patroni and etcd. */
  cutFromEtcd(): void;
  /** Drops all packets to the REST API, except those of HAProxy. */
  cutRest(): void;
  reconnect(): void;
  /** Asks Patroni's REST API, as HAProxy does. */
  isPrimary(): Promise<boolean>;
  /** Runs patronictl with the settings of this member. @throws Error with its output */
  patronictl(...args: string[]): Promise<void>;
  /** Ends all processes and proxies. */
  remove(): Promise<void>;
}

export interface MemberPlace {
  dir: string;
  name: string;
  port: number;
  restPort: number;
  /** Passwords and the lease, by the variable of docker/.env. */
  variables: Record<string, string>;
}

const ANSWER_MS = 800;

/** Prepares a member and the proxies between it and the others. */
export async function describeMember(place: MemberPlace, etcd: EtcdMember[]): Promise<Member> {
  const { dir, name, port, restPort } = place;
  const toEtcd = await Promise.all(etcd.map(({ clientPort }) => startTcpProxy(clientPort)));
  const rest = await startTcpProxy(restPort);
  const data = path.join(dir, `${name}-data`);
  let child: Child;

  const postmaster = (): number[] => {
    try {
      return processTree(Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]));
    } catch {
      return [];
    }
  };
  // PostgreSQL outlives its Patroni.
  const all = () => [...new Set([...processTree(child.pid), ...postmaster()])];
  const kill = async () => {
    // Paused first, because Patroni would start PostgreSQL again.
    signalAll(all(), 'SIGSTOP');
    signalAll(all(), 'SIGKILL');
    await child.stop('SIGKILL');
  };
  const env = environmentOf(place, data, { rest: rest.port, etcd: toEtcd.map((proxy) => proxy.port) });
  return {
    name,
    port,
    restPort,
    start() {
      child = startChild({
        name,
        program: path.join(DOCKER, 'patroni/start'),
        args: [],
        cwd: '/',
        ...accountFor(),
        env,
        logFile: path.join(dir, `${name}.log`),
      });
    },
    kill,
    freeze: () => signalAll(all(), 'SIGSTOP'),
    thaw: () => signalAll(all(), 'SIGCONT'),
    holdBackWal() {
      const senders = postmaster().filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walsender'),
      );
      signalAll(senders, 'SIGSTOP');
    },
    cutFromEtcd: () => toEtcd.forEach((proxy) => proxy.hang()),
    cutRest: () => rest.hang(),
    reconnect: () => [...toEtcd, rest].forEach(restoreProxy),
    isPrimary: () =>
      fetch(`http://127.0.0.1:${restPort}/primary`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    async patronictl(...args) {
      const settings = path.join(dir, name, 'patroni');
      const { ok, output } = await runAs(accountFor(), 'patronictl', ['-c', settings, ...args], { env });
      if (!ok) throw new Error(`patronictl ${args.join(' ')}: ${output}`);
    },
    async remove() {
      await kill();
      await Promise.all([...toEtcd, rest].map((proxy) => proxy.stop()));
    },
  };
}

/** Closes the connections with dropped bytes, and passes bytes again. */
function restoreProxy(proxy: TcpProxy): void {
  proxy.refuse();
  proxy.resume();
}

function environmentOf(
  { dir, name, port, restPort, variables }: MemberPlace,
  data: string,
  proxies: { rest: number; etcd: number[] },
): Record<string, string> {
  const addresses = Object.fromEntries([
    [`${name}:8008`, `127.0.0.1:${proxies.rest}`],
    [`${name}:5432`, `127.0.0.1:${port}`],
    ...proxies.etcd.map((proxy, n) => [`etcd-${n + 1}:2379`, `127.0.0.1:${proxy}`]),
  ]);
  return {
    // A newer Patroni may stand before that of apt.
    PATH: `${process.env.PATH}:/usr/bin:/bin`,
    HOME: dir,
    LC_ALL: 'C.UTF-8',
    TMPDIR: path.join(dir, name),
    ...composeEnvironment(name, variables, addresses),
    // Otherwise Patroni asks etcd for the addresses of its members, and goes past the proxies.
    PATRONI_ETCD3_USE_PROXIES: 'true',
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: serverPrograms()!,
    PATRONI_YML: path.join(DOCKER, 'patroni/patroni.yml'),
    POST_BOOTSTRAP: path.join(DOCKER, 'patroni/post-bootstrap'),
    CREATE_ROLE: path.join(DOCKER, 'postgres/create-role.sh'),
    SOCKET_DIRECTORY: path.join(dir, name),
  };
}
