import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address';

export interface ConnectionLimits {
  /** Open connections in total. */
  connections: number;
  /** Open connections of one IPv4 address or IPv6 /64 that is not a trusted proxy. */
  connectionsPerAddress: number;
  requestsPerConnection: number;
  /** Requests of one connection without a complete response. */
  unanswered: number;
}

/** From this share of all connections on, each new one closes the one that is longest without a request. */
const PRESSURE = 0.9;

/**
 * Keeps connections free for clients that send requests. A connection without a request is idle, or has not sent complete
 * headers yet. When the connections are nearly used up, in total or by one address, a new connection closes the one that has
 * been without a request for the longest time. An address whose connections all have requests gets no more connections.
 * @param isProxy returns whether the peer is a trusted proxy, which forwards many clients
 */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits,
  isProxy: (address: string | undefined) => boolean,
): { onBusy(socket: Socket): void; onIdle(socket: Socket): void } {
  const all = createGroup();
  const byAddress = new Map<string, Group>();
  const groupsOf = new WeakMap<Socket, Group[]>();
  const leave = (socket: Socket) => {
    for (const group of groupsOf.get(socket) ?? []) {
      group.members.delete(socket);
      group.waiting.delete(socket);
    }
  };
  const closeLongestWaiting = ({ waiting }: Group): boolean => {
    const [socket] = waiting;
    if (!socket) return false;
    // Leaves now: the next connection may arrive before the close event.
    leave(socket);
    socket.destroy();
    return true;
  };

  server.maxConnections = limits.connections;
  server.on('connection', (socket: Socket) => {
    const address = isProxy(socket.remoteAddress) ? undefined : networkOf(socket.remoteAddress);
    const own = address === undefined ? undefined : (byAddress.get(address) ?? createGroup());
    if (own && own.members.size >= limits.connectionsPerAddress && !closeLongestWaiting(own)) {
      socket.destroy();
      return;
    }
    if (all.members.size >= limits.connections * PRESSURE) closeLongestWaiting(all);
    const groups = own ? [all, own] : [all];
    groupsOf.set(socket, groups);
    for (const group of groups) join(group, socket);
    if (own && address) byAddress.set(address, own);
    socket.once('close', () => {
      leave(socket);
      if (own?.members.size === 0 && address && byAddress.get(address) === own) byAddress.delete(address);
    });
  });

  return {
    onBusy: (socket) => groupsOf.get(socket)?.forEach(({ waiting }) => waiting.delete(socket)),
    onIdle: (socket) => {
      if (socket.destroyed) return;
      groupsOf.get(socket)?.forEach(({ waiting }) => waiting.add(socket));
    },
  };
}

interface Group {
  members: Set<Socket>;
  /** Connections without a request, the longest waiting first. */
  waiting: Set<Socket>;
}

function createGroup(): Group {
  return { members: new Set(), waiting: new Set() };
}

function join({ members, waiting }: Group, socket: Socket): void {
  members.add(socket);
  waiting.add(socket);
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 1024 * 1024;

/**
 * Ends a connection in two steps: sends the last response and FIN, then discards the client's bytes for at most two seconds. A
 * socket that is destroyed with unread bytes sends a reset, and the client may lose the response (RFC 9112 section 9.6).
 */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => {
    discardInput(socket);
    socket.end();
    const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(cut));
  };
}

/** Detaches the parser, then reads and discards at most 1 MiB. */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  let left = LINGER_BYTES;
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
  socket.resume();
}
