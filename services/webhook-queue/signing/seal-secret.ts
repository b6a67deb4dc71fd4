import { LRUCache } from 'lru-cache';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';

/** A signing secret as stored in the database: AES-256-GCM, with the tag after the ciphertext. */
export interface SealedSecret {
  id: string;
  /** Identifies the SECRETS_KEY that encrypted the secret. */
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

export interface SealingKey {
  id: string;
  bytes: Buffer;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/** The secret was encrypted with another SECRETS_KEY, or its row was altered. */
export class UnsealableSecretError extends Error {
  override readonly name = 'UnsealableSecretError';
}

export function deriveSealingKey(secretsKey: string): SealingKey {
  const bytes = Buffer.from(hkdfSync('sha256', secretsKey, '', 'tour-platform webhook secrets v1', 32));
  // The id is a hash of the key, so it does not reveal the key.
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
}

export function mintSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Formats a secret as Standard Webhooks does: `whsec_` and base64. */
export function showSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** Encrypts a secret and binds it to its endpoint and its id. In another row the secret cannot be decrypted. */
export function sealSecret(key: SealingKey, endpointId: string, secret: Buffer): SealedSecret {
  const id = randomUUID();
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(additionalData(endpointId, id));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { id, keyId: key.id, nonce, ciphertext };
}

/** @throws UnsealableSecretError */
export function unsealSecret(key: SealingKey, endpointId: string, sealed: SealedSecret): Buffer {
  if (sealed.keyId !== key.id)
    throw new UnsealableSecretError(
      'The secret was sealed with another SECRETS_KEY. Start the queue with that key, ' +
        orRotate(endpointId),
    );
  try {
    const decipher = createDecipheriv(CIPHER, key.bytes, sealed.nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(additionalData(endpointId, sealed.id)).setAuthTag(sealed.ciphertext.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.ciphertext.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new UnsealableSecretError(
      'The stored secret was altered. Restore the database, ' + orRotate(endpointId),
    );
  }
}

function orRotate(endpointId: string): string {
  return `or make a new secret: tourctl webhook rotate-secret ${endpointId}.`;
}

const OPENED_MAX = 2000;
const OPENED_MS = 60_000;

/**
 * Returns a function that decrypts a list of secrets. Deliveries that share a list object decrypt it only once. Caches a decrypted secret
 * for a minute, because decrypting takes four times as long as signing.
 */
export function createSecretOpener(
  key: SealingKey,
): (endpointId: string, sealed: SealedSecret[]) => Buffer[] {
  const opened = new WeakMap<SealedSecret[], Buffer[]>();
  const recent = new LRUCache<string, Buffer>({ max: OPENED_MAX, ttl: OPENED_MS });
  const open = (endpointId: string, sealed: SealedSecret): Buffer => {
    const { id, keyId, nonce, ciphertext } = sealed;
    const name = [endpointId, id, keyId, nonce.toString('hex'), ciphertext.toString('hex')].join();
    const known = recent.get(name);
    if (known) return known;
    const secret = unsealSecret(key, endpointId, sealed);
    recent.set(name, secret);
    return secret;
  };
  return (endpointId, sealed) => {
    const secrets = opened.get(sealed) ?? sealed.map((one) => open(endpointId, one));
    opened.set(sealed, secrets);
    return secrets;
  };
}

function additionalData(endpointId: string, secretId: string): Buffer {
  return Buffer.from(`${endpointId}/${secretId}`);
}
