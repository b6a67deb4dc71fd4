import { hostname, userInfo } from 'node:os';
import { flagName, flagsOf } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

/** Returns who made the newest change of the tenant acme, and on which host. */
async function lastActor(): Promise<[actor: string, host: string]> {
  const { actor, host } = (await terminal.json('audit list --tenant acme --limit 1')).items[0];
  return [actor, host];
}

let seats = 10;
const change = (flags: string) => terminal.tourctl(`tenant set acme --max-holds ${(seats += 1)} ${flags}`);

describe('the name in the audit log', () => {
  it('the audit log names the system user by default', async () => {
    await change('');
    expect(await lastActor()).toEqual(['olga', hostname()]);
  });

  it.each([
    ['a line break and an escape', 'olga\nroot\x1b[31m'],
    ['a character that changes the direction of text', 'olga\u202etoor'],
    ['more than 100 characters', 'o'.repeat(3000)],
  ])('the audit log names the account of the process if SUDO_USER has %s', async (_, name) => {
    await withEnv(terminal, { SUDO_USER: name }, () => change(''));
    expect(await lastActor()).toEqual([userInfo().username, hostname()]);
  });

  it('TOURCTL_ACTOR sets the recorded name, and the system user is recorded beside the host', async () => {
    await withEnv(terminal, { TOURCTL_ACTOR: 'Mei Chen' }, () => change(''));
    expect(await lastActor()).toEqual(['Mei Chen', `olga@${hostname()}`]);
  });

  it('--actor overrides TOURCTL_ACTOR', async () => {
    await withEnv(terminal, { TOURCTL_ACTOR: 'Mei Chen' }, () => change('--actor ivan'));
    expect(await lastActor()).toEqual(['ivan', `olga@${hostname()}`]);
  });

  it('--actor may stand before the command', async () => {
    await terminal.tourctl('--actor ivan tenant set acme --hold-default 14');
    await terminal.tourctl('--json --actor=mira --yes tenant set acme --hold-default 13');
    expect(await lastActor()).toEqual(['mira', `olga@${hostname()}`]);
    expect((await terminal.json('audit list --actor ivan')).items[0]).toMatchObject({ subject: 'acme' });
  });

  it('--actor may stand before a command that only reads', async () => {
    expect((await terminal.tourctl('--actor ivan catalog export')).code).toBe(0);
    expect((await terminal.tourctl('--actor=ivan --json tenant list')).code).toBe(0);
  });

  it('--actor before `audit list` does not filter the list by actor', async () => {
    await change('');
    const { items } = await terminal.json('--actor nobody audit list --tenant acme --limit 1');
    expect(items).toHaveLength(1);
  });

  it('the last of several --actor flags sets the recorded name', async () => {
    await terminal.tourctl('--actor ivan tenant set acme --hold-default 12 --actor mira');
    expect((await lastActor())[0]).toBe('mira');
    await terminal.tourctl('--actor ivan --actor=noor tenant set acme --hold-default 11');
    expect((await lastActor())[0]).toBe('noor');
  });

  it.each([['--actor'], ['--actor= tenant list'], ['--actor \u202e tenant list']])(
    'tourctl refuses an invalid --actor before the command: %j',
    async (line) => {
      const { code, stderr } = await terminal.tourctl(line);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--actor must be a name')]);
    },
  );

  it('tourctl audit list shows the system user beside the name', async () => {
    await change('--actor root');
    const { stdout } = await terminal.tourctl('audit list --tenant acme --limit 1 --wide');
    expect(stdout).toContain(`root (olga@${hostname()})`);
  });

  it('the audit log shows a single name if --actor names the system user', async () => {
    await change('--actor olga');
    expect(await lastActor()).toEqual(['olga', hostname()]);
  });

  it('all audit rows of one command have the same name', async () => {
    await terminal.tourctl('tenant onboard --name Many --yes --actor ivan');
    const { items } = await terminal.json('audit list --tenant many');
    expect(items.length).toBeGreaterThan(2);
    expect(new Set(items.map(({ actor }: { actor: string }) => actor))).toEqual(new Set(['ivan']));
  });

  it('tourctl key issue records the name of --actor', async () => {
    await terminal.tourctl('key issue acme --scope catalog:read --actor ivan');
    expect(await lastActor()).toEqual(['ivan', `olga@${hostname()}`]);
  });

  it.each([
    ['an empty name', ['']],
    ['a line break', ['olga\nroot']],
    ['a character that changes the direction of text', ['olga\u202etoor']],
    ['a character without width', ['ol\u200bga']],
    ['blanks around it', [' olga']],
    ['more than 100 characters', ['o'.repeat(101)]],
  ])('tourctl refuses a name in --actor and TOURCTL_ACTOR: %s', async (_, [name]) => {
    const line = ['tenant', 'set', 'acme', '--hold-max', '30', '--actor', name!, '--json'];
    const { code, error } = await terminal.tourctl(line);
    const expected = 'must be a name of at most 100 printable characters';
    expect([code, error.message]).toEqual([2, `--actor ${expected}`]);
    if (name === '') return;
    const wrong = await withEnv(terminal, { TOURCTL_ACTOR: name! }, () =>
      terminal.tourctl('tenant set acme --hold-max 30 --json'),
    );
    expect([wrong.code, wrong.error.message]).toEqual([1, `TOURCTL_ACTOR ${expected}`]);
  });

  it('tourctl accepts a name of 100 characters of any script as --actor', async () => {
    const name = '陳'.repeat(100);
    await terminal.tourctl(['tenant', 'set', 'acme', '--hold-max', '31', '--actor', name]);
    expect(await lastActor()).toEqual([name, `olga@${hostname()}`]);
  });
});

