import http from 'node:http';
import { Redis } from 'ioredis';
import { listen } from './listen';

/** The failure that the store simulates. */
export type Fault = 'none' | 'error-500' | 'garbage' | 'wrong-type' | 'hang' | 'drip';

export interface RestStore {
  url: string;
  token: string;
  setFault(fault: Fault): void;
  /** The paths of all requests so far. */
  requests: string[];
  stop(): Promise<void>;
}

/**
 * Serves the Upstash-compatible REST protocol from a real Redis. `/` takes one command. `/pipeline` and `/multi-exec` take several.
 * @param database a number that no other test on the same server uses
 */
export async function startRestStore(redisUrl: string, database = 0): Promise<RestStore> {
  const redis = new Redis(redisUrl, { db: database });
  const token = 'rest-token-of-this-test';
  const requests: string[] = [];
  let fault: Fault = 'none';

  const run = async ([name, ...args]: (string | number)[]) => {
    try {
      const result = await redis.call(String(name), ...args.map(String));
      return { result: fault === 'wrong-type' ? { not: 'a reply' } : result };
    } catch (error) {
      return { error: `${(error as Error).message}, command was: ${JSON.stringify([name, ...args])}` };
    }
  };

  async function answer(path: string, body: unknown): Promise<[status: number, answer: object]> {
    const isCommand = (value: unknown) => Array.isArray(value) && typeof value[0] === 'string';
    if (path === '/' && isCommand(body)) {
      const reply = await run(body as string[]);
      return ['error' in reply ? 400 : 200, reply];
    }
    if (!Array.isArray(body) || !body.every(isCommand)) return [400, { error: 'ERR failed to parse' }];
    return [200, await Promise.all((body as string[][]).map(run))];
  }

  const server = http.createServer((request, response) => {
    requests.push(request.url!);
    if (fault === 'hang') return;
    const send = (status: number, reply: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    if (fault === 'error-500') return void send(500, { error: 'ERR internal' });
    if (fault === 'garbage') return void response.end('<html>');
    if (fault === 'drip') return void drip(response);
    if (request.headers.authorization !== `Bearer ${token}`)
      return void send(401, { error: 'WRONGPASS invalid or missing auth token' });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request.url!, JSON.parse(Buffer.concat(chunks).toString())).then(
        ([status, reply]) =>
          send(status, request.headers['upstash-encoding'] === 'base64' ? encode(reply) : reply),
        (error: Error) => send(400, { error: error.message }),
      );
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    requests,
    setFault: (wanted) => (fault = wanted),
    async stop() {
      redis.disconnect();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a byte every 20 ms until the client closes the connection. */
function drip(response: http.ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

/** Encodes each string of a result in base64, except OK. The official client requests this encoding. */
function encode(reply: unknown): unknown {
  const inside = (result: unknown): unknown => {
    if (Array.isArray(result)) return result.map(inside);
    return typeof result === 'string' && result !== 'OK' ? Buffer.from(result).toString('base64') : result;
  };
  if (Array.isArray(reply)) return reply.map(encode);
  return 'result' in (reply as object) ? { result: inside((reply as { result: unknown }).result) } : reply;
}
