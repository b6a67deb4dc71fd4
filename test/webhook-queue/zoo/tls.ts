import { createSecureServer } from 'node:http2';
import { createServer as createTls } from 'node:tls';
import { issueCertificate, type Identity } from '../certificates';
import { startRawServer } from '../raw-server';
import { type Animal, DELIVERED, greeting, http, KEEP } from './animal';

/** Trusted by the process that calls the zoo. */
export const AUTHORITY = issueCertificate({ name: 'The zoo', isAuthority: true });
const STRANGER = issueCertificate({ name: 'A stranger', isAuthority: true });
const DAY = 86_400_000;

const overHttps = (port: number) => `https://localhost:${port}/hook`;
const https = (identity: Identity) => () =>
  startRawServer(createTls({ key: identity.key, cert: identity.cert }), (socket) => socket.write(KEEP));

function withCertificate(name: string, identity: Identity, reason: string): Animal {
  return { name, open: https(identity), url: overHttps, says: { outcome: 'tls', status_code: null, reason } };
}

export const TLS: Animal[] = [
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
