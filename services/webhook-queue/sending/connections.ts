import { Client } from 'undici';
import type { AttemptTrace } from './attempt-trace';
import { openConnection, type ConnectionRules } from './open-connection';

/** One connection to one origin, lent to one attempt at a time. */
export interface Connection {
  client: Client;
  /** It served an attempt before. */
  kept: boolean;
  /** The attempt is over and its answer was read to the end: the connection is kept for another. */
  giveBack(): void;
  /** Closes the connection, however far it came; what is under way on it fails with the reason. */
  drop(reason?: Error): void;
}

export interface Connections {
  /** One that was kept, or, if there is none, one that is opened with the first request. */
  take(origin: string, borrower: Borrower): Connection;
  /** Closes all that are kept for the origin. */
  dropKept(origin: string): void;
  destroy(): Promise<void>;
}

/** The attempt that has the connection now: connecting takes of its time, and ends with it. */
export interface Borrower {
  trace: AttemptTrace;
  signal: AbortSignal;
}

interface KeptConnection extends Connection {
  origin: string;
  borrower: Borrower;
  /** Undefined while it is not connected. */
  standing: { peer: string | null; openedAt: number } | undefined;
}

/** Servers close idle connections after 5 s and more; those that are quicker mostly say so (Keep-Alive), and are heeded. */
const IDLE_MS = 4000;
/** So a receiver that moves to another address is followed, however busy the connection. */
const LIFE_MS = 60_000;
const IDLE_MAX = 500;

/**
 * The connections of one process. They are lent by hand, not by undici's Agent: in its pools a request takes whichever
 * connection is ready, and nobody can tell whose time a connection took, nor whether a request met a kept one.
 */
export function createConnections(rules: ConnectionRules): Connections {
  const all = new Set<KeptConnection>();
  const shelf = createShelf();

  const open = (origin: string, borrower: Borrower): KeptConnection => {
    const connection: KeptConnection = {
      origin,
      borrower,
      standing: undefined,
      kept: false,
      client: createClient(origin, rules, () => connection),
      giveBack: () => {
        const { standing } = connection;
        if (!standing || performance.now() - standing.openedAt > LIFE_MS) return connection.drop();
        shelf.put(connection)?.drop();
      },
      drop: (reason) => {
        all.delete(connection);
        shelf.remove(connection);
        void connection.client.destroy(reason ?? null);
      },
    };
    connection.client.on('disconnect', () => {
      connection.standing = undefined;
      if (shelf.remove(connection)) connection.drop();
    });
    all.add(connection);
    return connection;
  };

  return {
    dropKept: (origin) => {
      for (let kept = shelf.take(origin); kept; kept = shelf.take(origin)) kept.drop();
    },
    take: (origin, borrower) => {
      const kept = shelf.take(origin);
      if (!kept) return open(origin, borrower);
      kept.borrower = borrower;
      kept.kept = true;
      borrower.trace.peer = kept.standing?.peer ?? null;
      return kept;
    },
    destroy: async () => {
      const clients = [...all].map(({ client }) => client);
      all.clear();
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

/** Its own timeouts are off: the deadline of the attempt holds for everything. */
function createClient(origin: string, rules: ConnectionRules, self: () => KeptConnection): Client {
  return new Client(origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connect: (target, connected) => {
      const { trace, signal } = self().borrower;
      openConnection(target, rules, trace, signal).then(
        (socket) => {
          self().standing = { peer: trace.peer, openedAt: performance.now() };
          connected(null, socket);
        },
        (error: Error) => connected(error, null),
      );
    },
  });
}

/** Idle connections: of an origin the last one back is the first one out, and of all the longest idle gives way. */
function createShelf() {
  const shelf = new Map<string, KeptConnection[]>();
  let count = 0;
  const remove = (connection: KeptConnection): boolean => {
    const idle = shelf.get(connection.origin);
    const at = idle?.lastIndexOf(connection) ?? -1;
    if (!idle || at < 0) return false;
    idle.splice(at, 1);
    if (idle.length === 0) shelf.delete(connection.origin);
    count--;
    return true;
  };
  return {
    remove,
    take: (origin: string): KeptConnection | undefined => {
      const connection = shelf.get(origin)?.at(-1);
      if (connection) remove(connection);
      return connection;
    },
    /** @returns the connection that has to go for it */
    put: (connection: KeptConnection): KeptConnection | undefined => {
      const idle = shelf.get(connection.origin);
      if (idle) idle.push(connection);
      else shelf.set(connection.origin, [connection]);
      if (++count <= IDLE_MAX) return undefined;
      const [longest] = shelf.values();
      return longest![0];
    },
  };
}
