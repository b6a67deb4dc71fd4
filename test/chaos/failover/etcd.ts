import path from 'node:path';
import { accountFor } from '../../../services/platform/embedded-postgres/account';
import { type Child, startChild, untilReady } from '../../stack/child';
import { composeEnvironment } from './compose-environment';

/** One of the three members of etcd. */
export interface EtcdMember {
  name: string;
  clientPort: number;
  start(): void;
  /** Waits until a majority of the members answers. */
  untilHealthy(): Promise<void>;
  isRunning(): boolean;
  /** Returns whether this member is the leader of the three. */
  isLeader(): Promise<boolean>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** @param ports a port for clients and one for the other members, for each of the three */
export function describeEtcd(dir: string, ports: number[]): EtcdMember[] {
  const names = ['etcd-1', 'etcd-2', 'etcd-3'];
  const addresses = Object.fromEntries(
    names.flatMap((name, n) => [
      [`${name}:2379`, `127.0.0.1:${ports[2 * n]}`],
      [`${name}:2380`, `127.0.0.1:${ports[2 * n + 1]}`],
    ]),
  );
  return names.map((name, n) => {
    const clientPort = ports[2 * n]!;
    const listening = {
      '0.0.0.0:2379': `127.0.0.1:${clientPort}`,
      '0.0.0.0:2380': `127.0.0.1:${ports[2 * n + 1]}`,
    };
    let child: Child;
    return {
      name,
      clientPort,
      start() {
        child = startChild({
          name,
          program: 'etcd',
          args: [],
          cwd: '/',
          ...accountFor(),
          env: {
            PATH: '/usr/local/bin:/usr/bin:/bin',
            ...composeEnvironment(name, {}, { ...listening, ...addresses }),
            ETCD_DATA_DIR: path.join(dir, `${name}-data`),
          },
          logFile: path.join(dir, `${name}.log`),
        });
      },
      untilHealthy: () =>
        untilReady(child, name, async () => (await fetch(`http://127.0.0.1:${clientPort}/health`)).ok),
      isRunning: () => child.isRunning(),
      async isLeader() {
        const url = `http://127.0.0.1:${clientPort}/v3/maintenance/status`;
        const answer = await fetch(url, { method: 'POST', body: '{}' });
        const { header, leader } = (await answer.json()) as { header: { member_id: string }; leader: string };
        return header.member_id === leader;
      },
      kill: async () => void (await child.stop('SIGKILL')),
    };
  });
}
