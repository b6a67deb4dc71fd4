import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEnvFile } from '../../services/platform/config/config';
import { type Child, killChildren, startChild, untilReady } from '../stack/child';
import { createDebianPostgres, type DebianPostgres } from '../support/debian-postgres';
import { freePorts } from '../support/free-ports';
import { runProgram, type Outcome } from './guide';
import { readUnit, type Unit } from './systemd-units';

const ROOT = path.resolve(__dirname, '../..');
const SECOND = /^sudo systemctl (.*)$/;

/** Runs the commands of docs/ for a Debian server in a folder of its own, as the account of the test. */
export interface DebianServer {
  postgres: DebianPostgres;
  /** The address of the API. */
  api: string;
  /** The folders `opt`, `units`, `var` and `backups`. */
  folder: string;
  /** The names of the units that start with the machine. */
  enabled: Set<string>;
  /** Runs a block. `sudo systemctl` acts on the units in `folder`. @returns its output @throws Error if a command fails */
  run(block: string): Promise<string>;
  /** Runs one command of a crontab with sh. */
  runCron(command: string): Promise<Outcome>;
  /** Runs the commands of a oneshot unit until one fails. @returns the outcome of the last one */
  runUnit(name: string): Promise<Outcome>;
  startUnits(names: Iterable<string>): Promise<void>;
  stopUnits(names: Iterable<string>): Promise<void>;
  remove(): Promise<void>;
}

export async function createDebianServer(): Promise<DebianServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-debian-'));
  const postgres = await createDebianPostgres(path.join(folder, 'postgres'));
  const [api, queue, metrics] = await freePorts();
  const opt = layOut(folder, postgres);
  const env = {
    PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
    API_PORT: `${api}`,
    WEBHOOK_QUEUE_PORT: `${queue}`,
    METRICS_PORT: `${metrics}`,
  };
  const placed = (text: string) =>
    text
      .replaceAll('/opt/tour-platform', opt)
      .replaceAll('/etc/systemd/system', path.join(folder, 'units'))
      .replaceAll('/var/lib/tour-platform', path.join(folder, 'var'))
      .replaceAll('/var/backups/tour-platform', path.join(folder, 'backups'))
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres.port}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${api}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${queue}`);
  const unit = (name: string) => readUnit(path.join(folder, 'units'), name, placed);
  const environmentOf = ({ environmentFile }: Unit) =>
    ({ ...readEnvFile(environmentFile), ...env }) as Record<string, string>;
  const running = new Map<string, Child>();

  const server: DebianServer = {
    postgres,
    api: `http://127.0.0.1:${api}`,
    folder,
    enabled: new Set(),
    async run(block) {
      let output = '';
      for (const part of block.split(/^(?=sudo systemctl )|(?<=^sudo systemctl .*\n)/m)) {
        const systemctl = SECOND.exec(part.trim())?.[1];
        if (systemctl === undefined) output += await runShell(placed(part));
        else await obey(systemctl);
      }
      return output;
    },
    runCron: (command) => runProgram('/bin/sh', ['-c', placed(command)], { cwd: '/', env }),
    async runUnit(name) {
      const found = unit(name);
      let outcome: Outcome = { code: null, stdout: '', stderr: `${name} has no commands` };
      for (const [program, ...parameters] of found.commands) {
        outcome = await runProgram(program!, parameters, {
          cwd: found.workingDirectory,
          env: environmentOf(found),
        });
        if (outcome.code !== 0) break;
      }
      return outcome;
    },
    async startUnits(names) {
      for (const name of names) {
        const found = unit(name);
        const [[program, ...args]] = found.commands as [[string, ...string[]]];
        const logFile = path.join(folder, `${name}.log`);
        const child = startChild({
          name,
          program,
          args,
          cwd: found.workingDirectory,
          env: environmentOf(found),
          logFile,
        });
        running.set(name, child);
      }
    },
    async stopUnits(names) {
      for (const name of names) expect(await running.get(name)!.stop()).toBe(0);
    },
    async remove() {
      await killChildren();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function runShell(script: string): Promise<string> {
    const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: opt,
      env,
    });
    if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stdout}${stderr}`);
    return stdout + stderr;
  }

  async function obey(line: string): Promise<void> {
    const [verb, ...names] = line
      .replace('--now ', '')
      .replace(/\s+#.*$/, '')
      .split(' ');
    if (verb === 'daemon-reload') return;
    if (verb === 'stop') return server.stopUnits(names);
    if (verb === 'enable') for (const name of names) server.enabled.add(name);
    for (const name of names) await activate(name);
  }

  /** Starts what a name means: nothing for a timer, the commands of a oneshot unit, or a service until it is ready. */
  async function activate(name: string): Promise<void> {
    if (name.endsWith('.timer')) return;
    if (unit(name).settings.get('Type') === 'oneshot') {
      expect(await server.runUnit(name)).toMatchObject({ code: 0 });
      return;
    }
    await server.startUnits([name]);
    const port = name === 'tour-platform-api' ? api : queue;
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    await untilReady(running.get(name)!, name, isReady);
  }

  return server;
}

/** Makes the folders of the server, and programs that replace those which would change this machine. @returns the folder of the clone */
function layOut(folder: string, { superuser }: DebianPostgres): string {
  for (const name of ['opt', 'units', 'var', 'bin']) mkdirSync(path.join(folder, name));
  const opt = path.join(folder, 'opt');
  for (const name of ['cli', 'dist', 'docs', 'migrations', 'node_modules', 'package.json'])
    symlinkSync(path.join(ROOT, name), path.join(opt, name));
  const asSuperuser = Object.entries(superuser).map(([name, value]) => `export ${name}=${value}`);
  const programs: Record<string, string> = {
    sudo: `if [ "$1" = -u ]; then user=$2; shift 2; fi
      if [ "\${user:-}" = postgres ]; then ${asSuperuser.join('; ')}; fi
      exec "$@"`,
    // The accounts of the page do not exist here.
    install:
      'args=(); while [ $# -gt 0 ]; do case $1 in -o|-g) shift 2;; *) args+=("$1"); shift;; esac; done; exec /usr/bin/install "${args[@]}"',
    tourctl: `exec '${process.execPath}' '${path.join(ROOT, 'cli/tourctl.js')}' "$@"`,
    'apt-get': 'exit 0',
    npm: 'exit 0',
    useradd: 'exit 0',
  };
  for (const [name, script] of Object.entries(programs))
    writeFileSync(path.join(folder, 'bin', name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return opt;
}

/** Returns the only line of a crontab that runs a command, as cron passes it to sh. */
export function cronCommand(block: string): { user: string; command: string } {
  const lines = [...block.matchAll(/^(?:\S+ ){5}(\S+) (.*)$/gm)];
  expect(lines).toHaveLength(1);
  const [, user, command] = lines[0]!;
  return { user: user!, command: command!.replaceAll('\\%', '%') };
}

export const UNITS = path.join(ROOT, 'docs/examples/systemd');
