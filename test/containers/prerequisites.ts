import { spawnSync } from 'node:child_process';
import { isInstalled } from '../support/describe-with';

/** Programs of the machine that the engine needs, and their packages. */
const PACKAGES: Record<string, string> = {
  debootstrap: 'debootstrap',
  'dpkg-deb': 'dpkg',
  flock: 'util-linux',
  ip: 'iproute2',
  iptables: 'iptables',
  mount: 'mount',
  runc: 'runc',
  setpriv: 'util-linux',
  slirp4netns: 'slirp4netns',
  unshare: 'util-linux',
};

/** Returns the packages that are missing. */
function missingPackages(): string[] {
  const missing = Object.entries(PACKAGES).filter(([program]) => !isInstalled(program));
  return [...new Set(missing.map(([, name]) => name))];
}

/** Installs missing packages, where apt-get is there and this process is root. */
export function installMissing(): void {
  const packages = missingPackages();
  if (packages.length === 0 || process.getuid?.() !== 0 || !isInstalled('apt-get')) return;
  const apt = (...args: string[]) => spawnSync('apt-get', args, { stdio: 'inherit' });
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
}

/** Returns why no Docker engine can be started here, and the next step; nothing if one can be. */
export function whyNoEngine(): string | undefined {
  if (process.platform !== 'linux') return 'a Docker engine needs Linux';
  if (process.getuid?.() !== 0) return 'a Docker engine needs root: run it as root';
  const packages = missingPackages();
  if (packages.length > 0) return `programs are missing: apt-get install ${packages.join(' ')}`;
  const probe = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return probe.status === 0
    ? undefined
    : `this machine lets no process create namespaces: ${probe.stderr.trim()}`;
}
