import type { RedisAddress } from './store-address';
import { StoreError } from './store-guard';

interface Advice {
  matches(code: string, message: string, address: RedisAddress): boolean;
  message: string;
}

/** Errors of a new connection whose message does not say what to change, each with a message that does. */
const ADVICE: Advice[] = [
  {
    matches: (_, message) => message.includes('NOAUTH'),
    message: 'Redis asks for a password, and REDIS_URL has none: redis://:password@host',
  },
  {
    matches: (_, message) => message.includes('WRONGPASS'),
    message: 'Redis refuses the password of REDIS_URL, or its user',
  },
  {
    matches: (_, message) => message.includes('DB index is out of range'),
    message:
      'Redis has no database of the number at the end of REDIS_URL: use a smaller one (Redis has 0 to 15 unless its setting databases is larger)',
  },
  {
    matches: (code) =>
      /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER).*)$/.test(code),
    message:
      'the certificate of Redis is signed by an unknown authority: start the services with NODE_EXTRA_CA_CERTS=FILE, the file of the authority',
  },
  {
    matches: (code) => code === 'ERR_TLS_CERT_ALTNAME_INVALID',
    message: 'the certificate of Redis has another host name: use that name in REDIS_URL',
  },
  {
    // A server without TLS does not answer the handshake.
    matches: (code, message, { tls }) =>
      tls && (code === 'ECONNRESET' || /ETIMEDOUT|timed? ?out|Connection is closed/.test(message)),
    message:
      'Redis did not complete the TLS handshake: its port has no TLS (then REDIS_URL begins with redis instead of rediss), or its ' +
      'certificate is signed by an unknown authority (then start the services with NODE_EXTRA_CA_CERTS=FILE)',
  },
  {
    // A server with TLS closes a connection that sends a command.
    matches: (code, message, { tls }) =>
      !tls && (code === 'ECONNRESET' || message.includes('Connection is closed')),
    message:
      'Redis closed the connection at once: if its port requires TLS, REDIS_URL begins with rediss instead of redis',
  },
];

/** Returns an error that says what to change in REDIS_URL, or the error itself. */
export function adviseOnRedis(error: unknown, address: RedisAddress): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const advice = ADVICE.find(({ matches }) => matches(code, message, address));
  return advice ? new StoreError(advice.message) : error;
}
