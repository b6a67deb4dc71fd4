import type { Request } from 'express';
import type { WriteRequestLine } from '../../platform/http/request-log';
import { contextOf } from './api-context';
import { credentialIdOf, principalOf } from './authentication';

/** Logs a request with its trace, problem code, tenant and credential. */
export const writeRequestLine: WriteRequestLine = (line, request, response) => {
  const { request_id, client, method, route, status, duration_ms } = line;
  const fields = {
    request_id,
    client,
    method,
    route,
    status,
    code: response.locals.problemCode as string | undefined,
    duration_ms,
    tenant: principalOf(request)?.tenant.slug,
    credential: credentialIdOf(request),
    ...traceFields(request),
  };
  contextOf(request).log.info(fields, 'request');
};

/** The trace of a caller's request (W3C Trace Context). */
interface TraceContext {
  /** Id of the trace: 32 digits of lower-case hex. */
  traceId: string;
  /** Id of the caller's span: 16 digits. */
  parentId: string;
  /** True if the caller records this trace. */
  sampled: boolean;
}

/** version, trace-id, parent-id, trace-flags, and optional fields of later versions. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ALL_ZEROS = /^0+$/;
const SAMPLED = 1;

/**
 * Reads `traceparent`. Ignores an invalid value (W3C Trace Context section 4.3). The result is hex only, so it is safe in
 * a log.
 */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (!version || !traceId || !parentId || !flags) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Returns the fields of a log line that name the caller's trace; empty without a trace. */
export function traceFields(request: Request): object {
  const { traceparent } = request.headers;
  if (typeof traceparent !== 'string') return NO_FIELDS;
  const trace = readTraceparent(traceparent);
  if (!trace) return NO_FIELDS;
  return { trace_id: trace.traceId, parent_id: trace.parentId, trace_sampled: trace.sampled };
}

const NO_FIELDS = {};
