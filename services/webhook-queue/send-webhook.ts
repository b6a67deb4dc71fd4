import { request, type Dispatcher } from 'undici';
import type { AttemptReport } from './delivery';
import { DeadlineError, explainFailure, judgeAnswer } from './explain-failure';
import { BlockedTargetError } from './resolve-target';
import { asksForPatience, readRetryAfter } from './retry-schedule';

export interface OutgoingWebhook {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface SendingRules {
  dispatcher: Dispatcher;
  allowPrivateTargets: boolean;
  /** For the whole of it: look-up, connection, answer and its body. */
  attemptTimeoutMs: number;
}

const KEPT_BYTES = 16 * 1024;

/**
 * One POST. Everything that can go wrong out there is a report, not an error. `abort` is the caller's means to cut it
 * off; with a DeadlineError in it, it is ours.
 */
export async function sendWebhook(
  webhook: OutgoingWebhook,
  rules: SendingRules,
  abort: AbortController,
): Promise<AttemptReport> {
  const begun = performance.now();
  const deadline = setTimeout(
    () => abort.abort(new DeadlineError(rules.attemptTimeoutMs)),
    rules.attemptTimeoutMs,
  );
  const durationMs = () => Math.round(performance.now() - begun);
  try {
    refuseClearText(webhook.url, rules.allowPrivateTargets);
    const answer = await Promise.race([
      post(webhook, rules.dispatcher, abort.signal),
      whenAborted(abort.signal),
    ]);
    const { statusCode, headers } = answer;
    const judgement = judgeAnswer(statusCode, oneHeader(headers.location));
    const retryAfterSeconds = asksForPatience(statusCode)
      ? readRetryAfter(oneHeader(headers['retry-after']), new Date())
      : null;
    const responseBody = await readHead(answer.body);
    return { ...judgement, statusCode, responseBody, retryAfterSeconds, durationMs: durationMs() };
  } catch (error) {
    const failure = explainFailure(abort.signal.aborted ? abort.signal.reason : error);
    return {
      ...failure,
      statusCode: null,
      responseBody: null,
      retryAfterSeconds: null,
      durationMs: durationMs(),
    };
  } finally {
    clearTimeout(deadline);
  }
}

/** `request`, not `fetch`: it follows no redirect. */
function post({ url, headers, body }: OutgoingWebhook, dispatcher: Dispatcher, signal: AbortSignal) {
  return request(url, { method: 'POST', headers, body, dispatcher, signal });
}

/** undici looks at the signal only once it is connected, so a request that still connects is raced instead. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The switch may have been turned off after the endpoint was added. */
function refuseClearText(url: string, allowPrivateTargets: boolean): void {
  if (allowPrivateTargets || url.startsWith('https:')) return;
  throw new BlockedTargetError(
    'The address is not https: http is used only while WEBHOOK_ALLOW_PRIVATE_TARGETS is on.',
  );
}

/**
 * The first 16 KiB as text; then the connection is dropped, however much is still to come. The status was the answer, so a
 * body that breaks off or never ends changes nothing.
 */
async function readHead(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_BYTES) break;
    }
  } catch {
    // What has come is kept.
  }
  // PostgreSQL takes no NUL.
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString().replaceAll('\0', '\uFFFD');
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
