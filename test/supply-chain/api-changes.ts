import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { apiDiff, type Diff } from 'api-smart-diff';

const OPENAPI = 'services/api/generated/openapi.json';

/** Returns the changes of an OpenAPI document that break a client of the old one, one a line: `remove paths./healthz.get`. */
export function breakingChanges(released: object, current: object): string[] {
  const changes = apiDiff(released, current).filter(breaks);
  return changes.map(({ action, path }) => `${action} ${path.join('.')}`);
}

/** Adds two rules to those of the package: an answer keeps the type of a field, and a request that names an unknown field is refused. */
function breaks({ type, action, path }: Diff): boolean {
  // A schema is compared wherever an operation uses it, as a request or as an answer.
  if (path[0] !== 'paths') return false;
  const [parent, name] = path.slice(-2);
  if (path.includes('responses') && (name === 'type' || name === 'nullable') && parent !== 'properties')
    return true;
  if (path.includes('requestBody') && parent === 'properties' && action === 'remove') return true;
  return type === 'breaking';
}

/** Returns the part of a version that a breaking change must raise: 1 of 1.4.2, and 0.3 of 0.3.1. */
export function compatibleLine(version: string): string {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : major!;
}

/** Compares openapi.json with that of the last release, the newest tag `v…`, and fails for a breaking change in the same line of versions. */
function main(): void {
  const { stdout: tag } = spawnSync('git', ['describe', '--tags', '--match=v*', '--abbrev=0'], {
    encoding: 'utf8',
  });
  if (!tag) return say('No release has a tag in this clone, so there is nothing to compare with.');
  const release = tag.trim();
  const released = execFileSync('git', ['show', `${release}:${OPENAPI}`], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const current = JSON.parse(readFileSync(OPENAPI, 'utf8')) as object;
  const changes = breakingChanges(JSON.parse(released) as object, current);
  for (const change of changes) say(change);
  if (changes.length === 0) return say(`No change since ${release} breaks a client.`);
  if (compatibleLine(version) !== compatibleLine(release.slice(1)))
    return say(`Version ${version} may break clients of ${release}: list the changes in CHANGELOG.md.`);
  say(
    `These changes break clients of ${release}. Undo them, or raise the version first (CONTRIBUTING, "A release").`,
  );
  process.exitCode = 1;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

if (require.main === module) main();
