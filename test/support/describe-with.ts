import { accessSync, appendFileSync, constants } from 'node:fs';
import path from 'node:path';

/** The variable with the path of the file that lists skipped suites. global-teardown.ts prints them. */
export const LEFT_OUT = 'TEST_LEFT_OUT';

/**
 * Declares a suite that needs a program outside npm. The apt package has the same name as the program. Without the program, the
 * suite is skipped, and the end of the run names the program; on CI the suite fails, unless apt has no such program.
 * @param installed for a package whose programs are not on the path
 */
export function describeWith(
  program: string,
  title: string,
  suite: () => void,
  installed = isInstalled(program),
): void {
  if (installed) {
    describe(title, suite);
  } else if (process.env.CI === 'true' && !NOT_IN_APT.includes(program)) {
    describe(title, () => {
      it(`has ${program}`, () => {
        throw new Error(`${program} is not installed: add it to APT_PACKAGES in .ci/run`);
      });
    });
  } else {
    const file = process.env[LEFT_OUT];
    if (file) appendFileSync(file, `${program}\t${title}\n`);
    describe.skip(`${title} (left out: ${program} is not installed)`, suite);
  }
}

/** Debian's kubectl has a kustomize that is too old for the manifests, so .ci/run cannot install it. */
const NOT_IN_APT = ['kubectl'];

/**
 * Declares a suite that some machines cannot run. Where there is a reason, also on CI, the suite is skipped, and the end of the run
 * has the reason.
 */
export function describeUnless(reason: string | undefined, title: string, suite: () => void): void {
  if (reason === undefined) return describe(title, suite);
  const file = process.env[LEFT_OUT];
  if (file) appendFileSync(file, `${title}, because ${reason.replace(/\s+/g, ' ')}\n`);
  describe.skip(`${title} (left out: ${reason})`, suite);
}

/** apt installs servers here. Only root has these directories on the path. */
const OF_SERVERS = ['/usr/local/sbin', '/usr/sbin'];

export function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...OF_SERVERS];
  return folders.some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param written the file that both functions write @returns a line for each program and reason, or an empty text */
export function describeLeftOut(written: string): string {
  const suites = new Map<string, Set<string>>();
  const reasons: string[] = [];
  for (const line of written.split('\n').filter(Boolean)) {
    const [program, title] = line.split('\t') as [string, string?];
    if (title === undefined) reasons.push(`Left out: ${line}\n`);
    else suites.set(program, (suites.get(program) ?? new Set()).add(title));
  }
  const programs = [...suites].map(
    ([program, titles]) =>
      `Left out, as ${program} is not installed: ${[...titles].join('; ')}. To run them: ${remedyOf(program)}\n`,
  );
  return [...programs, ...reasons].join('');
}

/** An npm package that a suite installs by itself has a scope. */
function remedyOf(program: string): string {
  if (NOT_IN_APT.includes(program)) return `install ${program}`;
  return program.startsWith('@') ? 'let npm reach its registry' : `apt-get install ${program}`;
}
