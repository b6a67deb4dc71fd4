import type { Request } from 'express';

/** What a caller's tracing says of a request (W3C Trace Context). */
export interface TraceContext {
  /** 32 digits of lower-case hex: the whole journey. */
  traceId: string;
  /** 16 digits: the caller's own step in it. */
  parentId: string;
  /** The caller records this journey. */
  sampled: boolean;
}

/** version, trace-id, parent-id, trace-flags, and what a later version may add behind another dash. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
const SAMPLED = 1;

/**
 * Reads `traceparent`. Whatever is not valid counts as not sent, and never as a fault of the request (W3C Trace Context
 * section 4.3). What it gives is hex alone, so it may stand in a log whoever sent it.
 */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (!version || !traceId || !parentId || !flags) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The fields of a log line that join it to the caller's trace; none where there is no trace. */
export function traceFields(request: Request): object {
  const { traceparent } = request.headers;
  if (typeof traceparent !== 'string') return NO_FIELDS;
  const trace = readTraceparent(traceparent);
  if (!trace) return NO_FIELDS;
  return { trace_id: trace.traceId, parent_id: trace.parentId, trace_sampled: trace.sampled };
}

const NO_FIELDS = {};
