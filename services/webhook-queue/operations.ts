// The operator's door: what the terminal and the page may do. Every change happens in the caller's transaction, beside its
// audit row.
export { listDeliveries, listDeliveriesOfBooking } from './deliveries/list-deliveries';
export {
  countHeldBackReplay,
  countReplay,
  REPLAYED_MOST,
  replayDeliveries,
} from './deliveries/replay-deliveries';
export { showDelivery, type DeliveryDetail } from './deliveries/show-delivery';
export { retryDelivery } from './retry-delivery';
export { inspectQueue, type QueueHealth } from './inspect-queue';
export { eraseCustomer, type ErasedCustomer } from './deliveries/erase-customer';
export { DELIVERY_STATUSES, PHASES, type DeliveryStatus } from './deliveries/delivery';
export type { AttemptItem, DeliveryItem } from './deliveries/delivery-list.repository';
export type { HeldBack, ReplayFilter } from './deliveries/replay.repository';
export { EVENT_TYPES } from './deliveries/webhook-event';

export { addEndpoint, type AddedEndpoint } from './endpoints/add-endpoint';
export { changeEndpoint, type EndpointVerb } from './endpoints/change-endpoint-state';
export type { Endpoint, Format } from './endpoints/endpoint';
export { toEndpointDocument } from './endpoints/endpoint-document';
export { listEndpoints } from './endpoints/endpoint.repository';
export { findEndpoint } from './endpoints/known-endpoint';
export { pingEndpoint } from './endpoints/ping-endpoint';
export { rotateSecret } from './endpoints/rotate-secret';
export { showEndpoint, type EndpointDetail } from './endpoints/show-endpoint';

export { createMonitorLink } from './monitor/sign-in/session';
export { parseSecret, refutePayload } from './signing/verify-payload';