describe('--actor', () => {
  const commands = [
    ...NOUNS.flatMap(({ name, verbs }) => verbs.map((verb) => ({ name: `${name} ${verb.usage}`, verb }))),
    ...VERBS.map(({ verb }) => ({ name: verb.usage, verb })),
  ].map(({ name, verb }) => ({
    name: name.replace(/ [<[].*/, ''),
    flags: flagsOf(verb).filter((flag) => flagName(flag) === '--actor'),
  }));
  const named = (given: boolean) =>
    commands.filter(({ flags }) => flags.length > 0 === given).map(({ name }) => name);

  it('commands that write to the audit log have the flag --actor', () => {
    expect(named(true)).toEqual(
      expect.arrayContaining([
        'tenant create',
        'tenant set',
        'tenant onboard',
        'tenant suspend',
        'key issue',
        'key rotate',
        'key revoke',
        'widget issue',
        'origins add',
        'visibility allow',
        'pricing add',
        'pricing remove',
        'catalog import',
        'catalog publish',
        'departure add',
        'departure cancel',
        'hold release',
        'booking change',
        'booking confirm',
        'booking cancel',
        'booking anonymize',
        'webhook add',
        'webhook set',
        'webhook ping',
        'webhook trigger',
        'delivery retry',
        'delivery replay',
        'monitor',
        'seed',
        'migrate',
        'up',
        'backup',
        'restore',
        // Commands that only read, but write an audit row with --reveal.
        'booking show',
        'booking list',
        'booking export',
      ]),
    );
  });

  it('commands that only read do not have the flag --actor', () => {
    expect(named(false)).toEqual(
      expect.arrayContaining([
        'tenant list',
        'tenant show',
        'key list',
        'key inspect',
        'catalog list',
        'catalog export',
        'booking stats',
        'webhook list',
        'pricing simulate',
        'visibility explain',
        'config list',
        'doctor',
        'completion bash',
      ]),
    );
  });

  it('no command declares the flag --actor twice', () => {
    expect(commands.filter(({ flags }) => flags.length > 1)).toEqual([]);
    expect(named(true)).toContain('audit list');
  });
});
