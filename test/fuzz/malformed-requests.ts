import type { Random } from './random';

const HOST = 'Host: x';

/** Bytes that no library sends: each must get a refusal or a closed connection. */
const MALFORMED: readonly string[] = [
  `GET / HTTP/1.1\r\n\r\n`,
  `GET / HTTP/9.9\r\n${HOST}\r\n\r\n`,
  `GET  /healthz  HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `get /healthz HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `GET /\u0000 HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `GET /a b HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\n${HOST}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\nA : b\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\nA: b\r\n folded\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\nA: \u0001\r\n\r\n`,
  `GET / HTTP/1.1\n${HOST}\n\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\n${Array.from({ length: 3000 }, (_, n) => `h${n}: 1`).join('\r\n')}\r\n\r\n`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nContent-Length: -1\r\n\r\n{}`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nContent-Length: 99999999999999999999\r\n\r\n{}`,
  `POST /api/tenant/bookings HTTP/1.1\r\n${HOST}\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
  `CONNECT x:443 HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  `\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003`,
  `\r\n\r\n\r\n`,
];

/** Returns one of the malformed requests, with or without changed bytes. */
export function malformedRequest(random: Random): Buffer {
  const bytes = Buffer.from(random.pick(MALFORMED), 'latin1');
  if (random.chance(0.6)) return bytes;
  for (let count = 1 + random.integer(4); count > 0; count--)
    bytes[random.integer(bytes.length)] = random.integer(256);
  return bytes;
}
