import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isListening } from '../support/free-ports';
import { type Child, startChild, untilReady } from './child';

const SOURCES = path.resolve(__dirname, '../../docker/nginx');

export interface ProxyPorts {
  proxy: number;
  monitor: number;
  /** Ports of the instances. */
  apis: number[];
  queues: number[];
}

/** Starts nginx with the rules of docker/nginx, and with local ports and addresses. */
export async function startNginx(dir: string, ports: ProxyPorts): Promise<Child> {
  mkdirSync(dir, { recursive: true });
  cpSync(SOURCES, dir, { recursive: true });
  writeFileSync(path.join(dir, 'nginx.conf'), mainFile(ports));
  writeFileSync(path.join(dir, 'upstreams.conf'), upstreams(ports));
  const child = startChild({
    name: 'nginx',
    program: 'nginx',
    cwd: dir,
    args: ['-p', dir, '-c', path.join(dir, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin' },
    logFile: path.join(dir, 'nginx.log'),
  });
  await untilReady(child, 'nginx', () => isListening(ports.proxy));
  return child;
}

/** Returns nginx.conf with other ports. */
function mainFile({ proxy, monitor }: ProxyPorts): string {
  const main = readFileSync(path.join(SOURCES, 'nginx.conf'), 'utf8');
  return main
    .replace('listen 8080;', `listen 127.0.0.1:${proxy};`)
    .replace('listen 8081;', `listen 127.0.0.1:${monitor};`);
}

/** Returns upstreams.conf with IP addresses. */
function upstreams({ apis, queues }: ProxyPorts): string {
  const servers = (ports: number[], settings: string) =>
    ports.map((port) => `server 127.0.0.1:${port} ${settings};`).join('\n');
  return readFileSync(path.join(SOURCES, 'upstreams.conf'), 'utf8')
    .replace(/^resolver .*$/m, '')
    .replace(/(server api-\d:\d+ resolve ([^;]+);\s*)+/, (_, __, settings: string) => servers(apis, settings))
    .replace(/(server queue-\d:\d+ resolve ([^;]+);\s*)+/, (_, __, settings: string) =>
      servers(queues, settings),
    );
}
