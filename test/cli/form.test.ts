import { openTestTerminal, useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

/** A database that does not answer: a command that opens it exits with 1. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing';

const under = (env: Record<string, string>, line: string) =>
  withEnv(terminal, env, () => terminal.tourctl(line));

describe('help', () => {
  it.each([
    '--help',
    'tenant --help',
    'tenant create --help',
    'help key',
    '',
    'key issue acme --help --json',
  ])('tourctl prints help without a database: "%s"', async (line) => {
    const { code, stdout, stderr } = await under({ DATABASE_URL: NOWHERE }, line);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: tourctl/);
  });

  it('the help of a verb shows its required arguments', async () => {
    const { stdout } = await terminal.tourctl('origins --help');
    expect(stdout).toContain('add <slug> <origin...>');
  });

  it('tourctl --version prints the version', async () => {
    expect((await terminal.tourctl('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a wrong command line', () => {
  it.each([
    ['tenat list', "unknown command 'tenat'"],
    ['tenant lst', "unknown command 'lst'"],
    ['tenant', 'tourctl tenant needs a verb: create, list, show'],
    ['tenant --json', 'tourctl tenant needs a verb'],
    ['tenant list --sort name', "unknown option '--sort'"],
    ['tenant list --limit', "option '--limit <number>' argument missing"],
    ['tenant list --limit 1001', '--limit must be a whole number from 1 to 1000'],
    ['tenant show', '<slug> is missing'],
    ['tenant show acme other', 'too many arguments'],
    ['tenant suspend acme', 'No terminal to ask on: add --yes'],
    ['tenant set acme', 'at least one flag'],
    ['tenant set acme --name A --name B', '--name may be given only once'],
    ['key issue acme', '--scope is missing'],
    ['key rotate aaaaaaaaaaaa --grace 1w', '--grace must be a duration such as 90d, 24h or 30m, or 0'],
    [
      'key issue acme --scope catalog:read --expires-in 0',
      '--expires-in must be a duration such as 90d, 24h or 30m',
    ],
    [
      'webhook rotate-secret 01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f --grace 8d',
      '--grace must be a duration such as 90d, 24h or 30m, or 0, 7d at most',
    ],
    ['webhook list Acme!', '<slug> must be 2 to 63 of a-z'],
    ['audit show newest', '<id> must be a whole number'],
    ['delivery list --after last', '--after must be a UUID'],
    ['--json', 'a command is missing'],
    ['origins add acme', '<origin> is missing'],
    ['audit list --since yesterday', '--since must be a time such as'],
    ['backup --out=', '--out must name a file'],
    ['booking export --out=', '--out must name a file'],
    ['catalog export --out=', '--out must name a file'],
    ['key issue acme --scope catalog:read --out=', '--out must name a file'],
  ])('a wrong command line exits with 2 before it opens a database: %s', async (line, message) => {
    const { code, stdout, stderr } = await under({ DATABASE_URL: NOWHERE }, line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('the error for a wrong command line suggests the nearest command and points to its help', async () => {
    expect((await terminal.tourctl('tenat list')).stderr).toContain('Did you mean tenant?');
    expect((await terminal.tourctl('tenant shw acme')).stderr).toContain('Did you mean show?');
    expect((await terminal.tourctl('tenant list --limit x')).stderr).toContain(
      'See tourctl tenant list --help',
    );
  });

  it.each([
    'tenat --json',
    'tenant list --sort name --json',
    'tenant show --json',
    'tenant suspend acme --json',
  ])('a wrong command line prints one JSON document on stderr with --json: %s', async (line) => {
    const { stdout, stderr } = await terminal.tourctl(line);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'usage_error', message: expect.any(String) } });
  });
});

describe('--json', () => {
  it.each([
    'tenant list',
    'tenant show acme',
    'tenant set acme --max-holds 9',
    'key issue acme --scope catalog:read',
    'key list acme',
    'widget issue acme',
    'widget list acme',
    'origins add acme acme.example',
    'origins list acme',
    'audit list',
    'migrate',
    'doctor',
  ])('--json prints exactly one document on stdout: %s', async (line) => {
    const { code, stdout } = await terminal.tourctl(`${line} --json`);
    expect(code).toBe(0);
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout))}\n`);
  });

  it('--json prints a list as an object with items', async () => {
    for (const line of [
      'tenant list',
      'key list acme',
      'widget list acme',
      'audit list',
      'delivery list',
      'webhook list',
    ]) {
      expect(await terminal.json(`${line}`)).toEqual({ items: expect.any(Array) });
    }
  });
});

describe('without --json', () => {
  it('a list is a table, and an empty list says so', async () => {
    await terminal.tourctl(['tenant', 'create', '--slug', 'tokyo', '--name', '東京ツアー']);
    const lines = (await terminal.tourctl('tenant list')).stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^SLUG {3}NAME {8}STATUS/);
    expect(lines).toContainEqual(expect.stringMatching(/^tokyo {2}東京ツアー {2}trial/));
    expect((await terminal.tourctl('key list tokyo')).stdout).toBe('No keys\n');
  });

  it('an error is a sentence on stderr', async () => {
    expect(await terminal.tourctl('tenant show nope')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: There is no tenant "nope"\n',
    });
  });
});

describe('a database problem', () => {
  it('a database that does not answer ends a command with one line and exit 1', async () => {
    const { code, stderr } = await under({ DATABASE_URL: NOWHERE }, 'tenant list');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The database: connect ECONNREFUSED .*\n$/);
    const { error } = await under({ DATABASE_URL: NOWHERE }, 'tenant list --json');
    expect(error.code).toBe('database_unreachable');
  });

  it('a database that does not exist ends a command with exit 1', async () => {
    const url = new URL(terminal.url);
    url.pathname += 'x';
    const list = () => terminal.refusal('tenant list');
    expect(await withEnv(terminal, { DATABASE_URL: url.href }, list)).toBe('1 database_unreachable');
  });

  it('a missing migration ends a command with exit 1 until tourctl migrate has run', async () => {
    const fresh = await openTestTerminal();
    try {
      await fresh.db.raw('drop table audit_log');
      await fresh.db('knex_migrations').where({ name: '0110_audit' }).delete();
      const { code, error } = await fresh.tourctl('tenant list --json');
      expect([code, error.code]).toEqual([1, 'migrations_pending']);
      expect(error.message).toContain('run tourctl migrate');
      expect(await fresh.json('migrate')).toMatchObject({ applied: ['0110_audit'] });
      expect(await fresh.json('migrate')).toMatchObject({ applied: [] });
      expect((await fresh.tourctl('tenant list')).code).toBe(0);
    } finally {
      await fresh.drop();
    }
  });

  it('a lock of another session ends a command with exit 1', async () => {
    const refused = await terminal.db.transaction(async (trx) => {
      await trx('tenants').where({ slug: 'acme' }).forUpdate().select('id');
      return terminal.refusal('tenant activate acme');
    });
    expect(refused).toBe('1 database_busy');
  });
});

it('the error of a wrong setting names the variable and not its value', async () => {
  const { code, error, stderr } = await under({ SECRETS_KEY: 'hunter2' }, 'tenant list --json');
  expect([code, error.code]).toEqual([1, 'invalid_configuration']);
  expect(error.message).toContain('SECRETS_KEY must be');
  expect(stderr).not.toContain('hunter2');
});

it.each(['migrate', 'tenant list'])('tourctl %s runs without SECRETS_KEY and CURSOR_KEY', async (line) => {
  const { code, stderr } = await under({ SECRETS_KEY: '', CURSOR_KEY: '' }, `${line} --json`);
  expect([code, stderr]).toEqual([0, '']);
});

it('tourctl webhook add requires SECRETS_KEY, and tourctl key issue does not', async () => {
  const { code, error } = await under({ SECRETS_KEY: '' }, 'webhook add acme https://example.com/ --json');
  expect([code, error.message]).toEqual([
    1,
    expect.stringMatching(/^SECRETS_KEY must be set where DATABASE_URL is set/),
  ]);
  expect(await under({ SECRETS_KEY: '' }, 'key issue acme --scope catalog:read --json')).toMatchObject({
    code: 0,
  });
});
