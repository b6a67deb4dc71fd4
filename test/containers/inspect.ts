import type { Engine } from './engine';

/** Facts about a running container: from Docker, and from the status of its first process. */
export interface ContainerFacts {
  service: string;
  account: number;
  /** Sets of bits, in hexadecimal digits. */
  effectiveCapabilities: string;
  boundingCapabilities: string;
  noNewPrivileges: boolean;
  /** Docker's filter of system calls is on. */
  filtered: boolean;
  /** Its root file system refuses a file. */
  readOnly: boolean;
  health: string;
}

export interface StopFacts {
  seconds: number;
  exitCode: number;
}

/** Returns the ids of an installation's running containers, by service. */
export async function runningContainers(engine: Engine): Promise<Map<string, string>> {
  const label = '{{.Label "com.docker.compose.service"}}';
  const lines = await engine.expectDocker(['ps', '--format', `${label} {{.ID}}`]);
  const pairs = lines
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ') as [string, string]);
  return new Map(pairs.sort(([a], [b]) => a.localeCompare(b)));
}

export async function inspectContainer(engine: Engine, service: string, id: string): Promise<ContainerFacts> {
  const status = await engine.expectDocker(['exec', id, 'cat', '/proc/1/status']);
  const value = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)![1]!;
  const { stderr } = await engine.docker(['exec', id, 'sh', '-c', 'echo x > /file']);
  const health = await engine.expectDocker(['inspect', '--format', '{{.State.Health.Status}}', id]);
  return {
    service,
    account: Number(value('Uid')),
    effectiveCapabilities: value('CapEff'),
    boundingCapabilities: value('CapBnd'),
    noNewPrivileges: value('NoNewPrivs') === '1',
    filtered: value('Seccomp') === '2',
    readOnly: stderr.includes('Read-only file system'),
    health: health.trim(),
  };
}

/** Stops a container as `docker compose stop` does, by its own signal. */
export async function stopContainer(engine: Engine, id: string): Promise<StopFacts> {
  const begun = performance.now();
  await engine.expectDocker(['stop', '--time', '20', id]);
  const seconds = (performance.now() - begun) / 1000;
  const exitCode = await engine.expectDocker(['inspect', '--format', '{{.State.ExitCode}}', id]);
  return { seconds, exitCode: Number(exitCode) };
}

/** Returns the size of an image, in MB. */
export async function sizeOf(engine: Engine, image: string): Promise<number> {
  const bytes = await engine.expectDocker(['image', 'inspect', '--format', '{{.Size}}', image]);
  return Number(bytes) / 1e6;
}
