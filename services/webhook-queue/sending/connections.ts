import { Client } from 'undici';
import type { AttemptTrace, Cutoff } from './attempt';
import { type ConnectionRules, openConnection } from './open-connection';

/** One connection to one origin, used by one attempt at a time. */
export interface Connection {
  client: Client;
  /** True if the connection has already served an attempt. */
  kept: boolean;
  /** Keeps the connection for another attempt. Call this function after the response was read to its end. */
  giveBack(): void;
  /** Closes the connection; a request in flight fails with the reason. */
  drop(reason?: Error): void;
}

export interface Connections {
  /** Returns a kept connection, or a new one that opens with its first request. */
  take(origin: string, borrower: Borrower): Connection;
  /** Closes all idle connections to the origin. */
  dropKept(origin: string): void;
  destroy(): Promise<void>;
}

/**
 * The attempt that uses the connection. `trace` records the time to connect, too. `cutoff` also stops an attempt that is still connecting.
 */
export interface Borrower {
  trace: AttemptTrace;
  cutoff: Cutoff;
}

interface KeptConnection extends Connection {
  origin: string;
  borrower: Borrower;
  /** Undefined while not connected. */
  established: { peer: string | null; openedAt: number } | undefined;
}

/**
 * Closes a connection after this idle time, because most servers close an idle connection after 5 s or more. If the Keep-Alive header of a
 * server gives a shorter time, undici uses that time.
 */
const IDLE_MS = 4000;
/** Limits the age of a connection, so that a receiver can move to another address. */
const LIFE_MS = 60_000;
const IDLE_MAX = 500;

/**
 * Manages the connections of one process. Replaces undici's Agent, because its pools do not show for which attempt a connection was opened,
 * nor whether a request used a kept connection.
 */
export function createConnections(rules: ConnectionRules): Connections {
  const all = new Set<KeptConnection>();
  const idleConnections = createIdleConnections();

  const open = (origin: string, borrower: Borrower): KeptConnection => {
    const connection: KeptConnection = {
      origin,
      borrower,
      established: undefined,
      kept: false,
      client: createClient(origin, rules, () => connection),
      giveBack: () => {
        const { established } = connection;
        if (!established || performance.now() - established.openedAt > LIFE_MS) return connection.drop();
        idleConnections.put(connection)?.drop();
      },
      drop: (reason) => {
        all.delete(connection);
        idleConnections.remove(connection);
        void connection.client.destroy(reason ?? null);
      },
    };
    connection.client.on('disconnect', () => {
      connection.established = undefined;
      if (idleConnections.remove(connection)) connection.drop();
    });
    all.add(connection);
    return connection;
  };

  return {
    dropKept: (origin) => {
      for (let kept = idleConnections.take(origin); kept; kept = idleConnections.take(origin)) kept.drop();
    },
    take: (origin, borrower) => {
      const kept = idleConnections.take(origin);
      if (!kept) return open(origin, borrower);
      kept.borrower = borrower;
      kept.kept = true;
      borrower.trace.peer = kept.established?.peer ?? null;
      return kept;
    },
    destroy: async () => {
      const clients = [...all].map(({ client }) => client);
      all.clear();
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

/** Creates a client without its own timeouts: the deadline of the attempt covers everything. */
function createClient(origin: string, rules: ConnectionRules, self: () => KeptConnection): Client {
  return new Client(origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connect: (target, connected) => {
      const { trace, cutoff } = self().borrower;
      openConnection(target, rules, trace, cutoff).then(
        (socket) => {
          self().established = { peer: trace.peer, openedAt: performance.now() };
          connected(null, socket);
        },
        (error: Error) => connected(error, null),
      );
    },
  });
}

/** Keeps idle connections. `take` returns the most recent one of an origin. */
function createIdleConnections() {
  const idleConnections = new Map<string, KeptConnection[]>();
  let count = 0;
  const remove = (connection: KeptConnection): boolean => {
    const idle = idleConnections.get(connection.origin);
    const at = idle?.lastIndexOf(connection) ?? -1;
    if (!idle || at < 0) return false;
    idle.splice(at, 1);
    if (idle.length === 0) idleConnections.delete(connection.origin);
    count--;
    return true;
  };
  return {
    remove,
    take: (origin: string): KeptConnection | undefined => {
      const connection = idleConnections.get(origin)?.at(-1);
      if (connection) remove(connection);
      return connection;
    },
    /**
     * Adds an idle connection. If there are now too many idle connections, returns one that has been idle for the longest time. The caller
     * must close that connection.
     */
    put: (connection: KeptConnection): KeptConnection | undefined => {
      const idle = idleConnections.get(connection.origin);
      if (idle) idle.push(connection);
      else idleConnections.set(connection.origin, [connection]);
      if (++count <= IDLE_MAX) return undefined;
      const [longest] = idleConnections.values();
      return longest![0];
    },
  };
}
