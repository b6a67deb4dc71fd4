import path from 'node:path';
import { NODE_FLAGS } from '../../cli/commands/up/service';
import { SERVICE_ENTRY } from '../support/service-entry';
import { type Child, startChild, untilReady } from './child';

const ROOT = path.resolve(__dirname, '../..');

/** An instance of a service as in compose.yaml; it keeps its ports over restarts. */
export interface Instance {
  baseUrl: string;
  child(): Child;
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
  /** Starts again after `stop`; resolves when it is ready. */
  start(): Promise<void>;
}

export interface ServiceCommand {
  service: keyof typeof SERVICE_ENTRY;
  /** The folder of its log. */
  dir: string;
  port: number;
  env: Record<string, string>;
}

/** Starts a service and does not wait until it is ready. */
export function launchService({ service, dir, port, env }: ServiceCommand): Child {
  const name = `${service}-${port}`;
  return startChild({
    name,
    program: process.execPath,
    args: [...NODE_FLAGS[service], SERVICE_ENTRY[service]],
    cwd: ROOT,
    env: { ...inherited(), ...env, [service === 'api' ? 'API_PORT' : 'WEBHOOK_QUEUE_PORT']: `${port}` },
    logFile: path.join(dir, `${name}.log`),
  });
}

export async function startInstance(
  service: keyof typeof SERVICE_ENTRY,
  dir: string,
  port: number,
  env: Record<string, string>,
): Promise<Instance> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const name = `${service}-${port}`;
  let child: Child;
  const instance: Instance = {
    baseUrl,
    child: () => child,
    stop: () => child.stop(),
    async start() {
      child = launchService({ service, dir, port, env });
      try {
        await untilReady(child, name, async () => (await fetch(`${baseUrl}/readyz`)).ok);
      } catch (error) {
        await child.stop('SIGKILL');
        throw error;
      }
    },
  };
  await instance.start();
  return instance;
}

/** Returns the variables that Node uses, without other settings of the shell that runs the tests. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
