import { writeFileSync } from 'node:fs';
import { commandName, examplesOf, type Noun, type Verb } from '../../cli/engine/command';
import { arrangeCommandLine, createProgram } from '../../cli/program';
import { completeValues } from '../../cli/engine/complete-values';
import { createOutput } from '../../cli/terminal/output';
import { textWidth } from '../../cli/terminal/text';
import { NOUNS, VERBS } from '../../cli/tree';
import { useTemporaryFolder } from '../support/temporary-folder';
import { openIo, runOnce } from './run-once';

/** A database that does not answer. Help and the error of a wrong command line need no database. */
const ENV = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
  SECRETS_KEY: 's'.repeat(32),
  CURSOR_KEY: 'c'.repeat(32),
};

const commands: { name: string; verb: Verb; noun?: Noun }[] = [
  ...NOUNS.flatMap((noun) =>
    noun.verbs.map((verb) => ({ name: `${noun.name} ${commandName(verb)}`, verb, noun })),
  ),
  ...VERBS.map(({ verb }) => ({ name: commandName(verb), verb })),
];

const tourctl = (line: string, columns?: number) =>
  runOnce(line, { env: ENV, screen: columns === undefined ? undefined : { columns, colors: false } });

/** Splits the line like a shell, without redirections and pipes. */
function words(line: string): string[] {
  const [command = ''] = line.split(/ [|<>] /);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** Parses and checks a command line without running it. */
async function parseLine(line: string): Promise<Verb> {
  let found: Verb | undefined;
  const { io } = openIo({ env: ENV });
  const program = createProgram('0', createOutput(io, false), async (verb, given, noun) => {
    found = verb;
    // Without any flag the command asks for missing values.
    if (verb.flags?.some(({ must }) => must) && !line.includes(' --')) return;
    const { options, args } = await completeValues(verb, noun, given, undefined);
    verb.check?.(options as never, ...(args as never[]));
  });
  await program.parseAsync(arrangeCommandLine(words(line)), { from: 'user' });
  return found!;
}

describe('each command', () => {
  const here = process.cwd();
  const elsewhere = useTemporaryFolder();
  beforeAll(() => process.chdir(elsewhere));
  afterAll(() => process.chdir(here));

  it.each(commands)('the examples of a command are valid: $name', async ({ name, verb, noun }) => {
    const examples = examplesOf(verb, noun);
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      expect(`${example} `).toContain(`${name} `);
      // Files that commands read must exist when the line is parsed.
      for (const file of words(example).filter((word) => /\.(csv|jsonl?|xml)$/.test(word)))
        writeFileSync(file, '');
      expect(await parseLine(example)).toBe(verb);
    }
  });

  it.each(commands)(
    'the help of a command fits 80 columns and shows its examples and flags: $name',
    async ({ name, verb }) => {
      const { code, stdout } = await tourctl(`${name} --help`);
      expect(code).toBe(0);
      const lines = stdout.split('\n');
      expect(lines.filter((line) => textWidth(line) > 80)).toEqual([]);
      expect(lines[lines.indexOf('Examples:') + 1]).toContain(`tourctl ${name}`);
      for (const { flags } of verb.flags ?? []) expect(stdout).toContain(flags);
      expect(await tourctl(`help ${name}`)).toMatchObject({ code: 0, stdout });
    },
  );
});

describe('help', () => {
  it.each(['', 'help', '--help', ...NOUNS.map(({ name }) => `${name} --help`)])(
    'the help fits 80 columns in a pipe, and the screen of a terminal: tourctl %s',
    async (line) => {
      const widths = [
        { columns: undefined, atMost: 80 },
        { columns: 60, atMost: 60 },
        { columns: 200, atMost: 100 },
      ];
      for (const { columns, atMost } of widths) {
        const { code, stdout } = await tourctl(line, columns);
        expect(code).toBe(0);
        expect(Math.max(...stdout.split('\n').map(textWidth))).toBeLessThanOrEqual(atMost);
      }
    },
  );

  it('the help breaks a long example so that it still works when pasted', async () => {
    const { stdout } = await tourctl('webhook add --help');
    expect(stdout).toContain(
      '  tourctl webhook add acme https://acme.example/webhooks \\\n' +
        '    --event booking.created --event booking.cancelled\n',
    );
  });

  it('the help lists every noun under the heading of its group', async () => {
    const { stdout } = await tourctl('--help');
    for (const name of [...NOUNS.map((noun) => noun.name), ...VERBS.map(commandName)])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(stdout).toMatch(/^Webhooks:\n {2}webhook/m);
  });

  it('the help of a noun follows the error for a missing verb', async () => {
    const { code, stdout, stderr } = await tourctl('tenant');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: tourctl tenant needs a verb: create, list/);
    expect(stderr).toContain('Usage: tourctl tenant <verb> [options]');
  });
});

