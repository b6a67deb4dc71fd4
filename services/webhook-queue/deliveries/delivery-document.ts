import type { AttemptItem, DeliveryItem } from './find-deliveries';

/** Converts a delivery to wire names (CONTRACT section 6). */
export function toDeliveryDocument(delivery: DeliveryItem) {
  return {
    id: delivery.id,
    tenant: delivery.tenant,
    event_type: delivery.eventType,
    booking_ref: delivery.bookingRef,
    endpoint: delivery.endpoint,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
    created_at: delivery.createdAt,
  };
}

export type AttemptDocument = ReturnType<typeof toAttemptDocument>;

/** Converts an attempt to wire names, without the response, which may repeat personal data of the request. */
export function toAttemptDocument(attempt: AttemptItem) {
  return {
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status_code: attempt.statusCode,
    reason: attempt.reason,
    phases: attempt.phases,
    peer: attempt.peer,
    signature: attempt.signature,
  };
}
