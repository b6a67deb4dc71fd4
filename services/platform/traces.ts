import type { IncomingMessage } from 'node:http';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

/*
 * @opentelemetry/api does nothing until an OpenTelemetry SDK is loaded with NODE_OPTIONS (docs/watching.md): then no span is active, spans
 * are not recorded, and functions run without a context.
 */

/** The trace of a caller's request (W3C Trace Context). */
interface TraceContext {
  /** Id of the trace: 32 digits of lower-case hex. */
  traceId: string;
  /** Id of the caller's span: 16 digits. */
  parentId: string;
  /** True if the caller records this trace. */
  sampled: boolean;
}

/** Matches version, trace-id, parent-id, trace-flags, and optional fields of later versions. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ALL_ZEROS = /^0+$/;
const SAMPLED: number = TraceFlags.SAMPLED;

/**
 * Reads `traceparent`. Ignores an invalid value (W3C Trace Context section 4.3). The ids contain only hexadecimal digits, so they are safe
 * in a log.
 */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (!version || !traceId || !parentId || !flags) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/**
 * Returns the `traceparent` that names a request: the active span of this process or, without an SDK, the span of the caller.
 * @returns a value of version 00; null: there is no span, or the caller sent no valid header
 */
export function traceparentOf(request: IncomingMessage): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  if (span && isSpanContextValid(span))
    return formatTraceparent(span.traceId, span.spanId, (span.traceFlags & SAMPLED) === SAMPLED);
  const { traceparent } = request.headers;
  const caller = typeof traceparent === 'string' ? readTraceparent(traceparent) : undefined;
  return caller ? formatTraceparent(caller.traceId, caller.parentId, caller.sampled) : null;
}

function formatTraceparent(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The requests whose changes run in a transaction. */
const traceparents = new WeakMap<object, string>();

/** Sets the `traceparent` of the request that a transaction belongs to. Null: there is none. */
export function setTransactionTrace(trx: object, traceparent: string | null): void {
  if (traceparent !== null) traceparents.set(trx, traceparent);
}

/** Returns the value of setTransactionTrace; null without one. */
export function transactionTrace(trx: object): string | null {
  return traceparents.get(trx) ?? null;
}

/** Returns `work` bound to the active span, for a queue that calls it later. */
export function keepActiveSpan(work: () => void): () => void {
  return context.bind(context.active(), work);
}

const tracer = trace.getTracer('tour-platform');

/**
 * Runs `work` in a span of its own.
 * @param parent the `traceparent` of the span that it belongs to. Null: the span begins a trace
 */
export async function inSpan<T>(
  name: string,
  parent: string | null,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, {}, contextOf(parent), async (span) => {
    try {
      return await work(span);
    } finally {
      span.end();
    }
  });
}

function contextOf(parent: string | null) {
  const spanContext = parent === null ? undefined : toSpanContext(parent);
  return spanContext ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
}

/** Links a span to the spans that caused it. @param causes values of `traceparent`; null: unknown */
export function linkSpan(span: Span, causes: (string | null)[]): void {
  if (!span.isRecording()) return;
  const contexts = causes.map((cause) => (cause === null ? undefined : toSpanContext(cause)));
  span.addLinks(contexts.flatMap((one) => (one ? [{ context: one }] : [])));
}

function toSpanContext(traceparent: string): SpanContext | undefined {
  const read = readTraceparent(traceparent);
  if (!read) return undefined;
  const traceFlags = read.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId: read.traceId, spanId: read.parentId, traceFlags, isRemote: true };
}
