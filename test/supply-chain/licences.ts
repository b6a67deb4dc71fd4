import { clientPackages, type LockedPackage, productionPackages } from './locked-packages';

/** Licences that allow use, change and sale, and require only that the notice is kept. `MIT/X11` is how the package `nub` writes MIT. */
const ALLOWED = new Set([
  'MIT',
  'MIT/X11',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'PostgreSQL',
]);

/** Returns a line for each package whose licence is missing or not allowed. */
export function licenceIssues(packages: LockedPackage[]): string[] {
  return packages
    .filter(({ license }) => !license || !ALLOWED.has(license))
    .map(({ name, version, license }) => `${name}@${version}: ${license ?? 'no licence'}`);
}

function main(): void {
  const issues = licenceIssues([...productionPackages(), ...clientPackages()]);
  if (issues.length === 0) return;
  process.stderr.write(
    `Replace these packages, or allow their licences in test/supply-chain/licences.ts:\n${issues.join('\n')}\n`,
  );
  process.exitCode = 1;
}

if (require.main === module) main();
