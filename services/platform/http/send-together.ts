import type { Server } from 'node:http';
import { type Socket, Socket as NetSocket } from 'node:net';

/**
 * Sends the answers of one turn of the event loop together, at its end. Each write wakes the client's thread, if it has nothing
 * else to read: between two answers it sleeps again, and a write then takes 24 µs instead of 12 (ADR 27). Node corks a socket
 * while it writes an answer, so that only the moment of uncork() changes.
 */
export function sendAnswersTogether(server: Server): void {
  let corked = new Set<Socket>();
  const sendAll = () => {
    const sockets = corked;
    corked = new Set();
    for (const socket of sockets) while (socket.writableCorked > 0) NetSocket.prototype.uncork.call(socket);
  };
  server.on('connection', (socket: Socket) => {
    socket.uncork = () => {
      if (corked.size === 0) setImmediate(sendAll);
      corked.add(socket);
    };
  });
}
