import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import { explainFailure } from './explain-failure';
import type { createSecretOpener } from '../signing/seal-secret';
import { sendWebhook, type SendingRules } from './send-webhook';
import { signPayload, webhookId } from '../signing/sign-payload';

const USER_AGENT = 'tour-platform-webhooks/1';

/** Opens the endpoint's secrets, signs the bytes of the event with each, and sends them once. Never throws. */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  openSecrets: ReturnType<typeof createSecretOpener>,
  rules: SendingRules,
  abort: AbortController,
): Promise<AttemptReport> {
  const { eventId, endpointId, body, url } = delivery;
  try {
    const secrets = openSecrets(endpointId, delivery.secrets);
    // The database's clock: a receiver refuses what a worker with a wrong one would sign.
    const signature = signPayload({ id: webhookId(eventId), sentAt: delivery.claimedAt, body }, secrets);
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signature };
    return await sendWebhook({ url, headers, body }, rules, abort);
  } catch (error) {
    return {
      ...explainFailure(error),
      statusCode: null,
      responseBody: null,
      durationMs: 0,
      retryAfterSeconds: null,
      phases: null,
      peer: null,
      signature: null,
      responseHeaders: null,
    };
  }
}
