import type { Server } from 'node:http';
import { Socket } from 'node:net';

/**
 * Sends the answers of one turn of the event loop together, at its end. A write that finds the client's thread asleep wakes it, and it
 * sleeps again before the next answer: such a write takes 24 µs instead of 11 (ADR 27). Node corks a socket while it writes an answer,
 * so that only the moment of uncork() changes. A socket that is destroyed in the same turn sends its answer before.
 */
export function sendAnswersTogether(server: Server): void {
  let corked = new Set<Socket>();
  const sendAll = () => {
    const sockets = corked;
    corked = new Set();
    for (const socket of sockets) uncork(socket);
  };
  server.on('connection', (socket: Socket) => {
    socket.uncork = () => {
      if (corked.size === 0) setImmediate(sendAll);
      corked.add(socket);
    };
    socket.destroy = (error) => {
      uncork(socket);
      return Socket.prototype.destroy.call(socket, error);
    };
  });
}

/** Node's response.end() uncorks once, whatever else has corked the socket. */
function uncork(socket: Socket): void {
  while (socket.writableCorked > 0) Socket.prototype.uncork.call(socket);
}
