import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** The version that docs/watching.md was tried with. The product does not depend on it. */
export const INSTRUMENTATION = '@opentelemetry/auto-instrumentations-node';
const VERSION = '0.82.0';
const INSTALL_MS = 180_000;

/**
 * Installs the instrumentation beside the product, as an operator does. Keeps the folder for later runs: it has 116 MB.
 * @returns its folder node_modules; undefined if npm does not reach its registry
 */
export function installInstrumentation(): string | undefined {
  const folder = path.join(tmpdir(), `tour-platform-traces-${VERSION}-${userInfo().uid}`);
  const modules = path.join(folder, 'node_modules');
  if (existsSync(path.join(folder, 'complete'))) return modules;
  mkdirSync(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    execFileSync('npm', [...install, `${INSTRUMENTATION}@${VERSION}`], {
      stdio: 'ignore',
      timeout: INSTALL_MS,
    });
  } catch {
    return undefined;
  }
  writeFileSync(path.join(folder, 'complete'), '');
  return modules;
}

/** A span as OTLP writes it in JSON. */
export interface ExportedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, unknown>;
}

export interface TraceReceiver {
  /** The variables of a service that sends its spans to this receiver. */
  environmentOf(service: string, modules: string): Record<string, string>;
  spans: ExportedSpan[];
  close(): void;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpSpan extends Omit<ExportedSpan, 'service' | 'links' | 'attributes'> {
  links?: ExportedSpan['links'];
  attributes: OtlpAttribute[];
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Starts a receiver of spans: OTLP over HTTP with JSON. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ExportedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    spans,
    environmentOf: (service, modules) => ({
      NODE_PATH: modules,
      NODE_OPTIONS: `--require ${INSTRUMENTATION}/register`,
      OTEL_SERVICE_NAME: service,
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      // The detectors of clouds ask addresses outside this machine.
      OTEL_NODE_RESOURCE_DETECTORS: 'env',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansOf({ resourceSpans }: OtlpRequest): ExportedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toObject(resource.attributes)['service.name']);
    const all = scopeSpans.flatMap(({ spans }) => spans);
    return all.map((span) => ({
      service,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      name: span.name,
      links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
      attributes: toObject(span.attributes),
    }));
  });
}

function toObject(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
