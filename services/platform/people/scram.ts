import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** PostgreSQL's own number of iterations. The passwords below have 192 random bits, so that more would slow down logins only. */
const ITERATIONS = 4096;

/** Creates a password of 32 characters of base64url. They are ASCII, so SASLprep (RFC 4013) leaves them as they are. */
export function createPassword(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Returns the verifier of a password as PostgreSQL stores it: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>` (RFC 5802). The
 * server and its log get the verifier and never the password.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
