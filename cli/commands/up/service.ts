import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { AppError } from '../../../services/platform/errors';
import { makeDirectory } from '../../../services/platform/directories';
import { settingsOf, type Terminal } from '../../engine/context';
import { SettingsError } from '../../engine/failure';
import { logFileOf, openRotatingLog, type ServiceName } from '../logs/log-files';

/** Represents one service that `up` keeps running. */
export interface Service {
  /** Resolves when the service is ready for the first time. Rejects if the service ends before that. */
  ready: Promise<void>;
  stop(): Promise<void>;
}

class ServiceEndedError extends AppError {
  readonly code = 'service_ended';
}

/**
 * Doubles Node's default semi-space (in MB) for the API: a sale then takes a tenth less CPU. A larger semi-space does not help more (ADR
 * 19).
 */
export const NODE_FLAGS: Record<ServiceName, string[]> = {
  api: ['--enable-source-maps', '--max-semi-space-size=32'],
  'webhook-queue': ['--enable-source-maps'],
};

const ENTRY: Record<ServiceName, string> = {
  api: 'dist/services/api/main.js',
  'webhook-queue': 'dist/services/webhook-queue/main.js',
};

/** Represents one process of a service. */
interface Run {
  child: ChildProcess;
  ready: Promise<void>;
  /** Resolves with how the process has ended: "ended with exit code 1", "was killed by SIGKILL". Never rejects. */
  ended: Promise<string>;
}

/**
 * Starts a service in its own process, and restarts the service when it ends. Writes all output of the service to DATA_DIR/logs, and its
 * stderr also to the stderr of this process.
 */
export function startService(terminal: Terminal, name: ServiceName): Service {
  makeLogDirectory(terminal);
  const log = logFileOf(terminal.config, name);
  const { output } = terminal;
  const lines = openRotatingLog(log, {
    onLost: (reason) => output.warn(`${log} cannot be written (${reason}); its lines are lost until it can`),
  });
  const stopping = new AbortController();
  let run = launch(terminal, name, lines);

  const keepRunning = async () => {
    for (let deaths = 1; ; deaths++) {
      const begun = Date.now();
      const how = await run.ended;
      if (stopping.signal.aborted) return;
      if (Date.now() - begun >= STABLE_MS) deaths = 1;
      const pauseMs = restartPauseMs(deaths);
      output.warn(`The ${name} ${how}; it is started again in ${pauseMs / 1000} s. Its log: ${log}`);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      run = launch(terminal, name, lines);
      void run.ready.then(() => output.note(`The ${name} is ready again`));
    }
  };
  const endedEarly = run.ended.then((how) => {
    throw new ServiceEndedError(`The ${name} ${how} before it was ready. Its log: ${log}`);
  });
  const ready = Promise.race([run.ready, endedEarly]);
  const kept = ready.then(keepRunning, () => undefined);
  return {
    ready,
    stop: async () => {
      stopping.abort();
      run.child.kill('SIGTERM');
      await run.ended;
      await kept;
      lines.end();
    },
  };
}

function makeLogDirectory({ config }: Terminal): void {
  try {
    makeDirectory(path.join(config.dataDir, 'logs'));
  } catch (error) {
    throw new SettingsError(
      `The directory of the logs cannot be created (${(error as Error).message}). Set DATA_DIR to a directory of your own`,
    );
  }
}

function launch({ config, io, output }: Terminal, name: ServiceName, log: Writable): Run {
  const child = spawn(process.execPath, [...NODE_FLAGS[name], path.join(io.root, ENTRY[name])], {
    // Keeps the working directory, so that the service reads no other .env file.
    env: { ...settingsOf(io), DATA_DIR: path.resolve(config.dataDir) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout!.pipe(log, { end: false });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output.relay(text);
    log.write(text);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started (${error.message})`));
    child.once('close', (code, signal) =>
      resolve(signal ? `was killed by ${signal}` : `ended with exit code ${code}`),
    );
  });
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if ((message as { ready?: boolean }).ready) resolve();
    });
  });
  return { child, ready, ended };
}

/** If the service ran for at least this time, the next restart has the shortest pause again. */
const STABLE_MS = 60_000;

const FIRST_MS = 1000;
const PAUSE_MS_MAX = 30_000;

/**
 * Returns the pause before a restart: 1, 2, 4, 8, 16, then 30 s, so that no minute has more than five starts.
 * @param deaths how often the service has ended in a row, from 1
 */
export function restartPauseMs(deaths: number): number {
  return Math.min(FIRST_MS * 2 ** (deaths - 1), PAUSE_MS_MAX);
}
