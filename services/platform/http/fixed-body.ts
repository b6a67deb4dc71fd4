import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The codings that a response may have, the preferred first. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof CODINGS)[number];

/** A body that never changes while the process runs. */
export interface FixedBody {
  /** Sends the body in the content coding that the client prefers, or a 304. The caller sets the other headers. */
  send(request: Request, response: Response): Promise<void>;
}

/**
 * Keeps a body in each content coding. Compresses the body when the first request needs the coding, in a thread of zlib. Compression at the
 * start would take half a second of a core, and few instances ever send these documents.
 * @param type value of Content-Type
 */
export function createFixedBody(type: string, content: string | Buffer): FixedBody {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const encoded = new Map<Coding, Promise<Buffer>>();
  return {
    async send(request, response) {
      const coding = chooseCoding(request.get('accept-encoding'));
      let body = encoded.get(coding);
      if (!body) {
        body = encode(bytes, coding);
        encoded.set(coding, body);
        // Removes a failed compression, so that the next request tries again.
        body.catch(() => encoded.delete(coding));
      }
      response.vary('Accept-Encoding');
      // The bytes differ in each content coding, so each coding has its own ETag.
      response.setHeader('ETag', coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`);
      if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
      response.type(type).send(await body);
    },
  };
}

/** Quality 5 makes the API reference 54 KB in 0.2 s; quality 11 makes it 37 KB in 43 s (measured on two busy cores). */
const BROTLI_QUALITY = 5;

async function encode(bytes: Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION });
  if (coding === 'identity') return bytes;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}

/**
 * Weight of the uncompressed body if the header does not name `identity`: the client accepts this body, but prefers every coding that the
 * header names.
 */
const UNNAMED_IDENTITY = 0.0001;

/** Returns the coding with the highest weight (RFC 9110 section 12.5.3). A client that refuses all codings gets the uncompressed body. */
function chooseCoding(header: string | undefined): Coding {
  if (!header) return 'identity';
  const entries = readWeightedList(header.toLowerCase());
  const weightOf = (name: string) => entries.find(({ value }) => value === name)?.weight;
  const others = weightOf('*');
  const weights = CODINGS.map((coding) => {
    const unnamed = coding === 'identity' ? UNNAMED_IDENTITY : 0;
    return { coding, weight: weightOf(coding) ?? others ?? unnamed };
  });
  const best = Math.max(...weights.map(({ weight }) => weight));
  return best > 0 ? weights.find(({ weight }) => weight === best)!.coding : 'identity';
}

const ICON = createFixedBody('image/x-icon', readFileSync(join(__dirname, 'assets/favicon.ico')));

/** Sends the icon, which browsers request even if the page does not name it. */
export function sendFavicon(request: Request, response: Response): Promise<void> {
  response.setHeader('Cache-Control', 'public, max-age=86400');
  return ICON.send(request, response);
}

/** One entry of a header such as Accept-Language or Accept-Encoding: `de-AT;q=0.8`. */
interface WeightedEntry {
  value: string;
  /** 0 to 1; 0 for an invalid weight. */
  weight: number;
}

/** Limits the characters and the entries of a header that the server parses. Browsers send less than 100 characters and a dozen entries. */
const HEADER_CHARACTERS_MAX = 500;
const HEADER_ENTRIES_MAX = 20;

/** Reads the entries of a header with weights (RFC 9110 section 12.4.2), in the order of the header. */
export function readWeightedList(header: string): WeightedEntry[] {
  return header.slice(0, HEADER_CHARACTERS_MAX).split(',', HEADER_ENTRIES_MAX).map(readEntry);
}

function readEntry(entry: string): WeightedEntry {
  const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
  return { value, weight: Number(weight) || 0 };
}
