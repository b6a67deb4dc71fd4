import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { apiDiff, type Diff } from 'api-smart-diff';

const OPENAPI = 'services/api/generated/openapi.json';

/** Returns the changes that break a client of the released OpenAPI document, one a line: `remove paths./healthz.get`. */
export function breakingChanges(released: object, current: object): string[] {
  const changes = apiDiff(released, current).filter(breaks);
  return changes.map(({ action, path }) => `${action} ${path.join('.')}`);
}

/**
 * Adds two rules to the rules of the package. A field of an answer must keep its type. A request field must not disappear, because
 * the API refuses unknown fields.
 */
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

/**
 * Compares openapi.json with the document of the last release, which is the newest tag `v…`. Fails for a breaking change if the
 * version stays in the same compatible line.
 */
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
