import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { runSuccessfully } from './run-command';

/**
 * Keeps Debian's base systems, the engine's programs and its images from one run to the next. A run on an empty folder takes about two
 * minutes more. Delete the folder to get newer packages.
 */
export const CACHE = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'tour-platform-containers',
);

/** Debian's releases that the base images are built from. The second has PostgreSQL 18, nginx with `resolve`, and the engine. */
export const RELEASES = ['bookworm', 'forky'] as const;
/** The programs of these packages run outside of their release. `runc` does not: the machine's own is used. */
const ENGINE_PACKAGES = [
  'docker.io',
  'docker-cli',
  'docker-compose',
  'docker-buildx',
  'containerd',
  'tini-static',
];
const NEWER = 'forky';
/**
 * A machine whose clock is ahead would take the package lists of a release in the making for expired. The images of Debian keep no
 * cache of apt either.
 */
const APT_SETTINGS = `
Acquire::Check-Valid-Until "false";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`;

/** Returns the folder with the root file system of a Debian release, with apt and BusyBox. Creates it once. */
export async function rootOf(release: string): Promise<string> {
  return createOnce(path.join(CACHE, 'roots', release), async (folder) => {
    const script = existsSync(`/usr/share/debootstrap/scripts/${release}`) ? release : 'sid';
    const packages = '--include=busybox,ca-certificates';
    // The empty argument is debootstrap's default mirror.
    await runSuccessfully('debootstrap', ['--variant=minbase', packages, release, folder, '', script]);
    await writeFile(path.join(folder, 'etc/apt/apt.conf.d/99image'), APT_SETTINGS);
  });
}

/** The engine's programs: `bin` for the path, and `config` for DOCKER_CONFIG, which has Compose and Buildx. */
export interface EnginePrograms {
  bin: string;
  config: string;
}

/** Unpacks the packages of the engine once. Nothing is installed on the machine. */
export async function enginePrograms(): Promise<EnginePrograms> {
  const root = await rootOf(NEWER);
  const folder = await createOnce(path.join(CACHE, 'engine'), async (unpacked) => {
    const packages = await mkdtemp(path.join(root, 'tmp/packages-'));
    const inRoot = (args: string[]) => runSuccessfully('chroot', [root, ...args]);
    await inRoot(['apt-get', 'update', '-qq']);
    const download = 'cd "$0" && exec apt-get download -qq "$@"';
    await inRoot(['sh', '-c', download, path.join('/tmp', path.basename(packages)), ...ENGINE_PACKAGES]);
    for (const file of await readdir(packages))
      await runSuccessfully('dpkg-deb', ['-x', path.join(packages, file), unpacked]);
    await rm(packages, { recursive: true });
    await mkdir(path.join(unpacked, 'config/cli-plugins'), { recursive: true });
    for (const plugin of ['docker-compose', 'docker-buildx'])
      await symlink(
        `../../usr/libexec/docker/cli-plugins/${plugin}`,
        path.join(unpacked, 'config/cli-plugins', plugin),
      );
  });
  const bin = [path.join(folder, 'usr/sbin'), path.join(folder, 'usr/bin')].join(path.delimiter);
  return { bin, config: path.join(folder, 'config') };
}

/** Fills a folder once: an interrupted or failed attempt leaves nothing. @returns the folder */
async function createOnce(folder: string, fill: (unfinished: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await fill(unfinished);
  await rename(unfinished, folder);
  return folder;
}
