import { isUtf8 } from 'node:buffer';
import { Refusal } from './problems.ts';

export type JsonObject = Record<string, unknown>;

/** Bytes of the largest accepted body, as the platform has them. */
export const BODY_MAX = 16 * 1024;
/** Bytes of the largest body of a booking, which names the travellers. */
export const BOOKING_BODY_MAX = 64 * 1024;
/** Milliseconds in which a body must arrive. */
const BODY_MS = 10_000;

/** A request's body, as an adapter offers it. */
export interface BodySource {
  header(name: string): string | undefined;
  /** The value that a parser of the site has made of the body. Undefined: there is none. */
  parsed?: unknown;
  /** Returns whether the site has read bytes of the body, or its end. */
  isRead(): boolean;
  /**
   * Reads the bytes.
   * @param max so many of them
   * @param ms the time in which they must arrive
   * @throws Refusal if there are more or they take longer
   */
  bytes(max: number, ms: number): Promise<Uint8Array>;
}

const READ_BEFORE =
  'tourProxy: the site has read the body of the request, or a part of it, and left no value of it. Mount the proxy before what reads or listens to bodies, or let that read request.clone().';

/**
 * Reads a JSON object. Checks the content type first, then the length, then the text.
 * @param max the most bytes
 * @returns undefined: the request has no body
 * @throws Refusal 415, 413 or 400 malformed_json; Error if the site has read some of the bytes
 */
export async function readJson(
  source: BodySource,
  max: number,
  ms = BODY_MS,
): Promise<JsonObject | undefined> {
  const { header } = source;
  const length = Number(header('content-length') ?? 0);
  // Some reverse proxies send an empty body in chunks, so Transfer-Encoding alone is no body.
  const isSent = length > 0 || header('content-type') !== undefined;
  if (isSent) assertJson(header);
  if (length > max) throw tooLarge(max);
  if (source.parsed !== undefined) return ofParser(source.parsed, max);
  if (isSent && header('content-length') !== '0' && source.isRead()) throw new Error(READ_BEFORE);
  const bytes = await allBytes(source, length, max, ms);
  if (bytes.length === 0) return undefined;
  assertJson(header);
  if (!isUtf8(bytes)) throw malformed('must be UTF-8');
  return parse(new TextDecoder().decode(bytes), max);
}

/** @param length the promised one @throws Refusal; Error if a listener of the site has got the first bytes */
async function allBytes(source: BodySource, length: number, max: number, ms: number): Promise<Uint8Array> {
  const bytes = await source.bytes(max, ms);
  if (bytes.length < length) throw new Error(READ_BEFORE);
  return bytes;
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function assertJson(header: BodySource['header']): void {
  const encoding = header('content-encoding')?.toLowerCase() ?? 'identity';
  if (JSON_TYPE.test(header('content-type') ?? '') && encoding === 'identity') return;
  throw new Refusal('unsupported_media_type', 'Send Content-Type: application/json, without compression.');
}

/** Reads what a parser of the site left: text, bytes, or an object that has the length of the body at most. */
function ofParser(parsed: unknown, max: number): JsonObject | undefined {
  if (typeof parsed === 'string') return parsed === '' ? undefined : parse(parsed, max);
  if (parsed instanceof Uint8Array)
    return parsed.length === 0 ? undefined : parse(Buffer.from(parsed).toString(), max);
  if (!isObject(parsed) || !isShallow(parsed)) throw malformed(NOT_ONE_OBJECT);
  if (Buffer.byteLength(JSON.stringify(parsed)) > max) throw tooLarge(max);
  return parsed;
}

const NOT_ONE_OBJECT = 'must be one JSON object';

function parse(text: string, max: number): JsonObject {
  if (Buffer.byteLength(text) > max) throw tooLarge(max);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(NOT_ONE_OBJECT);
  }
  if (!isObject(value) || !isShallow(value)) throw malformed(NOT_ONE_OBJECT);
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** More levels than any body of the platform has. A text may have thousands, which JSON.stringify cannot write. */
const LEVELS_MAX = 10;

function isShallow(value: unknown, levels = LEVELS_MAX): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** @param max the most bytes */
export function tooLarge(max: number): Refusal {
  return new Refusal('body_too_large', `The body is larger than ${max / 1024} KiB.`);
}

export function malformed(message: string): Refusal {
  return new Refusal('malformed_json', 'The body cannot be read.', {
    errors: [{ in: 'body', field: 'body', message }],
  });
}

/** Waits so many milliseconds for the bytes of a body, then refuses it. @param stop ends the reading */
export function inTime(bytes: Promise<Uint8Array>, ms: number, stop: () => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(malformed(`must arrive within ${ms / 1000} seconds`));
      stop();
    }, ms);
    void bytes.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
