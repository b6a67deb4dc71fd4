import { spawnSync } from 'node:child_process';
import { isInstalled } from './describe-with';

/** A program outside npm. */
export interface SystemPackage {
  /** The name of its apt package. */
  name: string;
  installed(): boolean;
}

/**
 * Installs the missing packages by apt, as root.
 * @returns the line that names the command, if a package is still missing; otherwise undefined
 */
export function installMissing(packages: SystemPackage[]): string | undefined {
  const missing = () => packages.filter(({ installed }) => !installed()).map(({ name }) => name);
  if (missing().length > 0 && process.geteuid?.() === 0 && isInstalled('apt-get')) {
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', ...missing());
  }
  const left = missing().join(' ');
  return left === ''
    ? undefined
    : `Not installed: ${left}. Run: sudo apt-get install --no-install-recommends ${left}`;
}

function apt(...args: string[]): void {
  spawnSync('apt-get', args, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
