import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePorts } from '../support/free-ports';

export const FRAMEWORKS = ['express', 'fastify', 'node:http'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface BareServer {
  framework: Framework;
  url: string;
  pid: number;
}

/**
 * Starts a server of each framework for `work`. It answers a GET with the body that the path names.
 * @param directory gets a file with the bodies
 */
export async function withBareServers<T>(
  directory: string,
  bodies: Record<string, unknown>,
  work: (servers: BareServer[]) => Promise<T>,
): Promise<T> {
  const file = path.join(directory, 'bodies.json');
  writeFileSync(file, JSON.stringify(bodies));
  const servers = await Promise.all(FRAMEWORKS.map((framework) => startBare(framework, file)));
  try {
    return await work(servers);
  } finally {
    for (const { stop } of servers) stop();
  }
}

async function startBare(framework: Framework, file: string): Promise<BareServer & { stop(): void }> {
  const [port] = await freePorts();
  const child = fork(path.join(__dirname, 'bare-server.cjs'), [framework, file, `${port}`], { execArgv: [] });
  await once(child, 'message');
  return { framework, url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => child.disconnect() };
}
