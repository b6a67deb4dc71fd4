import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { AppError } from '../../../services/platform/errors';
import { explainInvalidPayload, parseSecret } from '../../../services/webhook-queue/signing/sign-payload';
import { mayAsk } from '../../engine/confirm';
import type { Basics, Terminal } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { CancelledError, type Io, untilAborted, untilInterrupted } from '../../terminal/io';
import { askSecret } from '../../terminal/prompts';
import type { Screen } from '../../terminal/screen';
import { properties } from '../../terminal/table';
import { foreignText } from '../../terminal/text';

const HOST = '127.0.0.1';
const DEFAULT_PORT = 4000;
/** Maximum size of a body. Bodies of this platform are far below one kilobyte. */
const BODY_MAX = 1_048_576;
/** Longer than any secret. */
const LINE_MAX = 1000;

class PortTakenError extends AppError {
  readonly code = 'port_taken';
}

export interface ListenOptions {
  port?: number;
  forwardTo?: string;
}

/** Prints each request to a local port, and whether its signature is valid, until Ctrl-C or until the reader has closed the pipe. */
export async function listenToPort(
  { config, io, output }: Terminal,
  { port = DEFAULT_PORT, forwardTo }: ListenOptions,
): Promise<void> {
  const interrupted = untilInterrupted(io);
  const secret = await readSecret({ io, output }, interrupted);
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const server = createServer((request, response) => {
    // Destroys the response to an aborted request, which cannot be verified.
    receive(request, response, secret, forwardTo).then(
      (document) => document && output.answer(document, (screen) => describe(document, screen)).catch(fail),
      () => response.destroy(),
    );
  });
  await open(server, port);
  const onward = forwardTo === undefined ? '' : ` and forwarding to ${forwardTo}`;
  output.note(`Listening on http://${HOST}:${port}/${onward} until Ctrl-C`);
  if (!config.webhooks.allowPrivateTargets)
    output.note('The webhook queue calls this address only while WEBHOOK_ALLOW_PRIVATE_TARGETS is on');
  await Promise.race([interrupted, untilAborted(output.readerGone), failed]).finally(() => {
    server.close();
    server.closeAllConnections();
  });
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  secret: Buffer,
  forwardTo: string | undefined,
) {
  const body = await readBody(request);
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const { headers, method = '', url: path = '' } = request;
  const issue =
    method === 'POST' ? explainInvalidPayload({ headers, body }, secret, new Date()) : 'A webhook is a POST.';
  const forwarded =
    issue === null && forwardTo !== undefined ? await forward(forwardTo, headers, body) : undefined;
  const answered = issue === null ? statusOf(forwarded) : 401;
  response.writeHead(answered).end();
  return {
    received_at: new Date().toISOString(),
    method,
    path,
    webhook_id: headers['webhook-id'] ?? null,
    webhook_timestamp: headers['webhook-timestamp'] ?? null,
    verified: issue === null,
    reason: issue,
    answered,
    ...(forwarded && { forwarded: { to: forwardTo!, ...forwarded } }),
    body,
  };
}

/**
 * Returns the status for a verified request. This is the status of the address to which the request was forwarded, or 502 if that address
 * does not answer.
 */
function statusOf(forwarded: ForwardAnswer | undefined): number {
  return forwarded ? (forwarded.status ?? 502) : 204;
}

/** Longer than any attempt of the queue. */
const FORWARD_MS = 30_000;
const ANSWER_MAX = 16_384;

/** The response of the address to which a request is forwarded. `status` is null if there is no response. */
interface ForwardAnswer {
  status: number | null;
  /** At most the first 16 KiB. */
  body: string | null;
  error: string | null;
}

/** A request that was forwarded, with its answer. */
export interface Forwarded extends ForwardAnswer {
  to: string;
}

/** Sends the same body with the headers of the webhook, so that the receiver can verify the signature too. */
export async function forward(
  url: string,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<ForwardAnswer> {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(content-type|user-agent|webhook-.*)$/.test(name),
  );
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    return { status: answer.status, body: await readAnswer(answer), error: null };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return { status: null, body: null, error: cause?.code ?? message };
  }
}

/** Reads at most the first 16 KiB of a response and then closes the connection, because a response may have no end. */
async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= ANSWER_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_MAX).toString();
}

function describe(received: NonNullable<Awaited<ReturnType<typeof receive>>>, screen: Screen): string {
  const { received_at, method, path, verified, reason, body, forwarded, ...facts } = received;
  const verdict = verified ? 'verified' : `NOT VERIFIED: ${reason}`;
  const lines = [
    `${received_at}  ${method} ${path}  ${verdict}`,
    properties(facts),
    describeBody(body, screen),
  ];
  if (forwarded) lines.push(...describeForwarding(forwarded, screen));
  return `${lines.join('\n')}\n`;
}

export function describeForwarding({ to, status, error, body }: Forwarded, screen: Screen): string[] {
  const line = `forwarded to ${to}: ${status === null ? `no answer (${error})` : `answered ${status}`}`;
  return body ? [line, describeBody(body, screen)] : [line];
}

/** Indents a body, because anybody may have written it. */
export function describeBody(body: string, { columns }: Screen): string {
  return foreignText(pretty(body), columns);
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Returns undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_MAX) chunks.push(chunk);
  }
  return size > BODY_MAX ? undefined : Buffer.concat(chunks).toString();
}

/** Reads the secret from standard input, because shells store command lines and other users see them. */
async function readSecret(basics: Basics, interrupted: Promise<void>): Promise<Buffer> {
  const { io } = basics;
  const read = mayAsk(basics) ? askSecret(io, 'Signing secret (whsec_…)') : readLine(io);
  const text = await Promise.race([read, interrupted]);
  if (text === undefined) throw new CancelledError();
  const secret = parseSecret(text.trim());
  if (!secret)
    throw new UsageError(
      'webhook listen reads a signing secret (whsec_…) from standard input, and there was none',
    );
  return secret;
}

async function readLine({ stdin }: Io): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  return text.split('\n')[0]!;
}

function open(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new PortTakenError(`Port ${port} cannot be opened (${error.code}): choose another one with --port`),
      ),
    );
    server.listen(port, HOST, resolve);
  });
}
