import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../stack/docker-files';
import type { Engine } from './engine';
import type { Output } from './run-command';

/** The account of tourctl, which is not root and which no image knows. */
export const OPERATOR = 4321;

/** A copy of the checkout with a docker/.env, as an operator has it. Its files are used as they are. */
export interface Installation {
  /** The folder docker/files, in which tourctl reads and writes. */
  files: string;
  /** Runs `docker compose -f docker/compose.yaml …`, which must succeed. @returns its standard output */
  compose(...args: string[]): Promise<string>;
  /** Gives the following commands other containers and an empty database. */
  rename(project: string): void;
  /** Runs `docker compose run --rm tourctl …`. */
  tourctl(args: string[], input?: string): Promise<Output>;
}

/** @param composeFiles names in docker/ @param folder an empty folder */
export function makeInstallation(engine: Engine, folder: string, composeFiles: string[]): Installation {
  copyCheckout(folder);
  writeEnvironment(folder);
  const files = path.join(folder, 'docker/files');
  chownSync(files, OPERATOR, OPERATOR);
  const named = composeFiles.flatMap((file) => ['-f', `docker/${file}`]);
  const command = ['compose', '--progress', 'quiet', ...named];
  return {
    files,
    rename: (project) =>
      appendFileSync(path.join(folder, 'docker/.env'), `COMPOSE_PROJECT_NAME=${project}\n`),
    compose: (...args) => engine.expectDocker([...command, ...args], { cwd: folder }),
    tourctl: (args, input) =>
      engine.docker([...command, 'run', '--rm', '-T', 'tourctl', ...args], { cwd: folder, input }),
  };
}

/** Copies the files that the images are built from, and docker/ without an operator's own files. */
function copyCheckout(folder: string): void {
  const rules = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const sources = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  for (const source of [...sources, '.dockerignore'])
    cpSync(path.join(ROOT, source), path.join(folder, source), { recursive: true });
  const isShipped = (source: string) => !/docker\/(\.env|files\/.+)$/.test(source);
  cpSync(path.join(ROOT, 'docker'), path.join(folder, 'docker'), { recursive: true, filter: isShipped });
  mkdirSync(path.join(folder, 'docker/files'), { recursive: true });
}

/** Fills in docker/.env.example: a random secret for each empty value. */
function writeEnvironment(folder: string): void {
  const given: Record<string, string> = {
    TOURCTL_USER: `${OPERATOR}:${OPERATOR}`,
    PUBLIC_BASE_URL: 'https://api.example.com',
  };
  const example = readFileSync(path.join(folder, 'docker/.env.example'), 'utf8');
  const filled = example.replace(/^(\w+)=$/gm, (_, name: string) => {
    return `${name}=${given[name] ?? randomBytes(32).toString('hex')}`;
  });
  writeFileSync(path.join(folder, 'docker/.env'), filled, { mode: 0o600 });
}
