import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild, untilReady } from '../stack/child';
import { freePorts } from '../support/free-ports';
import { CACHE, enginePrograms } from './programs';
import { type CommandOptions, type Output, runCommand, runSuccessfully } from './run-command';

/** The address that slirp4netns gives the engine's network. */
const ENGINE_ADDRESS = '10.0.2.100';
const STOP_MS = 25_000;

/**
 * A Docker engine of a test run. Its networks, mounts and processes are in namespaces of their own: no container, firewall rule or
 * port of it appears on the machine, and the kernel ends all of it together with this process.
 */
export interface Engine {
  docker(args: string[], options?: CommandOptions): Promise<Output>;
  /** Runs a command that must succeed. @returns its standard output */
  expectDocker(args: string[], options?: CommandOptions): Promise<string>;
  /** Forwards a free port of this machine's loopback to a published port. @returns the address of the first */
  forward(port: number): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an engine. Images and build layers stay in CACHE. @throws Error if it does not start; its message has the daemon's last lines */
export async function startEngine(): Promise<Engine> {
  const { bin, config } = await enginePrograms();
  const folder = await mkdtemp(path.join(tmpdir(), 'engine-'));
  const data = path.join(CACHE, 'data');
  await mkdir(data, { recursive: true, mode: 0o700 });
  const daemon = startDaemon(bin, data, folder);
  const env = {
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    HOME: folder,
    DOCKER_HOST: `unix://${path.join(folder, 'docker.sock')}`,
    DOCKER_CONFIG: config,
  };
  const docker = (args: string[], options?: CommandOptions) =>
    runCommand('docker', args, { ...options, env: { ...env, ...options?.env } });
  const stop = async () => {
    await stopDaemon(daemon);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(daemon, 'the engine', async () => firstProcess(daemon) !== undefined);
    const network = startNetwork(folder, firstProcess(daemon)!);
    await untilReady(daemon, 'the engine', async () => (await docker(['info'])).code === 0);
    return {
      docker,
      expectDocker: (args, options) =>
        runSuccessfully('docker', args, { ...options, env: { ...env, ...options?.env } }),
      forward: (port) => forward(folder, port),
      stop: async () => {
        await stop();
        await network.stop('SIGKILL');
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts dockerd in new namespaces, under a lock of the data, and so that it ends when this process ends in any way. */
function startDaemon(bin: string, data: string, folder: string): Child {
  const locked = ['--no-fork', '--nonblock', '--conflict-exit-code', '75', path.join(CACHE, 'lock')];
  const bound = ['setpriv', '--pdeathsig', 'KILL'];
  const apart = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return startChild({
    name: 'the engine',
    program: 'flock',
    args: [...locked, ...bound, ...apart, path.join(__dirname, 'start-engine'), bin, data, folder],
    env: { PATH: process.env.PATH! },
    logFile: path.join(folder, 'engine.log'),
  });
}

/** Connects the engine's network to that of this machine, without a device or a rule on the machine. */
function startNetwork(folder: string, namespace: number): Child {
  const settings = ['--configure', '--mtu=65520', '--disable-host-loopback'];
  const socket = ['--api-socket', path.join(folder, 'network.sock')];
  return startChild({
    name: "the engine's network",
    program: 'setpriv',
    args: ['--pdeathsig', 'KILL', 'slirp4netns', ...settings, ...socket, String(namespace), 'tap0'],
    env: { PATH: process.env.PATH! },
    logFile: path.join(folder, 'network.log'),
  });
}

/** Returns the first process of the namespaces: unshare's child, which becomes dockerd. */
function firstProcess({ pid }: Child): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children);
  } catch {
    return undefined;
  }
}

async function stopDaemon(daemon: Child): Promise<void> {
  const dockerd = firstProcess(daemon);
  // unshare itself ignores SIGTERM.
  if (dockerd !== undefined) process.kill(dockerd, 'SIGTERM');
  for (const end = Date.now() + STOP_MS; daemon.isRunning() && Date.now() < end;) await sleep(50);
  await daemon.stop('SIGKILL');
}

async function forward(folder: string, guestPort: number): Promise<string> {
  const [port] = await freePorts();
  const request = {
    execute: 'add_hostfwd',
    arguments: {
      proto: 'tcp',
      host_addr: '127.0.0.1',
      host_port: port,
      guest_addr: ENGINE_ADDRESS,
      guest_port: guestPort,
    },
  };
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(path.join(folder, 'network.sock'), () => socket.end(JSON.stringify(request)));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.once('error', reject).once('close', () => resolve(text));
  });
  if (!answer.includes('"return"')) throw new Error(`slirp4netns does not forward port ${port}: ${answer}`);
  return `http://127.0.0.1:${port}`;
}
