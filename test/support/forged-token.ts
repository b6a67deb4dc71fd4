import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/** Returns a well-formed token with the kind and id of `token` and another secret. */
export function withAnotherSecret(token: string): string {
  const [svc, kind, id, secret] = token.split('_') as [string, string, string, string];
  const length = secret.length - CHECKSUM_LENGTH;
  const other = Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  const body = [svc, kind, id, other].join('_');
  return body + checksum(body);
}

function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS[rest % DIGITS.length]! + text;
  }
  return text;
}
