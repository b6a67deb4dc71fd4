import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryOnce } from '../../../services/platform/database/connect';
import { accountFor } from '../../../services/platform/embedded-postgres/account';
import { type Child, startChild, untilReady } from '../../stack/child';
import { DOCKER } from '../../stack/docker-files';
import { isListening } from '../../support/free-ports';
import { describeEtcd, type EtcdMember } from './etcd';
import { describeMember, type Member, type MemberPlace } from './member';
import { makeFolder } from './postgres-server';

/** The database of compose.ha.yaml as processes, with the files of docker/. */
export interface Cluster {
  etcd: EtcdMember[];
  members: Member[];
  /** The URL of the owner, through HAProxy. */
  directUrl: string;
  /** The URL of a login of the services, through PgBouncer and HAProxy. */
  pooledUrl(login: 'tours_api' | 'tours_queue'): string;
  /** The URL of the superuser at one member, without HAProxy. */
  superuserUrl(member: Member): string;
  etcdLeader(): Promise<EtcdMember>;
  /** Returns the primary and the other member. @throws Error while there is no primary */
  roles(): Promise<[primary: Member, standby: Member]>;
  /** Waits for a primary with a synchronous standby. @returns milliseconds */
  untilSynchronous(): Promise<number>;
  /** Waits until the member is the primary. @returns milliseconds */
  untilPrimary(member: Member): Promise<number>;
  /** Asks Patroni for a planned switchover, as an operator does. */
  switchOver(): Promise<void>;
  stop(): Promise<void>;
}

/** The lease of the primary, in seconds (docs/failover.md). */
export interface Lease {
  ttl: number;
  loopWait: number;
  retryTimeout: number;
}

const PASSWORDS = {
  POSTGRES_PASSWORD: 'a password of the superuser',
  REPLICATION_PASSWORD: 'a password of the replication',
  DATABASE_PASSWORD: 'owner-of-one-run',
  API_DATABASE_PASSWORD: 'api-of-one-run',
  QUEUE_DATABASE_PASSWORD: 'queue-of-one-run',
};
const PATIENCE_MS = 120_000;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin';
export const PORTS = 13;

