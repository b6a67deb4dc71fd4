import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { examplesOf, isOnDatabase, type Noun, type Verb } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runOnce } from './run-once';

const folder = useTemporaryFolder();
const missing = path.join(folder, 'missing');

const on = (line: string | string[], dataDir = missing, stdin?: string) =>
  runOnce(line, { env: { DATA_DIR: dataDir }, stdin });

const opensDatabase = (verb: Verb) => isOnDatabase(verb) && !verb.creates;
/** Command lines to run instead of the first example of a verb, if the example would ask a question or needs a file that does not exist. */
const LINE_OF: Record<string, string> = {
  'tenant onboard': 'tenant onboard --slug acme --name Acme',
  'catalog import tours.json --dry-run': 'catalog import docs/examples/tours.json',
  'catalog check tours.json': 'catalog check docs/examples/tours.json',
  'booking import bookings.csv --tenant acme --dry-run':
    'booking import test/fixtures/move-in/counts.csv --tenant acme --dry-run',
  'rates import eurofxref-daily.xml': 'rates import package.json',
};
const lineOf = (verb: Verb, noun?: Noun) => {
  const example = examplesOf(verb, noun)[0]!;
  return LINE_OF[example] ?? example;
};

/** A line for each verb that opens the database and may not create it. */
const LINES = [
  ...VERBS.map(({ verb }) => verb)
    .filter(opensDatabase)
    .map((verb) => lineOf(verb)),
  ...NOUNS.flatMap((noun) => noun.verbs.filter(opensDatabase).map((verb) => lineOf(verb, noun))),
  'doctor',
  'key issue acme --scope catalog:read',
];

/** Splits a command line at spaces outside quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

describe('a command on a DATA_DIR without an installation', () => {
  it.each(LINES)(
    'a command on a DATA_DIR without an installation exits with 1 and creates nothing: %s',
    async (line) => {
      const { code, stdout, error } = await on([...wordsOf(line), '--json', '--yes']);
      expect([code, stdout, error]).toEqual([
        1,
        '',
        {
          code: 'no_installation',
          message: expect.stringContaining(
            `No installation in ${missing}. Set DATA_DIR or DATABASE_URL, or cd to`,
          ),
        },
      ]);
      expect(existsSync(missing)).toBe(false);
    },
  );

  it('a command outside the folder of the installation names that folder if its .env has the settings', async () => {
    const root = path.join(folder, 'tours');
    mkdirSync(root);
    writeFileSync(path.join(root, '.env'), '');
    writeFileSync(path.join(root, 'package.json'), '{"version": "1.0.0"}');
    const messageIn = async (cwd: string) => {
      const surroundings = { env: {}, root, envFile: path.join(cwd, '.env') };
      return (await runOnce('status --json', surroundings)).error.message;
    };
    const where = `No installation in ${root}/.data. `;
    const create = `. To create one in ${root}/.data: tourctl up`;
    expect(await messageIn(folder)).toBe(
      `${where}The settings are in ${root}/.env: cd ${root} first${create}`,
    );
    expect(await messageIn(root)).toBe(
      `${where}Set DATA_DIR or DATABASE_URL, or cd to the folder whose .env sets one of them${create}`,
    );
  });

  it('a command refuses a DATA_DIR with only the remains of a killed start', async () => {
    const killed = path.join(folder, 'killed');
    mkdirSync(path.join(killed, 'pg18.new-0a1b2c3d'), { recursive: true });
    mkdirSync(path.join(killed, 'pg18'));
    expect((await on('status --json', killed)).error.code).toBe('no_installation');
    expect(readdirSync(killed).sort()).toEqual(['pg18', 'pg18.new-0a1b2c3d']);
  });

  it('the error of a command names a database of another PostgreSQL release in DATA_DIR', async () => {
    const other = path.join(folder, 'other');
    mkdirSync(path.join(other, 'pg17', 'base'), { recursive: true });
    expect((await on('status --json', other)).error).toMatchObject({
      code: 'embedded_database_failed',
      message: expect.stringContaining('holds a database of PostgreSQL 17'),
    });
  });

  it.each([
    ['logs --json', 1, 'no_logs'],
    ['config list --json', 0, undefined],
    ['config check --json', 0, undefined],
    ['key inspect --offline --json', 0, undefined],
    ['completion names -- tenant show a', 0, undefined],
  ])('a command that needs no installation creates nothing: %s', async (line, code, refusal) => {
    const answer = await on(line, missing, 'svc_live_x');
    expect([answer.code, answer.stderr && answer.error.code]).toEqual([code, refusal ?? '']);
    expect(existsSync(missing)).toBe(false);
  });
});
