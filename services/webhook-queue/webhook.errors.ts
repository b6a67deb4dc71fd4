import { AppError } from '../platform/errors';

export class InvalidWebhookUrlError extends AppError {
  readonly code = 'invalid_webhook_url';

  /** @param hint for an operator: the setting that would allow the URL */
  constructor(
    readonly reason: string,
    hint = '',
  ) {
    super(`The webhook URL is not allowed: ${reason}${hint}.`);
  }
}

export class UnknownEventTypeError extends AppError {
  readonly code = 'unknown_event_type';

  constructor(known: readonly string[]) {
    super(`An endpoint may subscribe to these events: ${known.join(', ')}.`);
  }
}

export class EndpointNotFoundError extends AppError {
  readonly code = 'endpoint_not_found';

  constructor() {
    super('There is no webhook endpoint with this id: tourctl webhook list shows the endpoints.');
  }
}

export class EndpointStateConflictError extends AppError {
  readonly code = 'endpoint_state_conflict';
}

export class DeliveryNotFoundError extends AppError {
  readonly code = 'delivery_not_found';

  constructor() {
    super(
      'There is no delivery with this id. It may be older than the history: tourctl delivery list shows the others.',
    );
  }
}

export class DeliveryStateConflictError extends AppError {
  readonly code = 'delivery_state_conflict';
}

export class BookingInFlightError extends AppError {
  readonly code = 'booking_in_flight';

  constructor() {
    super('A webhook with this customer is being sent now: try again in half a minute.');
  }
}

/** Warns the operator, who may want the receiver to get the customer's data before the erasure. */
export class BookingUndeliveredError extends AppError {
  readonly code = 'booking_undelivered';

  constructor(deliveries: string[]) {
    super(
      `Webhooks with this customer are not delivered yet (${deliveries.join(', ')}): wait for them, or send them without the customer.`,
    );
  }
}

export class TooManySecretsError extends AppError {
  readonly code = 'too_many_secrets';

  constructor(live: number) {
    super(
      `${live} secrets sign now: wait until the first one expires, or end all of them with an overlap of 0.`,
    );
  }
}

export class InvalidOverlapError extends AppError {
  readonly code = 'invalid_overlap';

  constructor(maxDays: number) {
    super(`The overlap must be from 0 seconds to ${maxDays} days.`);
  }
}
