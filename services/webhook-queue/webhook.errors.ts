import { AppError } from '../platform/errors';
import { EVENT_TYPES } from './deliveries/webhook-event';

export class InvalidWebhookUrlError extends AppError {
  readonly code = 'invalid_webhook_url';

  constructor(reason: string) {
    super(`The webhook address is refused: ${reason}.`);
  }
}

export class UnknownEventTypeError extends AppError {
  readonly code = 'unknown_event_type';

  constructor() {
    super(`An endpoint may ask for these events: ${EVENT_TYPES.join(', ')}.`);
  }
}

export class EndpointNotFoundError extends AppError {
  readonly code = 'endpoint_not_found';

  constructor() {
    super('There is no webhook endpoint with this id.');
  }
}

export class EndpointStateConflictError extends AppError {
  readonly code = 'endpoint_state_conflict';
}

export class DeliveryNotFoundError extends AppError {
  readonly code = 'delivery_not_found';

  constructor() {
    super('There is no delivery with this id.');
  }
}

export class DeliveryStateConflictError extends AppError {
  readonly code = 'delivery_state_conflict';
}

export class BookingInFlightError extends AppError {
  readonly code = 'booking_in_flight';

  constructor() {
    super('A webhook about this booking is being sent at this moment: try again in half a minute.');
  }
}

/** Told to nobody but the operator, who may want its receiver to have it first. */
export class BookingUndeliveredError extends AppError {
  readonly code = 'booking_undelivered';

  constructor(deliveries: string[]) {
    super(
      `Webhooks about this booking have not arrived yet (${deliveries.join(', ')}): wait for them, or let them be sent without the customer.`,
    );
  }
}

export class TooManySecretsError extends AppError {
  readonly code = 'too_many_secrets';

  constructor(live: number) {
    super(
      `${live} secrets sign at this moment, each promised its time: wait for the first to end, or end all with an overlap of 0.`,
    );
  }
}

export class InvalidOverlapError extends AppError {
  readonly code = 'invalid_overlap';

  constructor(maxDays: number) {
    super(`The old secret may go on signing for 0 seconds to ${maxDays} days.`);
  }
}
