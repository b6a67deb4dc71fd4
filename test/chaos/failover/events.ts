import { execFileSync } from 'node:child_process';
import type { Cluster } from './cluster';
import type { Member } from './member';

/** A failure, or a planned switchover, and its end. */
export interface FailureEvent {
  title: string;
  /** True if the other member becomes the primary. Otherwise the event lasts longer than the lease, and the primary stays. */
  promotes: boolean;
  /** True if the database answers nobody until the promotion. */
  isOutage: boolean;
  /** The first version of Patroni that keeps every promise in this event. */
  fromPatroni?: string;
  begin(cluster: Cluster, primary: Member, standby: Member): unknown;
  /** Ends the failure. The machine or the network is there again. */
  end(cluster: Cluster, primary: Member, standby: Member): unknown;
}

export const EVENTS: Record<string, FailureEvent> = {
  killed: {
    title: 'primary killed',
    promotes: true,
    isOutage: true,
    begin: (_, primary) => primary.kill(),
    end: (_, primary) => primary.start(),
  },
  frozen: {
    title: 'primary frozen, then let go',
    promotes: true,
    isOutage: true,
    // An older one overwrites the leader key of the new primary when it continues, and the sales of the new primary are lost.
    fromPatroni: '3.0.3',
    begin: (_, primary) => primary.freeze(),
    end: (_, primary) => primary.thaw(),
  },
  isolated: {
    title: 'primary cut off from etcd and the other member',
    promotes: true,
    isOutage: false,
    begin(_, primary, standby) {
      primary.cutFromEtcd();
      primary.cutRest();
      standby.cutRest();
    },
    end(_, primary, standby) {
      primary.reconnect();
      standby.reconnect();
    },
  },
  switchover: {
    title: 'planned switchover',
    promotes: true,
    isOutage: false,
    begin: (cluster) => cluster.switchOver(),
    end: () => undefined,
  },
  standby: {
    title: 'standby killed',
    promotes: false,
    isOutage: false,
    begin: (_, __, standby) => standby.kill(),
    end: (_, __, standby) => standby.start(),
  },
  stuck: {
    title: 'standby frozen, then let go',
    promotes: false,
    isOutage: false,
    begin: (_, __, standby) => standby.freeze(),
    end: (_, __, standby) => standby.thaw(),
  },
  etcd: {
    title: "etcd's leader killed",
    promotes: false,
    isOutage: false,
    begin: async (cluster) => (await cluster.etcdLeader()).kill(),
    end: (cluster) => cluster.etcd.forEach((member) => member.isRunning() || member.start()),
  },
  cut: {
    title: 'primary cut off from etcd only (failsafe_mode)',
    promotes: false,
    isOutage: false,
    begin: (_, primary) => primary.cutFromEtcd(),
    end: (_, primary) => primary.reconnect(),
  },
};

/** Returns the events that the installed Patroni survives, and prints the others. */
export function possibleEvents(names: string[]): string[] {
  const installed = execFileSync('patroni', ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1)!;
  return names.filter((name) => {
    const { title, fromPatroni } = EVENTS[name]!;
    const isPossible =
      !fromPatroni || installed.localeCompare(fromPatroni, undefined, { numeric: true }) >= 0;
    if (!isPossible)
      process.stdout.write(
        `Left out: ${title}. It needs Patroni ${fromPatroni}; ${installed} is installed.\n`,
      );
    return isPossible;
  });
}
