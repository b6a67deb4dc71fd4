import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../support/listen';

/**
 * The treatment of one request. `lose answer`: the platform handles the request, and the answer is lost. `break off`: half of the
 * answer returns. `hang`: the request gets no answer. A CannedAnswer: the proxy answers itself, without the platform.
 */
export type Step = 'pass' | 'lose answer' | 'break off' | 'hang' | CannedAnswer;

export interface CannedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface SentRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** Milliseconds since the start of the process. */
  at: number;
}

export interface HttpProxy {
  url: string;
  /** Sets the treatment of the next requests. Later requests pass. Clears `requests`. */
  plan(...steps: Step[]): void;
  requests(): SentRequest[];
  stop(): Promise<void>;
}

/** Stands between a client and the platform, and simulates failures of networks and proxies. */
export async function startHttpProxy(target: string): Promise<HttpProxy> {
  let steps: Step[] = [];
  let requests: SentRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, at: performance.now() });
    const step = steps.shift() ?? 'pass';
    if (step === 'hang') return;
    if (typeof step === 'object') return void response.writeHead(step.status, step.headers).end(step.body);
    void buffer(request)
      .then((body) => forward(target + url, method, headers, body))
      .then((answer) => pass(step, answer, response));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    plan: (...next) => {
      steps = next;
      requests = [];
    },
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The headers that apply to one connection only. A proxy does not pass them on. */
const OF_CONNECTION = [
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'content-encoding',
];

function passedOn(headers: Iterable<[string, unknown]>): Record<string, string> {
  const kept = [...headers].filter(([name]) => !OF_CONNECTION.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

async function forward(url: string, method: string, headers: IncomingHttpHeaders, body: Buffer) {
  const answer = await fetch(url, {
    method,
    headers: passedOn(Object.entries(headers)),
    body: body.length > 0 ? body : undefined,
  });
  return {
    status: answer.status,
    headers: passedOn(answer.headers),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

function pass(
  step: 'pass' | 'lose answer' | 'break off',
  { status, headers, bytes }: Awaited<ReturnType<typeof forward>>,
  response: ServerResponse,
): void {
  if (step === 'lose answer') return void response.destroy();
  if (step === 'pass') return void response.writeHead(status, headers).end(bytes);
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}
