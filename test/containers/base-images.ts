import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DOCKER, documentsOf, read } from '../stack/docker-files';
import type { Engine } from './engine';
import { CACHE, RELEASES, rootOf } from './programs';
import { runSuccessfully } from './run-command';

const STAND_INS = path.join(__dirname, 'stand-ins');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Returns the images that the Dockerfiles and compose files name, other than those they build. */
export function baseImages(): string[] {
  const folders = readdirSync(DOCKER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const dockerfiles = ['Dockerfile', ...folders.map(({ name }) => `${name}/Dockerfile`)];
  const built = dockerfiles
    .filter((file) => existsSync(path.join(DOCKER, file)))
    .flatMap((file) => [...read(file).matchAll(/^(?:FROM |ARG \w+_IMAGE=)([\w.-]+:[\w.-]+)/gm)])
    .map(([, image]) => image!);
  const composeFiles = readdirSync(DOCKER).filter((name) => /^compose.*[.]yaml$/.test(name));
  const run = composeFiles.flatMap((file) =>
    Object.values<{ image?: string }>(documentsOf(file)[0].services).flatMap(({ image }) => image ?? []),
  );
  const ours = (image: string) => image.startsWith('tour-platform');
  return [...new Set([...built, ...run])].filter((image) => !ours(image)).sort();
}

/**
 * Gives the engine every base image: from its registry, or where no registry answers, a stand-in from Debian under the same name.
 * @returns for each image the place that it comes from
 */
export async function provideBaseImages(engine: Engine): Promise<Map<string, string>> {
  const images = baseImages();
  const origins = new Map<string, string>();
  for (const image of images) {
    if ((await engine.docker(['pull', '--quiet', image])).code !== 0) break;
    origins.set(image, 'registry');
  }
  if (origins.size === images.length) return origins;
  await importDebian(engine);
  for (const image of images) {
    const file = standInOf(image);
    if (file) await buildStandIn(engine, image, file);
  }
  return new Map(images.map((image) => [image, 'stand-in from Debian']));
}

/** Imports the root file systems of Debian's releases as the images `debian:<release>-slim`, unless they are there. */
async function importDebian(engine: Engine): Promise<void> {
  for (const release of RELEASES) {
    const image = `debian:${release}-slim`;
    if ((await engine.docker(['image', 'inspect', image])).code === 0) continue;
    const root = await rootOf(release);
    const archive = path.join(CACHE, `${release}.tar`);
    const left = ['--exclude=./var/lib/apt/lists/*', '--exclude=./var/cache/apt/archives/*.deb'];
    await runSuccessfully('tar', ['-C', root, ...left, '-cf', archive, '.']);
    await engine.expectDocker(['import', archive, image]);
    await runSuccessfully('rm', [archive]);
  }
}

/** Returns the Dockerfile of an image's stand-in, which need not exist. A release of Debian has none. */
export function standInOf(image: string): string | undefined {
  const [name, tag] = image.split(':') as [string, string];
  const isRelease = name === 'debian' && RELEASES.some((release) => tag === `${release}-slim`);
  return isRelease ? undefined : path.join(STAND_INS, `${name}.Dockerfile`);
}

async function buildStandIn(engine: Engine, image: string, file: string): Promise<void> {
  const context = image.startsWith('node:') ? nodeContext() : STAND_INS;
  await engine.expectDocker(['build', '--quiet', '--tag', image, '--file', file, context]);
}

/** Makes the build context of the stand-in for Node: the programs that run this test, and the certificates that the machine trusts. */
function nodeContext(): string {
  const folder = path.join(CACHE, 'node');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(realpathSync(process.execPath), path.join(folder, 'node'));
  const npm = path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm');
  cpSync(npm, path.join(folder, 'npm'), { recursive: true, verbatimSymlinks: true });
  copyFileSync(CERTIFICATES, path.join(folder, 'ca-certificates.crt'));
  return folder;
}
