import type { IncomingHttpHeaders } from 'node:http';
import { startTrace } from './attempt-trace';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import type { createSecretOpener } from '../signing/seal-secret';
import { signPayload, webhookId } from '../signing/sign-payload';
import { explainFailure, type Failure } from './explain-failure';
import type { GuardedAgent, OutgoingWebhook } from './guarded-agent';
import { asksForPatience, judgeAnswer, readRetryAfter } from './judge-answer';
import type { Answer } from './post-webhook';
import { BlockedTargetError, DeadlineError } from './sending.errors';
import { webhookHeaders } from './webhook-headers';

export interface SendingRules {
  agent: GuardedAgent;
  allowPrivateTargets: boolean;
  /** For the whole of it: look-up, connection, answer and its body. */
  attemptTimeoutMs: number;
}

const HEADERS_KEPT = 50;
const HEADERS_KEPT_LENGTH = 4 * 1024;

const NO_ANSWER = { statusCode: null, responseBody: null, responseHeaders: null, retryAfterSeconds: null };

/**
 * Signs the bytes of the event with each of the endpoint's secrets, and posts them once. Never throws: whatever goes wrong is a
 * report. `abort` is the caller's means to cut it off; with a DeadlineError in it, it is ours.
 */
export async function sendWebhook(
  delivery: ClaimedDelivery,
  openSecrets: ReturnType<typeof createSecretOpener>,
  rules: SendingRules,
  abort: AbortController,
): Promise<AttemptReport> {
  try {
    return await post(sign(delivery, openSecrets), rules, abort);
  } catch (error) {
    return unsent(explainFailure(error));
  }
}

/** The report of what never went out. */
export function unsent(failure: Failure): AttemptReport {
  const nothing = { durationMs: 0, phases: null, peer: null, signature: null };
  return { ...failure, ...NO_ANSWER, ...nothing };
}

function sign(
  { eventId, endpointId, url, body, secrets, claimedAt }: ClaimedDelivery,
  openSecrets: ReturnType<typeof createSecretOpener>,
): OutgoingWebhook {
  const opened = openSecrets(endpointId, secrets);
  // The database's clock: a receiver refuses what a worker with a wrong one would sign.
  const signature = signPayload({ id: webhookId(eventId), sentAt: claimedAt, body }, opened);
  return { url, headers: webhookHeaders(signature), body };
}

async function post(
  webhook: OutgoingWebhook,
  rules: SendingRules,
  abort: AbortController,
): Promise<AttemptReport> {
  const begun = performance.now();
  const deadline = setTimeout(
    () => abort.abort(new DeadlineError(rules.attemptTimeoutMs)),
    rules.attemptTimeoutMs,
  );
  const trace = startTrace();
  const { signal } = abort;
  const told = () => ({
    durationMs: Math.round(performance.now() - begun),
    phases: Object.keys(trace.phases).length > 0 ? trace.phases : null,
    peer: trace.peer,
    signature: trace.phases.first_byte === undefined ? null : (webhook.headers['webhook-signature'] ?? null),
  });
  try {
    refuseClearText(webhook.url, rules.allowPrivateTargets);
    const answer = await rules.agent.post(webhook, { trace, signal });
    return { ...readAnswer(answer), ...told() };
  } catch (error) {
    trace.end();
    return { ...explainFailure(signal.aborted ? signal.reason : error), ...NO_ANSWER, ...told() };
  } finally {
    clearTimeout(deadline);
  }
}

/** The switch may have been turned off after the endpoint was added. */
function refuseClearText(url: string, allowPrivateTargets: boolean): void {
  if (allowPrivateTargets || url.startsWith('https:')) return;
  throw new BlockedTargetError(
    'The address is not https: http is used only while WEBHOOK_ALLOW_PRIVATE_TARGETS is on.',
  );
}

function readAnswer({ statusCode, headers, body }: Answer) {
  return {
    ...judgeAnswer(statusCode, oneHeader(headers.location)),
    statusCode,
    // PostgreSQL takes no NUL.
    responseBody: body.length === 0 ? '' : body.toString().replaceAll('\0', '\uFFFD'),
    responseHeaders: keepHeaders(headers),
    retryAfterSeconds: asksForPatience(statusCode)
      ? readRetryAfter(oneHeader(headers['retry-after']), new Date())
      : null,
  };
}

const CONTROLS = /\p{Cc}/u;

/** Foreign text that people will read: bounded, and without the characters that a terminal obeys. */
function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  let [count, length] = [0, 0];
  for (const name in headers) {
    if (name === 'set-cookie') continue;
    const text = String(headers[name]);
    length += name.length + text.length;
    if (++count > HEADERS_KEPT || length > HEADERS_KEPT_LENGTH) break;
    kept[name] = CONTROLS.test(text) ? text.replace(/\p{Cc}/gu, '') : text;
  }
  return kept;
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
