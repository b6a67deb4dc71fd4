import type { IncomingHttpHeaders } from 'node:http';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import type { createSecretOpener } from '../signing/seal-secret';
import { signPayload, webhookHeaders, webhookId } from '../signing/sign-payload';
import { refuseTarget } from './allowed-target';
import { AttemptError, type Cutoff, startTrace } from './attempt';
import type { RedirectedEndpoint } from './explain-redirect';
import type { GuardedAgent, OutgoingWebhook } from './guarded-agent';
import {
  type Classification,
  classifyResponse,
  explainFailure,
  isThrottled,
  readRetryAfter,
} from './classify-response';

export interface SendingRules {
  agent: GuardedAgent;
  allowPrivateTargets: boolean;
  /** Deadline for look-up, connection, response and body together. */
  attemptTimeoutMs: number;
}

const HEADERS_KEPT = 50;
const HEADERS_KEPT_LENGTH = 4 * 1024;

const NO_RESPONSE = { statusCode: null, responseBody: null, responseHeaders: null, retryAfterSeconds: null };

/**
 * Signs the body with each secret of the endpoint, and posts the body once. Never throws: a failure becomes a report. The attempt is cut
 * off at its deadline, or earlier by the caller.
 */
export function sendWebhook(
  delivery: ClaimedDelivery,
  openSecrets: ReturnType<typeof createSecretOpener>,
  rules: SendingRules,
  cutoff: Cutoff,
): Promise<AttemptReport> {
  let webhook: OutgoingWebhook;
  try {
    webhook = sign(delivery, openSecrets);
  } catch (error) {
    return Promise.resolve(unsent(explainFailure(error)));
  }
  const { endpointId: id, isSubscription } = delivery;
  return post(webhook, { id, url: webhook.url, isSubscription }, rules, cutoff);
}

/** Creates the report of a request that was never sent. */
export function unsent(failure: Classification): AttemptReport {
  const nothing = { durationMs: 0, phases: null, peer: null, signature: null };
  return { ...failure, ...NO_RESPONSE, ...nothing };
}

function sign(
  { eventId, endpointId, url, body, secrets, ownHeaders, claimedAt }: ClaimedDelivery,
  openSecrets: ReturnType<typeof createSecretOpener>,
): OutgoingWebhook {
  const opened = openSecrets(endpointId, secrets);
  // Uses the database's clock for the timestamp, because a receiver would refuse the timestamp of a worker with a wrong clock.
  const signature = signPayload({ id: webhookId(eventId), sentAt: claimedAt, body }, opened);
  const [own] = ownHeaders.length > 0 ? openSecrets(endpointId, ownHeaders) : [];
  // The headers of the signature win over those of the subscriber.
  const headers = {
    ...(own && (JSON.parse(own.toString()) as Record<string, string>)),
    ...webhookHeaders(signature),
  };
  return { url: new URL(url), headers, body };
}

async function post(
  webhook: OutgoingWebhook,
  endpoint: RedirectedEndpoint,
  rules: SendingRules,
  cutoff: Cutoff,
): Promise<AttemptReport> {
  const begun = performance.now();
  const deadline = setTimeout(
    () => cutoff.cut(new AttemptError('timeout', `No response within ${rules.attemptTimeoutMs / 1000} s.`)),
    rules.attemptTimeoutMs,
  );
  const trace = startTrace();
  const measured = () => ({
    durationMs: Math.round(performance.now() - begun),
    phases: Object.keys(trace.phases).length > 0 ? trace.phases : null,
    peer: trace.peer,
    signature: trace.phases.first_byte === undefined ? null : (webhook.headers['webhook-signature'] ?? null),
  });
  try {
    refuseTarget(webhook.url, rules.allowPrivateTargets);
    const { statusCode, headers, body } = await rules.agent.post(webhook, { trace, cutoff });
    const location = oneHeader(headers.location);
    const { outcome, reason } = classifyResponse(statusCode, location, endpoint, rules.allowPrivateTargets);
    const { durationMs, phases, peer, signature } = measured();
    // Lists each field, because copying whole objects took 20 µs for each attempt.
    return {
      outcome,
      statusCode,
      reason,
      // Replaces NUL, which PostgreSQL cannot store in a text.
      responseBody: body.length === 0 ? '' : body.toString().replaceAll('\0', '\uFFFD'),
      durationMs,
      retryAfterSeconds: isThrottled(statusCode)
        ? readRetryAfter(oneHeader(headers['retry-after']), new Date())
        : null,
      phases,
      peer,
      signature,
      responseHeaders: keepHeaders(headers),
    };
  } catch (error) {
    trace.end();
    return { ...explainFailure(cutoff.reason ?? error), ...NO_RESPONSE, ...measured() };
  } finally {
    clearTimeout(deadline);
  }
}

/** Matches the class Cc of Unicode, without the slower Unicode mode. */
const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f]/;

/** Limits response headers for display, and removes control characters that a terminal would execute. */
function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  let [count, length] = [0, 0];
  for (const name in headers) {
    if (name === 'set-cookie') continue;
    const text = String(headers[name]);
    length += name.length + text.length;
    if (++count > HEADERS_KEPT || length > HEADERS_KEPT_LENGTH) break;
    kept[name] = CONTROL_CHARACTERS.test(text) ? text.replace(/\p{Cc}/gu, '') : text;
  }
  return kept;
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
