import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isInstalled } from '../support/describe-with';

/** The release after the one of the machines that run the tests, and the server that it has. */
const RELEASE = 'trixie';
const MAJOR = '17';
const BIN = `usr/lib/postgresql/${MAJOR}/bin`;
const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Returns the reason why this machine cannot have the server of the next Debian. */
export function missingForNextDebian(): string | undefined {
  if (!isInstalled('apt-get') || !isInstalled('dpkg-deb') || !existsSync(KEYRING))
    return 'it has no apt with the keys of Debian';
  return process.arch === 'x64' ? undefined : `${process.arch} has other names of folders`;
}

/**
 * Unpacks the server of the next Debian and its libraries into a folder. Installs nothing on the machine.
 * @returns the folder of its programs
 */
export function unpackNextDebian(folder: string): string {
  const root = path.join(folder, 'root');
  const archives = download(folder);
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg-deb', ['-x', path.join(archives, file), root]);
  return wrapPrograms(folder, root);
}

/** Downloads the packages by an apt whose lists and settings are in the folder. @returns the folder of the packages */
function download(folder: string): string {
  for (const name of [
    'state/lists/partial',
    'cache/archives/partial',
    'etc/parts',
    'etc/preferences.d',
    'root',
  ])
    mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'state/status'), '');
  const sources = ['debian', 'debian-security'].map((archive) => {
    const suite = archive === 'debian' ? RELEASE : `${RELEASE}-security`;
    return `deb [signed-by=${KEYRING}] http://deb.debian.org/${archive} ${suite} main\n`;
  });
  writeFileSync(path.join(folder, 'etc/sources.list'), sources.join(''));
  const settings = {
    Dir: folder,
    'Dir::State::status': path.join(folder, 'state/status'),
    'Dir::State': 'state',
    'Dir::Cache': 'cache',
    'Dir::Etc': 'etc',
    'Dir::Etc::Parts': 'parts',
    'Dir::Etc::SourceParts': '-',
    'APT::Sandbox::User': '',
    // The clock of the machine may be ahead of the lists.
    'Acquire::Check-Valid-Until': 'false',
  };
  const config = path.join(folder, 'apt.conf');
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  const env = { ...process.env, APT_CONFIG: config };
  const get = (...args: string[]) => execFileSync('apt-get', ['-qq', '-y', ...args], { env, stdio: 'pipe' });
  get('update');
  get('--no-install-recommends', '--download-only', 'install', `postgresql-${MAJOR}`);
  return path.join(folder, 'cache/archives');
}

/** Writes scripts that start the programs with the libraries of their release, which are newer than those of this machine. */
function wrapPrograms(folder: string, root: string): string {
  const server = path.join(folder, 'server');
  const libraries = path.join(root, 'usr/lib/x86_64-linux-gnu');
  for (const name of [BIN, 'loader']) mkdirSync(path.join(server, name), { recursive: true });
  // The programs find these folders by their place beside that of the script.
  for (const name of ['usr/share', `usr/lib/postgresql/${MAJOR}/lib`])
    symlinkSync(path.join(root, name), path.join(server, name));
  for (const name of PROGRAMS) {
    // The process has the name of the link: a server is recognized by it.
    const loader = path.join(server, 'loader', name);
    symlinkSync(path.join(libraries, 'ld-linux-x86-64.so.2'), loader);
    const program = `--argv0 "$0" --library-path ${libraries} ${path.join(root, BIN, name)}`;
    const script = `#!/bin/sh\nexec ${loader} ${program} "$@"\n`;
    writeFileSync(path.join(server, BIN, name), script, { mode: 0o755 });
  }
  return path.join(server, BIN);
}
