import { gzipSync } from 'node:zlib';
import { drip, pour } from '../raw-server';
import { type HostileReceiver, DELIVERED, http, KEEP, OK } from './hostile-receiver';

const BOMB = gzipSync(Buffer.alloc(50e6));

export const BODIES: HostileReceiver[] = [
  {
    name: 'a body of one byte each 100 ms',
    open: http((socket) => {
      socket.write(`${OK}content-length: 500\r\n\r\n`);
      drip(socket, 'x'.repeat(500));
    }),
    says: DELIVERED,
    also: ({ phases, responseBody: body }) => {
      expect(phases!.body).toBeGreaterThan(1000);
      expect(body).toMatch(/^x{5,35}$/);
    },
  },
  {
    name: 'a gzip bomb',
    open: http((socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    }),
    says: DELIVERED,
    also: ({ responseBody: body }) => expect(body!.length).toBeLessThanOrEqual(16 * 1024),
  },
  (() => {
    let poured = { sent: 0 };
    return {
      name: '200 MB',
      open: http((socket) => {
        socket.write(`${OK}content-length: 200000000\r\n\r\n`);
        poured = pour(socket, 'x'.repeat(64 * 1024));
      }),
      says: DELIVERED,
      also: ({ responseBody: body }) => {
        expect(body).toHaveLength(16 * 1024);
        expect(poured.sent).toBeLessThan(20e6);
      },
    } satisfies HostileReceiver;
  })(),
  {
    name: 'an endless chunk extension',
    open: http((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1;`);
      pour(socket, 'a'.repeat(1000), 5e6);
    }),
    says: DELIVERED,
  },
  {
    name: 'endless trailers',
    open: http((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`);
      pour(socket, 'x-more: a\r\n');
    }),
    says: DELIVERED,
    also: ({ durationMs: ms }) => expect(ms).toBeLessThan(3000),
  },
  {
    name: 'malformed chunks',
    open: http((socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n`)),
    says: DELIVERED,
  },
  {
    name: 'a 204 with a body, before another request',
    open: http((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\nbut here is one')),
    events: 2,
    says: { outcome: 'delivered', statusCode: 204 },
  },
  {
    name: 'two answers to one request, before another',
    open: http((socket) => socket.write(`${KEEP}${KEEP}`)),
    events: 2,
    says: DELIVERED,
  },
  {
    name: 'a reset within the body',
    open: http((socket) => {
      socket.write(`${OK}content-length: 500\r\n\r\nabc`);
      setTimeout(() => socket.resetAndDestroy(), 50);
    }),
    says: DELIVERED,
    also: ({ responseBody: body }) => expect(body).toBe('abc'),
  },
];
