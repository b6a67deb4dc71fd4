/** The address is not allowed. */
export class BlockedTargetError extends Error {
  override readonly name = 'BlockedTargetError';
}

/** The host name does not resolve. */
export class UnresolvedTargetError extends Error {
  override readonly name = 'UnresolvedTargetError';
}

/** The attempt reached its deadline. Serves as the reason of the AbortSignal. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`No response within ${ms / 1000} s.`);
  }
}

export class InterruptedError extends Error {
  constructor() {
    super('The worker was stopped while the request was in flight; it may have arrived.');
  }
}

/** The receiver closed a kept connection while the request was sent. */
export class ConnectionClosedError extends Error {
  constructor() {
    super('The receiver closed the kept connection as the request was sent; it may have arrived.');
  }
}

/** The connection was not established in time. */
export class ConnectTimeoutError extends Error {
  constructor(ms: number) {
    super(`No connection within ${ms / 1000} s.`);
  }
}

/** The response exceeds the limit that is read. */
export class ResponseTooLargeError extends Error {
  constructor() {
    super('The response is larger than 16 KiB.');
  }
}
