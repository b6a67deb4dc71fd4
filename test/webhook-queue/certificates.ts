import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** The `key` and `cert` of a TLS server. */
export interface Identity {
  name: string;
  key: string;
  cert: string;
  privateKey: KeyObject;
}

interface Wanted {
  name: string;
  /** Signing authority; self-signed by default. */
  by?: Identity;
  isAuthority?: boolean;
  from?: Date;
  to?: Date;
}

const DAY = 86_400_000;
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');

/** Creates an X.509 certificate without external tools, because no tool is installed on every machine. */
export function issueCertificate({ name, by, isAuthority = false, from, to }: Wanted): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = sequence(time(from ?? new Date(Date.now() - DAY)), time(to ?? new Date(Date.now() + DAY)));
  const extensions = isAuthority
    ? sequence(sequence(BASIC_CONSTRAINTS, octets(sequence(tlv(0x01, Buffer.from([0xff]))))))
    : sequence(sequence(ALTERNATIVE_NAME, octets(sequence(tlv(0x82, Buffer.from(name))))));
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(ECDSA_WITH_SHA256),
    distinguished(by?.name ?? name),
    validity,
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = sign('sha256', signed, by?.privateKey ?? privateKey);
  const der = sequence(signed, sequence(ECDSA_WITH_SHA256), tlv(0x03, Buffer.from([0]), signature));
  return {
    name,
    privateKey,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function distinguished(name: string): Buffer {
  return sequence(tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from(name)))));
}

function time(at: Date): Buffer {
  return tlv(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function octets(part: Buffer): Buffer {
  return tlv(0x04, part);
}

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...sizeOf(value)]), value]);
}

function sizeOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
}
