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
export {
  tourProxy,
  type ServerRequest,
  type SiteAnswer,
  type TourProxy,
  type TourProxyOptions,
} from './proxy/tour-proxy.ts';
export type { VisitorBooking } from './proxy/bookings.ts';
export type { CallName } from './proxy/calls.ts';
