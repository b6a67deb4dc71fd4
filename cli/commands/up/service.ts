import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../services/platform/errors';
import type { Terminal } from '../../context';

/** One of our processes, started by `up`. */
export interface Service {
  /** Rejects where it ends before it is ready. */
  ready: Promise<void>;
  /** Never resolves; rejects when it ends without being told to. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

class ServiceEndedError extends AppError {
  readonly code = 'service_ended';
}

const ENTRY = { api: 'services/api/server', 'webhook-queue': 'services/webhook-queue/main' };

/** Starts a service as a process of its own; its log goes to DATA_DIR/logs, what it says on stderr to ours. */
export function startService(terminal: Terminal, name: keyof typeof ENTRY): Service {
  const { config, io } = terminal;
  const logs = path.join(config.dataDir, 'logs');
  mkdirSync(logs, { recursive: true });
  const child = spawn(process.execPath, [...command(io.root, ENTRY[name])], {
    cwd: io.root,
    env: { ...io.env, DATA_DIR: path.resolve(config.dataDir) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout!.pipe(createWriteStream(path.join(logs, `${name}.log`), { flags: 'a', mode: 0o600 }));
  child.stderr!.on('data', (text: Buffer) => io.stderr.write(text));
  return supervise(child, name, logs);
}

function supervise(child: ChildProcess, name: string, logs: string): Service {
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const failed = ended.then(() => {
    if (stopping) return new Promise<never>(() => {});
    throw new ServiceEndedError(`The ${name} ended; see ${path.join(logs, `${name}.log`)}`);
  });
  // Whoever asks sees it; until somebody does, it is not unhandled.
  failed.catch(() => undefined);
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if ((message as { ready?: boolean }).ready) resolve();
    });
  });
  return {
    ready: Promise.race([ready, failed]),
    failed,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The sources in a checkout, the compiled files in an image. */
function command(root: string, entry: string): string[] {
  const source = path.join(root, `${entry}.ts`);
  if (existsSync(source)) return ['--import', require.resolve('tsx'), source];
  return [path.join(root, 'dist', `${entry}.js`)];
}
