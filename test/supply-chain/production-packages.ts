import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface LockedPackage {
  name: string;
  version: string;
  license?: string;
}

const ROOT = path.resolve(__dirname, '../..');

/** Returns the packages that production installs on any platform, with the licences that package-lock.json has for them. */
export function productionPackages(): LockedPackage[] {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; license?: string; dev?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([place, { dev }]) => place !== '' && !dev)
    .map(([place, { version, license }]) => ({
      name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      ...(license && { license }),
    }));
}
