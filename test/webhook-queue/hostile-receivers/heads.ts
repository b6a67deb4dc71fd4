import { createServer as createHttp2 } from 'node:http2';
import { drip, pour, startRawServer } from '../raw-server';
import { type HostileReceiver, DELIVERED, onConnection, http, KEEP, OK } from './hostile-receiver';

const MALFORMED = 'The response is not valid HTTP/1.1 (MALFORMED_ANSWER).';

export const HEADS: HostileReceiver[] = [
  {
    name: 'only HTTP/2 in clear text',
    open: () => startRawServer(createHttp2()),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'an endless header',
    open: http((socket) => {
      socket.write(`${OK}x-long: `);
      pour(socket, 'a'.repeat(1000));
    }),
    says: {
      outcome: 'connection',
      reason: 'The response headers are larger than 16 KiB (UND_ERR_HEADERS_OVERFLOW).',
    },
  },
  {
    name: 'endless headers',
    open: http((socket) => {
      socket.write(OK);
      pour(socket, 'x-more: a\r\n');
    }),
    says: { outcome: 'connection', reason: expect.stringContaining('larger than 16 KiB') },
  },
  {
    name: 'a thousand headers',
    open: http((socket) => {
      const many = Array.from({ length: 1000 }, (_, n) => `x-${n}: ${n}\r\n`).join('');
      socket.write(`${OK}${many}content-length: 0\r\n\r\n`);
    }),
    says: DELIVERED,
    also: ({ responseHeaders: kept }) => expect(Object.keys(kept!)).toHaveLength(50),
  },
  {
    name: 'long headers, cookies and control characters',
    open: http((socket) =>
      socket.write(
        `${OK}set-cookie: secret=1\r\nx-bell: a\tb\r\nx-twice: 1\r\nx-twice: 2\r\n__proto__: own\r\n` +
          `x-long: ${'a'.repeat(5000)}\r\nx-late: 1\r\ncontent-length: 0\r\n\r\n`,
      ),
    ),
    says: DELIVERED,
    also: ({ responseHeaders: kept }) =>
      expect(Object.entries(kept!)).toEqual([
        ['x-bell', 'ab'],
        ['x-twice', '1,2'],
      ]),
  },
  {
    name: 'early hints before a response',
    open: http((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${KEEP}`)),
    says: DELIVERED,
  },
  {
    name: 'endless early hints',
    open: http((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
    says: { outcome: 'connection', reason: expect.stringContaining('more than 16 interim responses (1xx)') },
  },
  {
    name: 'an unrequested upgrade',
    open: http((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'an unrequested 100 Continue',
    open: http((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${KEEP}`)),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'an escape sequence in a header',
    open: http((socket) => socket.write(`${OK}x-title: \x1b]0;owned\x07\r\ncontent-length: 0\r\n\r\n`)),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'a head of one byte each 100 ms',
    open: http((socket) => drip(socket, KEEP)),
    says: { outcome: 'timeout', reason: 'No response within 3.5 s.' },
    also: ({ phases }) => expect(phases!.first_byte).toBeGreaterThan(1000),
  },
  {
    name: 'no response',
    open: http(() => undefined),
    says: { outcome: 'timeout', reason: 'No response within 3.5 s.' },
  },
  {
    name: 'a greeting in place of HTTP',
    open: onConnection((socket) => socket.write('220 mail.example ESMTP\r\n')),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'two content-length headers',
    open: http((socket) => socket.write(`${OK}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`)),
    says: { outcome: 'connection', reason: expect.stringMatching(/^The response is not valid HTTP/) },
  },
  {
    name: 'an unknown status',
    open: http((socket) => socket.write('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n')),
    says: { outcome: 'http_error', statusCode: 999, reason: 'The receiver answered 999.' },
  },
  {
    name: 'a redirect to cloud metadata',
    open: http((socket) =>
      socket.write(
        'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest/\r\ncontent-length: 0\r\n\r\n',
      ),
    ),
    says: {
      outcome: 'redirect',
      statusCode: 307,
      reason: expect.stringMatching(
        /^The receiver answered 307 and redirects to http:\/\/169\.254\.169\.254\/latest\/\. Redirects are not followed\./,
      ),
    },
  },
  {
    name: 'a huge Retry-After',
    open: http((socket) =>
      socket.write(`HTTP/1.1 500 No\r\nretry-after: ${'9'.repeat(400)}\r\ncontent-length: 0\r\n\r\n`),
    ),
    says: { outcome: 'http_error', statusCode: 500 },
  },
];
