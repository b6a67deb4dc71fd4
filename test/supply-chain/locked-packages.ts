import { readFileSync } from 'node:fs';
import path from 'node:path';
import { dependencies as clientDependencies } from '../../clients/typescript/package.json';

export interface LockedPackage {
  name: string;
  version: string;
  license?: string;
}

interface LockEntry {
  version: string;
  license?: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
  hasInstallScript?: boolean;
}

const ROOT = path.resolve(__dirname, '../..');
const NODE_MODULES = 'node_modules/';

/** Returns the packages of package-lock.json with their names; a package occurs once for each place where it is installed. */
function lockedPackages(): [name: string, LockEntry][] {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]) => [place.slice(place.lastIndexOf(NODE_MODULES) + NODE_MODULES.length), entry]);
}

/** Returns the packages that production installs on any platform, with the licences that package-lock.json has for them. */
export function productionPackages(): LockedPackage[] {
  return lockedPackages()
    .filter(([, { dev }]) => !dev)
    .map(named);
}

/** Returns the packages that a tenant's server installs together with the client package. */
export function clientPackages(): LockedPackage[] {
  const locked = new Map(lockedPackages());
  const names = new Set(Object.keys(clientDependencies));
  // The set grows while it is read.
  for (const name of names)
    Object.keys(locked.get(name)?.dependencies ?? {}).forEach((one) => names.add(one));
  return [...names].map((name) => named([name, locked.get(name)!]));
}

function named([name, { version, license }]: [string, LockEntry]): LockedPackage {
  return { name, version, ...(license && { license }) };
}

/** Returns the sorted names of the packages that run a script when they are installed, on any platform. */
export function packagesWithInstallScript(): string[] {
  const names = lockedPackages()
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([name]) => name);
  return [...new Set(names)].sort();
}