describe('a typo', () => {
  it.each([
    ['tenat list', "unknown command 'tenat' (Did you mean tenant?)"],
    ['tenants list', '(Did you mean tenant list?)'],
    ['list tenants', '(Did you mean tenant list?)'],
    ['list deliveries', '(Did you mean delivery list?)'],
    ['show booking ACME-1', '(Did you mean booking show?)'],
    ['tenants', '(Did you mean tenant?)'],
    ['webhok add', '(Did you mean webhook?)'],
    ['tenant lits', '(Did you mean list?)'],
    ['tenant --json lits', '(Did you mean list?)'],
    ['key isue acme', '(Did you mean issue?)'],
    ['help tenat', '(Did you mean tenant?)'],
    ['tenat --help', '(Did you mean tenant?)'],
    ['tenant lits --help', '(Did you mean list?)'],
    ['import tours.json', '(Did you mean rates import or catalog import or booking import?)'],
    ['tenant delete acme', "unknown command 'delete': tourctl tenant has create, list"],
    ['tenant list --stauts trial', "unknown option '--stauts' (Did you mean --status?)"],
    ['tenant list --limt=3', '(Did you mean --limit?)'],
    ['config get API_PROT', '(Did you mean API_PORT?)'],
    ['completion bahs', '(Did you mean bash?)'],
  ])('the error suggests the nearest word and exits with 2: %s', async (line, message) => {
    const { code, stdout, stderr } = await tourctl(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.split('\n')[0]).toMatch(/^(error: |\{"error")/);
  });

  it('the error suggests nothing if the word resembles no command', async () => {
    const { code, stderr } = await tourctl('xylophone');
    expect([code, stderr]).toEqual([2, "error: unknown command 'xylophone'\nSee tourctl --help\n"]);
  });

  it('the error is one JSON document with --json', async () => {
    const { stderr } = await tourctl('--json tenat list');
    expect(JSON.parse(stderr).error.message).toBe("unknown command 'tenat' (Did you mean tenant?)");
  });
});

it('--json and --yes may stand before the command', async () => {
  const { code, stderr } = await tourctl('--json --yes tenant suspend acme');
  expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'database_unreachable']);
});

describe('a command line with several mistakes', () => {
  it('one error message names all mistakes', async () => {
    const line =
      'tenant create --slug A --currency XX --deposit-percent 200 --hold-max 99 --brand-color blue --status gone';
    const { code, stdout, stderr } = await tourctl(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      [
        'error: --slug must be 2 to 63 of a-z, 0-9 and inner dashes, such as acme-travel',
        '  --currency must be an ISO 4217 currency code such as EUR',
        '  --deposit-percent must be a number from 0 to 100',
        '  --hold-max must be from 1 to 60 minutes, such as 20 or 20m',
        '  --brand-color must be a colour such as #0a7d5c, or none',
        '  --status must be one of trial, active',
        '  --name is missing: its name for people',
        'See tourctl tenant create --help\n',
      ].join('\n'),
    );
  });

  it('one error message names both wrong arguments and wrong flags', async () => {
    const { code, stderr } = await tourctl('departure add alps 2027-13-01 --seats 0');
    expect(code).toBe(2);
    expect(stderr).toContain(
      '<date> must be a date such as 2027-05-01, or a date and time such as 2027-05-01T09:30\n',
    );
    expect(stderr).toContain('--seats must be a whole number from 1 to 100000\n');
    expect(stderr).toContain("--adult is missing: an adult's price\n");
  });

  it('one error message names all flags that exclude each other or need another flag', async () => {
    const onboard = await tourctl(
      'tenant onboard --name Acme --percent 5 --amount 3 --event booking.created --yes',
    );
    expect(onboard.stderr).toContain('--percent and --amount cannot be given together\n');
    expect(onboard.stderr).toContain('--event or --format must not be given without --webhook\n');
    const rule = await tourctl('pricing add acme --tour alps --continent europe');
    expect(rule.stderr).toContain('one of --percent, --amount and --price must be given\n');
    expect(rule.stderr).toContain('--tour and --continent cannot be given together\n');
  });
});
