import http from 'node:http';
import { connect } from 'node:net';
import type { Response } from 'supertest';
import type { FuzzRequest } from './generate-request';
import { encoded } from './encoded';

const TIMEOUT_MS = 30_000;

/** Sends requests to one service over kept connections. */
export class Sender {
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

  constructor(private readonly baseUrl: string) {}

  /** @throws the error of a connection that ended without an answer */
  async send(request: FuzzRequest): Promise<Response> {
    const { method, body, headers } = request;
    const path = addressOf(request);
    const bytes = request.bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const sent = http.request(this.baseUrl, {
      method,
      path,
      agent: this.agent,
      timeout: TIMEOUT_MS,
      headers: {
        ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
    });
    return new Promise((answered, failed) => {
      sent
        .on('error', failed)
        .on('timeout', () => sent.destroy(new Error(`no answer after ${TIMEOUT_MS} ms`)));
      sent.on('response', (response) => void read(response, method, path).then(answered, failed));
      sent.end(bytes);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

export function addressOf({ path, query }: FuzzRequest): string {
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Returns the answer as supertest does, for the comparison with the document. The service ignores a slash at the end of a path. */
async function read(response: http.IncomingMessage, method: string, sent: string): Promise<Response> {
  const path = sent.replace(/(?<=.)\/(?=\?|$)/, '');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const type = (response.headers['content-type'] ?? '').replace(/;.*/, '');
  const { statusCode: status, headers } = response;
  const body = type.endsWith('json') && text !== '' ? JSON.parse(text) : {};
  return {
    req: { method, path },
    request: { method },
    status,
    headers,
    type,
    text,
    body,
  } as unknown as Response;
}

/** Sends bytes, and reads until the server closes. @returns the first line of the answer, '' without one */
export async function sendBytes(baseUrl: string, bytes: Buffer): Promise<string> {
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  let answer = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (chunk) => (answer += chunk.toString('latin1'))).on('error', () => undefined);
  socket.end(bytes);
  await closed;
  return answer.split('\r\n')[0]!;
}
