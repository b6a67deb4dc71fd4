import type { ProxyAnswer } from './answer.ts';
import { inTime, tooLarge } from './body.ts';
import type { SiteRequest } from './handle-request.ts';
import { belowMount } from './mount.ts';

/** Reads a request of a fetch-style server. @param mount the path of the proxy; undefined: the site's root */
export function readFetchRequest(request: Request, mount: string | undefined): SiteRequest<Request> {
  const { pathname, search, host } = new URL(request.url);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  return {
    method: request.method,
    path: belowMount(pathname, mount),
    query: search.slice(1),
    host: header('host') ?? host,
    header,
    body: { header, isRead: () => isRead(request), bytes: (max, ms) => readBytes(request, max, ms) },
    native: request,
  };
}

/** Returns whether the site has read the body. Hono's adapter for Node locks the stream of a body that it has read, and nothing else tells. */
function isRead({ body, bodyUsed }: Request): boolean {
  return bodyUsed || body?.locked === true;
}

async function readBytes(request: Request, max: number, ms: number): Promise<Uint8Array> {
  const { body } = request;
  if (body === null || isRead(request)) return new Uint8Array();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  const read = async () => {
    const chunks: Uint8Array[] = [];
    for (let length = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > max) {
        stop();
        throw tooLarge(max);
      }
      chunks.push(value);
    }
  };
  return inTime(read(), ms, stop);
}

export function toFetchResponse({ status, headers, cookies = [], body }: ProxyAnswer): Response {
  const response = new Response(body ?? null, { status, headers });
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
