import { createServer as createTcp } from 'node:net';
import { startRawServer } from '../raw-server';
import { type HostileReceiver, DELIVERED, onConnection, http, KEEP, OK } from './hostile-receiver';

export const HANG_UPS: HostileReceiver[] = [
  {
    name: 'no server on its port',
    open: async () => {
      const server = await startRawServer(createTcp());
      await server.close();
      return { ...server, close: async () => undefined };
    },
    says: {
      outcome: 'connection',
      reason: 'The connection was refused: no server listens on this port (ECONNREFUSED).',
    },
    also: ({ peer, signature }) => expect([peer, signature]).toEqual([null, null]),
  },
  ...(
    [
      ['a reset at once', onConnection((socket) => socket.resetAndDestroy())],
      ['a reset in place of an answer', http((socket) => socket.resetAndDestroy())],
      ['an end in place of an answer', http((socket) => socket.end())],
      [
        'a reset within the head',
        http((socket) => {
          socket.write(`${OK}content-`);
          setTimeout(() => socket.resetAndDestroy(), 50);
        }),
      ],
    ] as const
  ).map(([name, open]) => ({
    name,
    open,
    says: {
      outcome: 'connection' as const,
      statusCode: null,
      reason: expect.stringMatching(/^The receiver closed the connection before it responded/),
    },
  })),
  {
    name: 'an idle connection that is closed in the moment of the next request',
    open: http((socket, n) => (n === 1 ? socket.write(KEEP) : socket.resetAndDestroy())),
    events: 3,
    tries: 2,
    says: DELIVERED,
    also: (_attempt, { connections, requests }) => {
      // The second request on a connection is lost. The worker repeats the request on a new connection.
      expect([connections, requests.length]).toEqual([3, 5]);
      const idOf = (request: string) => /webhook-id: \S+/.exec(request)![0];
      expect(idOf(requests[1]!)).toBe(idOf(requests[2]!));
    },
  },
  {
    name: 'a connection that ends each time it is idle',
    open: http((socket) => {
      socket.write(KEEP);
      setTimeout(() => socket.end(), 20);
    }),
    events: 3,
    says: DELIVERED,
  },
  {
    name: 'a server that goes down after the first request',
    open: http((socket, n, { connections }) =>
      n === 1 && connections === 1 ? socket.write(KEEP) : socket.resetAndDestroy(),
    ),
    events: 2,
    tries: 2,
    says: { outcome: 'connection', statusCode: null },
    // The second event sends two requests: one on the kept-alive connection, and one on a new connection.
    also: (_attempt, { requests }) => expect(requests).toHaveLength(3),
  },
];
