/** The address is not one that we call. */
export class BlockedTargetError extends Error {
  override readonly name = 'BlockedTargetError';
}

/** The name has no address now. */
export class UnresolvedTargetError extends Error {
  override readonly name = 'UnresolvedTargetError';
}

/** Why a try was cut off by ourselves; the reason of the request's AbortSignal. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`No answer within ${ms / 1000} s.`);
  }
}

export class InterruptedError extends Error {
  constructor() {
    super('This worker was stopped while the request was in flight; it may have arrived.');
  }
}

/** A request met a kept connection that the receiver closed at that moment. */
export class HungUpError extends Error {
  constructor() {
    super('The receiver closed the kept connection as the request was sent; it may have arrived.');
  }
}

/** No connection within the time for it. */
export class ConnectTimeoutError extends Error {
  constructor(ms: number) {
    super(`No connection within ${ms / 1000} s.`);
  }
}

/** More than is read of any answer. */
export class EndlessAnswerError extends Error {
  constructor() {
    super('What came back has no end.');
  }
}
