import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { useTestTerminal } from '../cli/terminal';
import { useTemporaryFolder } from '../support/temporary-folder';
import { type CodeBlock, codeBlocks, inlineCode, pages } from './code-blocks';

const ROOT = path.resolve(__dirname, '../..');

/** How code is tried: a test runs it, or a reason says why none does. */
interface Run {
  by: string;
}
type Trial = Run | { untried: string };
/** A test that runs all blocks of a page, or the trials by section: one for all its blocks, or one for each block in order. */
type Trials = Run | Record<string, Trial | Trial[]>;

const by = (test: string): Run => ({ by: `test/${test}` });
const untried = (reason: string): Trial => ({ untried: reason });

const DOCKER = untried('it needs a Docker engine: test/containers runs such commands of both setups');
const KUBERNETES = untried(
  'it needs a cluster and a registry: test/stack/kubernetes checks the manifests and Secrets',
);
const NAMES = untried('it has ids, names or files of the reader');
const SQL = by('docs/sql.long.test.ts');
const OWN = by('docs/own-postgresql.long.test.ts');

/** The trials by page. A block of a page or section that is not here fails. */
const TRIALS: Record<string, Trials> = {
  'back-up-and-restore.md': {
    'Back up': [NAMES, DOCKER],
    'Every night': OWN,
    Restore: [NAMES, OWN, DOCKER],
    'Lose seconds, not hours': OWN,
  },
  'enter-a-tour.md': by('docs/guide-tour.long.test.ts'),
  'examples/node-tenant/README.md': { 'Start it': NAMES },
  'failover.md': {
    'Set it up': DOCKER,
    'From a single server': DOCKER,
    'Strict or not': DOCKER,
    'Planned switchover': DOCKER,
  },
  'people.md': { 'Add a person': NAMES },
  'guide/first-booking.md': by('docs/guide-booking.long.test.ts'),
  'guide/octo.md': by('docs/guide-octo.long.test.ts'),
  'guide/proxy.md': {
    'Before a newsletter': NAMES,
    'In another language': by('client/proxy-cases.long.test.ts'),
  },
  'guide/sell-on-your-page.md': by('docs/guide-sell.long.test.ts'),
  'guide/selling.md': by('docs/guide-booking.long.test.ts'),
  'guide/webhooks.md': by('docs/guide-webhooks.long.test.ts'),
  'resources.md': { 'One guide': NAMES, 'Three buses': NAMES, 'A room': NAMES },
  'guide/widget.md': by('docs/guide-widget.long.test.ts'),
  'install.md': {
    'On a laptop': untried('test/smoke runs npm start, and .ci/run runs npm ci'),
    'On one server with Docker': DOCKER,
    'On one server with an own PostgreSQL': OWN,
  },
  'keys.md': { 'Issue, rotate, revoke': NAMES, 'A key has leaked': NAMES },
  'operators-day.md': by('docs/guide-day.long.test.ts'),
  'restore-to-a-time.md': { Archive: DOCKER, Restore: DOCKER },
  'run-many.md': {
    Kubernetes: KUBERNETES,
    'A PostgreSQL of your own': [SQL],
  },
  'tenants.md': {
    'The catalog from a spreadsheet': by('docs/guide-spreadsheet.long.test.ts'),
    'The first tenant': NAMES,
    Looks: by('docs/guide-looks.long.test.ts'),
    'Sell in one currency': NAMES,
    'A reseller over OCTO': by('docs/guide-octo.long.test.ts'),
    Webhooks: by('docs/guide-testing.long.test.ts'),
  },
  'terminal.md': {
    Scripts: NAMES,
  },
  'upgrade.md': {
    Kubernetes: KUBERNETES,
    'One server': DOCKER,
    'An update that is not rolling': by('cli/migrate-prices.long.test.ts'),
  },
  'watching.md': {
    'Without Prometheus': OWN,
    'Healthy values': [SQL],
    Traces: untried('it installs packages: test/stack/traces.long.test.ts sets the same variables'),
    'When connections are waited for': [SQL],
    'When credentials are guessed': [SQL],
    'When vacuum is held back': [SQL],
  },
};

const FOLDER = useTemporaryFolder();
const blocks = codeBlocks();

function isRun(trials: Trials): trials is Run {
  return typeof trials.by === 'string';
}

/** Returns the trial of a block; undefined if the block is not listed. */
function trialOf(block: CodeBlock): Trial | undefined {
  const trials = TRIALS[block.page];
  if (trials === undefined || isRun(trials)) return trials;
  const found = trials[block.section];
  if (!Array.isArray(found)) return found;
  const together = blocks.filter(({ page, section }) => page === block.page && section === block.section);
  return together.length === found.length ? found[together.indexOf(block)] : undefined;
}

