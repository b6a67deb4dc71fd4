import { createSecureServer } from 'node:http2';
import { createServer as createTls } from 'node:tls';
import { issueCertificate, type Identity } from '../certificates';
import { startRawServer } from '../raw-server';
import { type HostileReceiver, DELIVERED, onConnection, http, KEEP } from './hostile-receiver';

/** The worker process of this test trusts this authority. */
export const AUTHORITY = issueCertificate({ name: 'Test authority', isAuthority: true });
const UNKNOWN_AUTHORITY = issueCertificate({ name: 'Unknown authority', isAuthority: true });
const DAY = 86_400_000;

const overHttps = (port: number) => `https://localhost:${port}/hook`;
const https = (identity: Identity) => () =>
  startRawServer(createTls({ key: identity.key, cert: identity.cert }), (socket) => socket.write(KEEP));

function withCertificate(name: string, identity: Identity, reason: string): HostileReceiver {
  return { name, open: https(identity), url: overHttps, says: { outcome: 'tls', statusCode: null, reason } };
}

export const TLS: HostileReceiver[] = [
  {
    name: 'valid TLS',
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
    issueCertificate({ name: 'localhost', by: UNKNOWN_AUTHORITY }),
    'The TLS certificate has no trusted authority: the server may not send its intermediate certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
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
    open: onConnection((socket) => socket.write('\0\xff no TLS here \r\n')),
    url: overHttps,
    says: { outcome: 'tls', reason: expect.stringMatching(/^The server does not speak TLS on this port \(/) },
  },
  {
    name: 'plain HTTP where TLS is expected',
    open: http((socket) => socket.write(KEEP)),
    url: overHttps,
    says: { outcome: 'timeout', reason: 'No connection within 3 s.' },
    also: ({ phases }) => expect(phases!.tls).toBeGreaterThan(2000),
  },
  {
    name: 'a hang-up during the handshake',
    open: onConnection((socket) => socket.once('data', () => socket.destroy())),
    url: overHttps,
    says: {
      outcome: 'connection',
      reason: 'The receiver closed the connection before it responded (ECONNRESET).',
    },
  },
  {
    name: 'only HTTP/2 over TLS',
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
