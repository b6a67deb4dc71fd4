import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyAnswer } from './answer.ts';
import { inTime, malformed, tooLarge } from './body.ts';
import type { SiteRequest } from './handle-request.ts';
import { belowMount } from './mount.ts';

/** The request of node:http, or of Express and Connect, which add the other fields. */
export interface NodeRequest extends IncomingMessage {
  originalUrl?: string;
  /** The value that a parser of the site has read. */
  body?: unknown;
  /** The response, which Express adds. */
  res?: ServerResponse;
}

/**
 * Reads a request of node:http or Express.
 * @param native what the hook `allow` gets
 * @param mount the path of the proxy; undefined: the server has removed it from `url`
 */
export function readNodeRequest<Native>(
  request: NodeRequest,
  native: Native,
  mount: string | undefined,
): SiteRequest<Native> {
  const { method = 'GET', headers } = request;
  const url = (mount === undefined ? request.url : (request.originalUrl ?? request.url)) ?? '/';
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const [path, query] = splitUrl(url);
  return {
    method,
    path: belowMount(path, mount),
    query,
    host: header(':authority') ?? headers.host ?? '',
    header,
    body: {
      header,
      parsed: request.readableEnded ? request.body : undefined,
      // A listener of the site may have got the bytes, and the end is still to come.
      isRead: () => request.readableEnded || request.readableDidRead,
      bytes: (max, ms) => readBytes(request, max, ms),
    },
    native,
  };
}

/** Splits a request's target. A proxy may send it with scheme and host. */
function splitUrl(url: string): [path: string, query: string] {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Reads at most `max` bytes. Node reads and drops the bytes of a refused body until endUnread ends it. */
function readBytes(request: IncomingMessage, max: number, ms: number): Promise<Uint8Array> {
  if (request.readableEnded) return Promise.resolve(new Uint8Array());
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= max) chunks.push(chunk);
      else reject(tooLarge(max));
    });
    const breakOff = () => {
      if (!request.readableEnded) reject(malformed('must be complete'));
    };
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', breakOff).once('error', breakOff);
  });
  return inTime(bytes, ms, () => undefined);
}

/** Milliseconds that a client has to read its answer while it still sends its body. */
const READ_ANSWER_MS = 1_000;

/** Ends the connection of a request that still sends its body some time after its answer. */
export function endUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, READ_ANSWER_MS).unref();
}

/** Writes an answer. Keeps the headers and cookies that the site has set before. */
export function writeNodeAnswer(response: ServerResponse, answer: ProxyAnswer): void {
  const { status, headers, cookies = [], body } = answer;
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  for (const cookie of cookies) response.appendHeader('Set-Cookie', cookie);
  response.end(body);
  endUnread(response.req);
}