/** A person is asked for what is missing, and has the files. */
const ASKED = /No terminal to ask on|is missing|must be a file that exists/;

/** Names of commands without flags are checked by operator-pages.test.ts. */
const WITH_FLAGS = /^tourctl .*--\w/;

/**
 * Returns the blocks of a page that no test runs, as one script, because a later block uses variables of an earlier one; then the commands
 * in its sentences.
 */
function untriedCode(page: string): string {
  const shown = blocks.filter((block) => {
    const trial = trialOf(block);
    return block.page === page && trial !== undefined && 'untried' in trial;
  });
  const inSentences = inlineCode(WITH_FLAGS).filter((one) => one.page === page);
  return [...shown, ...inSentences].map(({ code }) => code).join('\n');
}

const SOME_ID = '00000000-0000-4000-8000-000000000000';

/** Runs a script in a folder without any program. @returns the programs that it calls, with their parameters */
function callsOf(code: string): string[][] {
  const cwd = mkdtempSync(path.join(FOLDER, 'block-'));
  const script = [
    String.raw`command_not_found_handle() { printf '%s\0' "$@" '' >> "$CALLS"; }`,
    // The reader's files do not exist here, and `<id>` stands for a value.
    code
      .replaceAll(/ < \S+/g, '')
      .replaceAll('<id>', SOME_ID)
      .replaceAll(/<[a-z]+>/g, 'value'),
  ];
  const env = { PATH: '/nonexistent', HOME: cwd, CALLS: path.join(cwd, 'calls') };
  execFileSync('/bin/bash', ['--norc', '-c', `${script.join('\n')}\ntrue`], { cwd, env, stdio: 'pipe' });
  const calls = existsSync(env.CALLS) ? readFileSync(env.CALLS, 'utf8') : '';
  return calls
    .split('\0\0')
    .map((call) => call.split('\0'))
    .filter(([program]) => program !== '');
}

/** Returns the parameters of `tourctl` in a call, also inside a container or as another account. */
function parametersOf(call: string[]): string[] | undefined {
  const at = call.lastIndexOf('tourctl');
  const isCalled = at === 0 || call[at - 1] === '--' || call.includes('run');
  return at !== -1 && isCalled ? call.slice(at + 1) : undefined;
}

describe('code of docs/ to paste', () => {
  it('a test runs every block, or the list of this test says why none does', () => {
    const unlisted = blocks.filter((block) => trialOf(block) === undefined);
    expect(unlisted.map(({ page, section, code }) => `${page}, ${section}: ${code}`)).toEqual([]);
  });

  it('the list names only pages and sections that have such a block', () => {
    const named = Object.entries(TRIALS).flatMap(([page, trials]) =>
      isRun(trials) ? [page] : Object.keys(trials).map((section) => `${page} ${section}`),
    );
    const found = new Set(blocks.flatMap(({ page, section }) => [page, `${page} ${section}`]));
    expect(named.filter((one) => !found.has(one))).toEqual([]);
  });

  it('each test of the list exists, and reads the page', () => {
    const wrong = blocks.filter((block) => {
      const trial = trialOf(block);
      if (trial === undefined || !('by' in trial)) return false;
      const name = path.basename(block.page, '.md');
      const source = readFileSync(path.join(ROOT, trial.by), 'utf8');
      // A test may also take the blocks of all pages.
      return !source.includes(name) && !source.includes('codeBlocks()');
    });
    expect(wrong.map(({ page, section }) => `${page} ${section}`)).toEqual([]);
  });

  it.each(blocks.filter(({ language }) => language === 'sh'))(
    'bash can parse the code of $page, $section',
    ({ code }) => {
      expect(() => execFileSync('bash', ['-n', '-c', code], { stdio: 'pipe' })).not.toThrow();
    },
  );
});

describe('the commands of docs/ that no test runs', () => {
  const terminal = useTestTerminal({ DATA_DIR: path.join(FOLDER, 'data') });
  const commands = pages().flatMap((page) =>
    callsOf(untriedCode(page)).flatMap((call) => {
      const parameters = parametersOf(call);
      return parameters === undefined ? [] : [{ page, line: parameters.join(' '), parameters }];
    }),
  );
  const workingDirectory = process.cwd();
  beforeAll(() => process.chdir(FOLDER));
  afterAll(() => process.chdir(workingDirectory));

  it('the pages have such commands', () => expect(commands.length).toBeGreaterThan(30));

  it.each(commands)('the terminal accepts "$line" of $page', async ({ parameters }) => {
    const { code, stderr } = await terminal.tourctl(parameters, 'text of the reader');
    const isRefused = code === 2 && !ASKED.test(stderr);
    expect({ isRefused, stderr }).toMatchObject({ isRefused: false });
  });
});
