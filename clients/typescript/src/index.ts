export { createClient, type ClientOptions, type TourPlatform } from './client.ts';
export { TourPlatformError, type Problem, type ProblemCode } from './errors.ts';
export {
  isOutdated,
  verifyWebhook,
  WebhookVerificationError,
  type ReceivedWebhook,
  type WebhookEvent,
} from './webhooks.ts';
export type { components } from './openapi.ts';
