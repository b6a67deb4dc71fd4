import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { createServer as createTcp, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { AttemptItem } from '../../services/webhook-queue/operations';
import { issueCertificate, type Identity } from './certificates';
import { drip, pour, startRawServer, type Answering, type RawServer } from './raw-server';

/** A receiver as it should not be, and what the log must say of it. */
export interface Animal {
  name: string;
  open(): Promise<RawServer>;
  /** Of where it listens; `http://127.0.0.1:<port>/hook` unless told otherwise. */
  url?: (port: number) => string;
  /** How many events it is sent, one after the other; the last try of the last is judged. */
  events?: number;
  /** How many tries that one takes; 1 unless told otherwise. */
  tries?: number;
  says: Partial<Pick<AttemptItem, 'outcome' | 'status_code' | 'reason'>>;
  also?: (attempt: AttemptItem, server: RawServer) => void;
}

/** Trusted by the process that calls the zoo. */
export const AUTHORITY = issueCertificate({ name: 'The zoo', isAuthority: true });
const STRANGER = issueCertificate({ name: 'A stranger', isAuthority: true });
const DAY = 86_400_000;

const OK = 'HTTP/1.1 200 OK\r\n';
const KEEP = `${OK}content-length: 0\r\n\r\n`;
const DELIVERED = { outcome: 'delivered', status_code: 200, reason: null } as const;
const MALFORMED = 'What came back is no answer of HTTP/1.1 (MALFORMED_ANSWER).';
const overHttps = (port: number) => `https://localhost:${port}/hook`;

const http = (answer: Answering) => () => startRawServer(createTcp(), answer);
const greeting = (greet: (socket: Socket) => void) => () => startRawServer(createTcp(), undefined, greet);
const https = (identity: Identity) => () =>
  startRawServer(createTls({ key: identity.key, cert: identity.cert }), (socket) => socket.write(KEEP));

function withCertificate(name: string, identity: Identity, reason: string): Animal {
  return { name, open: https(identity), url: overHttps, says: { outcome: 'tls', status_code: null, reason } };
}

const TLS: Animal[] = [
  {
    name: 'good TLS',
    open: https(issueCertificate({ name: 'localhost', by: AUTHORITY })),
    url: overHttps,
    says: DELIVERED,
    also: ({ phases, peer }, { port }) => {
      expect(Object.keys(phases!).sort()).toEqual(['body', 'connect', 'dns', 'first_byte', 'tls']);
      expect(peer).toBe(`127.0.0.1:${port}`);
    },
  },
  withCertificate(
    'a certificate that it signed itself',
    issueCertificate({ name: 'localhost' }),
    'The TLS certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT).',
  ),
  withCertificate(
    'a certificate of an authority that nobody knows',
    issueCertificate({ name: 'localhost', by: STRANGER }),
    'The TLS certificate leads to no known authority; perhaps the one in between is not sent along (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
  ),
  withCertificate(
    'an expired certificate',
    issueCertificate({
      name: 'localhost',
      by: AUTHORITY,
      from: new Date(Date.now() - 2 * DAY),
      to: new Date(Date.now() - DAY),
    }),
    'The TLS certificate has expired (CERT_HAS_EXPIRED).',
  ),
  withCertificate(
    'a certificate of tomorrow',
    issueCertificate({ name: 'localhost', by: AUTHORITY, from: new Date(Date.now() + DAY / 2) }),
    'The TLS certificate is not valid yet (CERT_NOT_YET_VALID).',
  ),
  withCertificate(
    'a certificate for another name',
    issueCertificate({ name: 'elsewhere.example', by: AUTHORITY }),
    'The TLS certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID).',
  ),
  {
    name: 'garbage in place of TLS',
    open: greeting((socket) => socket.write('\0\xff no TLS here \r\n')),
    url: overHttps,
    says: { outcome: 'tls', reason: expect.stringMatching(/^What came back is not TLS \(/) },
  },
  {
    name: 'plain HTTP where TLS is expected',
    open: http((socket) => socket.write(KEEP)),
    url: overHttps,
    says: { outcome: 'timeout', reason: 'No connection within 1 s.' },
    also: ({ phases }) => expect(phases!.tls).toBeGreaterThan(900),
  },
  {
    name: 'a hang-up during the handshake',
    open: greeting((socket) => socket.once('data', () => socket.destroy())),
    url: overHttps,
    says: { outcome: 'connection', reason: 'The connection was closed before an answer came (ECONNRESET).' },
  },
  {
    name: 'HTTP/2 alone over TLS',
    open: async () => {
      const { key, cert } = issueCertificate({ name: 'localhost', by: AUTHORITY });
      return startRawServer(createSecureServer({ key, cert }));
    },
    url: overHttps,
    says: {
      outcome: 'tls',
      reason: expect.stringMatching(/^The server does not speak HTTP\/1.1 over TLS \(/),
    },
  },
];

const HEADS: Animal[] = [
  {
    name: 'HTTP/2 alone in clear text',
    open: () => startRawServer(createHttp2()),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'a header without end',
    open: http((socket) => {
      socket.write(`${OK}x-long: `);
      pour(socket, 'a'.repeat(1000));
    }),
    says: {
      outcome: 'connection',
      reason: 'The headers of the answer are longer than 16 KiB (UND_ERR_HEADERS_OVERFLOW).',
    },
  },
  {
    name: 'headers without end',
    open: http((socket) => {
      socket.write(OK);
      pour(socket, 'x-more: a\r\n');
    }),
    says: { outcome: 'connection', reason: expect.stringContaining('longer than 16 KiB') },
  },
  {
    name: 'a thousand headers',
    open: http((socket) => {
      const many = Array.from({ length: 1000 }, (_, n) => `x-${n}: ${n}\r\n`).join('');
      socket.write(`${OK}${many}content-length: 0\r\n\r\n`);
    }),
    says: DELIVERED,
    also: ({ response_headers: kept }) => expect(Object.keys(kept!)).toHaveLength(50),
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
    also: ({ response_headers: kept }) =>
      expect(Object.entries(kept!)).toEqual([
        ['x-bell', 'ab'],
        ['x-twice', '1,2'],
      ]),
  },
  {
    name: 'early hints, and then an answer',
    open: http((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${KEEP}`)),
    says: DELIVERED,
  },
  {
    name: 'early hints without end',
    open: http((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
    says: { outcome: 'connection', reason: 'What came back has no end.' },
  },
  {
    name: 'an upgrade that nobody asked for',
    open: http((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'a 100 that nobody asked for',
    open: http((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${KEEP}`)),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'an escape sequence in a header',
    open: http((socket) => socket.write(`${OK}x-title: \x1b]0;owned\x07\r\ncontent-length: 0\r\n\r\n`)),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'a head that drips',
    open: http((socket) => drip(socket, KEEP)),
    says: { outcome: 'timeout', reason: 'No answer within 1.5 s.' },
    also: ({ phases, duration_ms: ms }) => {
      expect(phases!.first_byte).toBeGreaterThan(1200);
      expect(ms).toBeLessThan(2000);
    },
  },
  {
    name: 'silence',
    open: http(() => undefined),
    says: { outcome: 'timeout', reason: 'No answer within 1.5 s.' },
  },
  {
    name: 'a greeting in place of HTTP',
    open: greeting((socket) => socket.write('220 mail.example ESMTP\r\n')),
    says: { outcome: 'connection', reason: MALFORMED },
  },
  {
    name: 'two lengths',
    open: http((socket) => socket.write(`${OK}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`)),
    says: { outcome: 'connection', reason: expect.stringMatching(/^What came back is no answer of HTTP/) },
  },
  {
    name: 'a status that does not exist',
    open: http((socket) => socket.write('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n')),
    says: { outcome: 'http_error', status_code: 999, reason: 'The receiver answered 999.' },
  },
  {
    name: 'a redirect to the metadata of the cloud',
    open: http((socket) =>
      socket.write(
        'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest/\r\ncontent-length: 0\r\n\r\n',
      ),
    ),
    says: {
      outcome: 'redirect',
      status_code: 307,
      reason: 'The receiver answered 307 to http://169.254.169.254: redirects are not followed.',
    },
  },
  {
    name: 'a Retry-After beyond all numbers',
    open: http((socket) =>
      socket.write(`HTTP/1.1 500 No\r\nretry-after: ${'9'.repeat(400)}\r\ncontent-length: 0\r\n\r\n`),
    ),
    says: { outcome: 'http_error', status_code: 500 },
  },
];

const BOMB = gzipSync(Buffer.alloc(50e6));

const BODIES: Animal[] = [
  {
    name: 'a body that drips',
    open: http((socket) => {
      socket.write(`${OK}content-length: 500\r\n\r\n`);
      drip(socket, 'x'.repeat(500));
    }),
    says: DELIVERED,
    also: ({ phases, response_body: body, duration_ms: ms }) => {
      expect(phases!.body).toBeGreaterThan(1200);
      expect(body).toMatch(/^x{5,15}$/);
      expect(ms).toBeLessThan(2000);
    },
  },
  {
    name: 'a gzip bomb',
    open: http((socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    }),
    says: DELIVERED,
    also: ({ response_body: body }) => expect(body!.length).toBeLessThanOrEqual(16 * 1024),
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
      also: ({ response_body: body }) => {
        expect(body).toHaveLength(16 * 1024);
        expect(poured.sent).toBeLessThan(20e6);
      },
    } satisfies Animal;
  })(),
  {
    name: 'a chunk whose extension has no end',
    open: http((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1;`);
      pour(socket, 'a'.repeat(1000), 5e6);
    }),
    says: DELIVERED,
  },
  {
    name: 'trailers without end',
    open: http((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`);
      pour(socket, 'x-more: a\r\n');
    }),
    says: DELIVERED,
    also: ({ duration_ms: ms }) => expect(ms).toBeLessThan(1000),
  },
  {
    name: 'chunks that are none',
    open: http((socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n`)),
    says: DELIVERED,
  },
  {
    name: 'a 204 with a body, before another request',
    open: http((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\nbut here is one')),
    events: 2,
    says: { outcome: 'delivered', status_code: 204 },
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
    also: ({ response_body: body }) => expect(body).toBe('abc'),
  },
];

const HANG_UPS: Animal[] = [
  {
    name: 'nobody',
    open: async () => {
      const server = await startRawServer(createTcp());
      await server.close();
      return { ...server, close: async () => undefined };
    },
    says: {
      outcome: 'connection',
      reason: 'The connection was refused: nothing listens there (ECONNREFUSED).',
    },
    also: ({ peer, signature }) => expect([peer, signature]).toEqual([null, null]),
  },
  ...(
    [
      ['a reset at once', greeting((socket) => socket.resetAndDestroy())],
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
      status_code: null,
      reason: expect.stringMatching(/^The connection was closed before an answer came/),
    },
  })),
  {
    name: 'an idle connection that is closed in the moment of the next request',
    open: http((socket, n) => (n === 1 ? socket.write(KEEP) : socket.resetAndDestroy())),
    events: 3,
    tries: 2,
    says: DELIVERED,
    also: (_attempt, { connections, requests }) => {
      // The second request of a connection is lost, and comes again on a new one.
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
    says: { outcome: 'connection', status_code: null },
    // Once on the kept connection, once on a new one, and no more.
    also: (_attempt, { requests }) => expect(requests).toHaveLength(3),
  },
];

export const ANIMALS: Animal[] = [...TLS, ...HEADS, ...BODIES, ...HANG_UPS];