/** @param ports as many as PORTS says @param more variables of the members that another compose file adds */
export async function startCluster(
  dir: string,
  ports: number[],
  lease: Lease,
  more?: MemberPlace['more'],
): Promise<Cluster> {
  makeFolder(dir);
  const variables = {
    ...PASSWORDS,
    FAILOVER_TTL: `${lease.ttl}`,
    FAILOVER_LOOP_WAIT: `${lease.loopWait}`,
    FAILOVER_RETRY_TIMEOUT: `${lease.retryTimeout}`,
  };
  const etcd = describeEtcd(dir, ports.slice(0, 6));
  const [port1, rest1, port2, rest2, primaryPort, healthPort, poolerPort] = ports.slice(6);
  const places = [
    { name: 'patroni-1', port: port1!, restPort: rest1! },
    { name: 'patroni-2', port: port2!, restPort: rest2! },
  ];
  const members: Member[] = [];
  for (const place of places) {
    makeFolder(path.join(dir, place.name));
    members.push(await describeMember({ ...place, dir, variables, more }, etcd));
  }
  for (const member of etcd) member.start();
  await Promise.all(etcd.map((member) => member.untilHealthy()));
  for (const member of members) member.start();
  const others: Child[] = [];
  const cluster = clusterOf(etcd, members, others, { primary: primaryPort!, pooler: poolerPort! });
  try {
    others.push(await startHaproxy(dir, members, primaryPort!, healthPort!));
    others.push(await startPooler(dir, poolerPort!, primaryPort!));
    await cluster.untilSynchronous();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

function clusterOf(
  etcd: EtcdMember[],
  members: Member[],
  others: Child[],
  ports: { primary: number; pooler: number },
): Cluster {
  const url = (login: string, password: string, port: number) =>
    `postgres://${login}:${password}@127.0.0.1:${port}/tours`;
  const roles = async (): Promise<[Member, Member]> => {
    const answers = await Promise.all(members.map((member) => member.isPrimary()));
    const first = answers.indexOf(true);
    if (first < 0) throw new Error('no member is the primary');
    return [members[first]!, members[1 - first]!];
  };
  const superuserUrl = ({ port }: Member) =>
    url('postgres', encodeURIComponent(PASSWORDS.POSTGRES_PASSWORD), port);
  // Asks the primary's PostgreSQL too, because a Patroni that was frozen answers with its old state.
  const isSynchronous = async () => {
    const [primary, standby] = await roles();
    const rows = await queryOnce(superuserUrl(primary), {
      text: `select from pg_stat_replication where application_name = $1 and state = 'streaming' and sync_state = 'sync'`,
      values: [standby.name],
      timeoutMs: 1000,
    });
    return rows.length === 1 && (await standby.isSynchronous());
  };
  return {
    etcd,
    members,
    directUrl: url('tours', PASSWORDS.DATABASE_PASSWORD, ports.primary),
    pooledUrl: (login) =>
      url(
        login,
        login === 'tours_api' ? PASSWORDS.API_DATABASE_PASSWORD : PASSWORDS.QUEUE_DATABASE_PASSWORD,
        ports.pooler,
      ),
    superuserUrl,
    async etcdLeader() {
      const leads = await Promise.all(etcd.map((member) => member.isLeader()));
      return etcd[leads.indexOf(true)]!;
    },
    roles,
    untilSynchronous: () => until('a synchronous standby', isSynchronous),
    untilPrimary: (member) => until(`${member.name} as primary`, member.isPrimary),
    async switchOver() {
      const [primary, standby] = await roles();
      await primary.patronictl('switchover', '--candidate', standby.name, '--force');
    },
    async stop() {
      await Promise.all(others.map((child) => child.stop('SIGKILL')));
      await Promise.all(members.map((member) => member.remove()));
      await Promise.all(etcd.map((member) => member.kill()));
    },
  };
}

/** Asks ten times a second. @returns milliseconds @throws Error after two minutes */
async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - begun > PATIENCE_MS)
      throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await sleep(100);
  }
  return performance.now() - begun;
}

async function startHaproxy(dir: string, members: Member[], port: number, health: number): Promise<Child> {
  const [one, two] = members as [Member, Member];
  const child = startChild({
    name: 'HAProxy',
    program: 'haproxy',
    args: ['-db', '-f', path.join(DOCKER, 'haproxy/haproxy.cfg')],
    cwd: '/',
    ...accountFor(),
    env: {
      PATH,
      PRIMARY_BIND: `127.0.0.1:${port}`,
      HEALTH_BIND: `127.0.0.1:${health}`,
      PATRONI_1: `127.0.0.1:${one.port}`,
      PATRONI_1_REST: `${one.restPort}`,
      PATRONI_2: `127.0.0.1:${two.port}`,
      PATRONI_2_REST: `${two.restPort}`,
    },
    logFile: path.join(dir, 'haproxy.log'),
  });
  await untilReady(child, 'HAProxy', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  return child;
}

async function startPooler(dir: string, port: number, primaryPort: number): Promise<Child> {
  const folder = path.join(dir, 'pooler');
  makeFolder(folder);
  const { DATABASE_PASSWORD, API_DATABASE_PASSWORD, QUEUE_DATABASE_PASSWORD } = PASSWORDS;
  const child = startChild({
    name: 'PgBouncer',
    program: path.join(DOCKER, 'pgbouncer/start'),
    args: [],
    cwd: '/',
    ...accountFor(),
    env: {
      PATH,
      TMPDIR: folder,
      DATABASE_HOST: '127.0.0.1',
      DATABASE_PORT: `${primaryPort}`,
      DATABASE_PASSWORD,
      API_DATABASE_PASSWORD,
      QUEUE_DATABASE_PASSWORD,
      LISTEN_ADDRESS: '127.0.0.1',
      LISTEN_PORT: `${port}`,
      POOL_INI: path.join(DOCKER, 'pgbouncer/pool.ini'),
    },
    logFile: path.join(folder, 'pgbouncer.log'),
  });
  await untilReady(child, 'PgBouncer', () => isListening(port));
  return child;
}
