import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './free-ports';
import { PEPPER } from './given';
import { SERVICE_ENTRY } from './service-entry';

const ROOT = path.join(__dirname, '../..');
/** With OpenTelemetry on a busy machine, a start took 20 s. */
const START_MS = 60_000;

/** An API in its own process, as in production. */
export interface ApiProcess {
  baseUrl: string;
  /** Reads /metrics. */
  metrics(): Promise<string>;
  /** Returns its stdout so far. */
  log(): string;
  /** Sends SIGTERM. The process still answers the requests in flight. @returns the exit code */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: the process pauses, and its connections stay open. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
}

/** Starts the API on free ports and waits until it is ready. Quotas are at their maximum. */
export async function startApiProcess(
  databaseUrl: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ApiProcess> {
  const [api, , metrics] = await freePorts();
  const child = spawn(process.execPath, [SERVICE_ENTRY.api], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...SETTINGS,
      DATABASE_URL: databaseUrl,
      API_PORT: `${api}`,
      METRICS_PORT: `${metrics}`,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const baseUrl = `http://127.0.0.1:${api}`;
  try {
    await untilReady(child, baseUrl, () => complaint);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    baseUrl,
    metrics: () => fetch(`http://127.0.0.1:${metrics}/metrics`).then((answer) => answer.text()),
    log: () => log,
    stop: () => end(child, 'SIGTERM'),
    kill: async () => void (await end(child, 'SIGKILL')),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

const WIDE = '1000000';
const SETTINGS = {
  LOG_LEVEL: 'error',
  SECRETS_KEY: 's'.repeat(32),
  CURSOR_KEY: 'c'.repeat(32),
  KEY_PEPPER: PEPPER,
  GATEWAY_AVAILABILITY_RPM: WIDE,
  GATEWAY_HOLD_RPM: WIDE,
  GATEWAY_BOOKING_RPM: WIDE,
  CATALOG_RPM: WIDE,
  WIDGET_RPM: WIDE,
};

async function untilReady(child: ChildProcess, baseUrl: string, complaint: () => string): Promise<void> {
  for (const until = Date.now() + START_MS; Date.now() < until;) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (ready?.ok) return;
    await sleep(20);
  }
  throw new Error(`The API process did not start: ${complaint()}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode;
}
