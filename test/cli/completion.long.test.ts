import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flagsOf } from '../../cli/engine/command';
import { NOUNS, TREE } from '../../cli/tree';
import { completedCommands } from '../../cli/commands/completion/completed-words';
import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { describeWith } from '../support/describe-with';
import { givenDeparture, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { TOURCTL, useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(async () => {
  writeFileSync(path.join(folder, 'tours.json'), '[]');
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(scriptOf(shell), (await terminal.tourctl(`completion ${shell}`)).stdout);
  // The scripts call tourctl by its name.
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(
    path.join(folder, 'bin/tourctl'),
    `#!/bin/sh\nexec '${process.execPath}' '${TOURCTL}' "$@"\n`,
  );
  chmodSync(path.join(folder, 'bin/tourctl'), 0o755);
  for (const slug of ['acme', 'acme-two', 'zebra'])
    await terminal.tourctl(`tenant create --slug ${slug} --name Of`);
  const tour = await givenTour(terminal.db, { slug: 'alps-on-foot' });
  const departure = await departureOf(terminal.db, tour.slug, await givenDeparture(terminal.db, tour));
  const { id } = await terminal.db('tenants').where({ slug: 'acme' }).first('id');
  for (const ref of ['ACME-1001', 'ACME-1002']) await insertLead(terminal.db, id, departure, ref);
  ids = {
    hold: await insertHold(terminal.db, id, departure.id, 1),
    key: (await terminal.json('key issue acme --scope catalog:read')).id,
    widget: (await terminal.json('widget issue acme --origin https://acme.example')).id,
    endpoint: (await terminal.json('webhook add acme https://acme.example/hooks')).id,
  };
});
let ids: Record<'hold' | 'key' | 'widget' | 'endpoint', string>;

const scriptOf = (shell: string) => path.join(folder, `completion.${shell}`);

function inShell(shell: string, args: string[], input = ''): string {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    cwd: folder,
    input,
    encoding: 'utf8',
    timeout: 20_000,
    env: {
      ...terminal.env,
      PATH: `${folder}/bin:${process.env.PATH}`,
      HOME: folder,
      TERM: 'dumb',
      LC_ALL: 'C.UTF-8',
    },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** A typed line, with words that must be offered and words that must not. */
const CASES: [line: string, offered: string[], not: string[]][] = [
  ['tourctl ten', ['tenant'], ['key']],
  ['tourctl ', [...NOUNS.map(({ name }) => name), 'up', 'migrate', 'help'], ['create', 'list']],
  ['tourctl tenant ', ['create', 'list', 'set'], ['issue', 'tenant']],
  ['tourctl tenant li', ['list'], ['create']],
  ['tourctl tenant list --', ['--status', '--limit', '--json', '--yes', '--help'], ['--scope']],
  ['tourctl tenant list --status ', ['trial', 'active', 'suspended', 'closed'], ['list']],
  ['tourctl key issue acme --scope boo', ['booking:create', 'booking:read'], ['catalog:read']],
  ['tourctl key issue acme --scope catalog:read --sco', ['--scope'], ['--origin']],
  ['tourctl delivery list --status de', ['delivering', 'delivered', 'dead'], ['pending']],
  ['tourctl catalog import to', ['tours.json'], ['list']],
  ['tourctl completion ', ['bash', 'zsh', 'fish'], ['tenant']],
  ['tourctl up --no', ['--no-demo'], ['--status']],
  ['tourctl tenant show ac', ['acme', 'acme-two'], ['zebra', 'list']],
  ['tourctl use ac', ['acme', 'acme-two'], ['zebra']],
  ['tourctl open ', ['monitor', 'docs'], ['list']],
  ['tourctl booking list --tenant ze', ['zebra'], ['acme']],
  ['tourctl booking confirm ACME-', ['ACME-1001', 'ACME-1002'], ['acme']],
];

describe('tourctl completion', () => {
  it.each(['bash', 'zsh', 'fish'])(
    'tourctl completion prints the completion script for %s',
    async (shell) => {
      const { stdout } = await terminal.tourctl(`completion ${shell}`);
      expect(stdout).toContain(`# tourctl for ${shell}`);
      expect(await terminal.json(`completion ${shell}`)).toEqual({
        shell,
        script: stdout.trimEnd(),
      });
    },
  );

  it.each([
    ['tenant show ', ['acme', 'acme-two', 'zebra']],
    ['tenant show ac', ['acme', 'acme-two']],
    ['booking list --limit 3 --tenant ze', ['zebra']],
    ['booking list --tenant=acme-', ['acme-two']],
    ['visibility explain acme al', ['alps-on-foot']],
    ['visibility allow acme --tour al', ['alps-on-foot']],
    ['booking show ACME-', ['ACME-1002', 'ACME-1001']],
    ['booking change --adults 2 ACME-', ['ACME-1002', 'ACME-1001']],
    ['booking show NONE', []],
    ['booking list --lim', []],
    ['tenant show acme ', []],
    ['audit show ', []],
    ['use ac', ['acme', 'acme-two']],
    ['use acme ', []],
    ['webhook listen ze', ['zebra']],
    ['nonsense show ', []],
    ['tenant ', []],
  ])('tourctl completion names the words that complete "%s"', async (line, names) => {
    expect(
      (await terminal.tourctl(['completion', 'names', '--json', '--', ...line.split(' ')])).json,
    ).toEqual({ names });
  });

  it('tourctl completion names the dates of a tour, with the start time if a date has several departures', async () => {
    const tour = await givenTour(terminal.db, { slug: 'city-walk' });
    await givenDeparture(terminal.db, tour, { date: '2031-06-01', startTime: '08:00' });
    for (const startTime of ['09:30', '14:30'])
      await givenDeparture(terminal.db, tour, { date: '2031-06-08', startTime });
    await givenDeparture(terminal.db, tour, { date: '2020-01-01' });
    const named = async (line: string) =>
      (await terminal.tourctl(['completion', 'names', '--json', '--', ...line.split(' ')])).json.names;
    const all = ['2031-06-01', '2031-06-08T09:30', '2031-06-08T14:30'];
    for (const verb of ['manifest', 'cancel', 'reopen', 'set-seats', 'set-time', 'set-price', 'move'])
      expect(await named(`departure ${verb} city-walk 2031-`)).toEqual(all);
    expect(await named('departure cancel --reason Storm city-walk 2031-06-08')).toEqual(all.slice(1));
    expect(await named('departure move city-walk 2031-06-01 2031-06-08T14')).toEqual(['2031-06-08T14:30']);
    expect(await named('departure manifest nowhere 2031-')).toEqual([]);
    expect(await named('departure add city-walk 2031-')).toEqual([]);
  });

  it('tourctl completion names ids of keys, tokens, holds, endpoints and deliveries', async () => {
    const { delivery } = await terminal.json(`webhook ping ${ids.endpoint}`);
    const named = async (line: string) =>
      (await terminal.tourctl(['completion', 'names', '--', ...line.split(' ')])).stdout.trim().split('\n');
    expect(await named('key revoke ')).toEqual([ids.key]);
    expect(await named('widget rotate ')).toEqual([ids.widget]);
    expect(await named(`hold show ${ids.hold.slice(0, 4)}`)).toEqual([ids.hold]);
    expect(await named('webhook pause ')).toEqual([ids.endpoint]);
    expect(await named('delivery list --endpoint ')).toEqual([ids.endpoint]);
    expect(await named('delivery retry ')).toEqual([delivery]);
  });

  it.each<Record<string, string>>([
    { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' },
    { DATABASE_URL: 'nonsense' },
    { DATABASE_URL: '', DATA_DIR: path.join(folder, 'none') },
  ])('tourctl completion prints nothing and starts no database if none answers: %j', async (settings) => {
    const { code, stdout, stderr, seconds } = await withEnv(terminal, settings, () =>
      terminal.tourctl(['completion', 'names', '--', 'tenant', 'show', '']),
    );
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    expect(seconds).toBeLessThan(4);
    expect(existsSync(path.join(folder, 'none'))).toBe(false);
  });

  it('tourctl completion contains each verb of each noun with all its flags', () => {
    const commands = completedCommands(TREE);
    for (const noun of NOUNS) {
      for (const verb of noun.verbs) {
        const [name] = verb.usage.split(' ');
        const found = commands.find((command) => command.path.join(' ') === `${noun.name} ${name}`);
        expect(found?.flags).toHaveLength(flagsOf(verb).length + 3);
      }
    }
  });
});

describeWith('bash', 'completion in bash', () => {
  function offers(line: string): string[] {
    const script = `. ${scriptOf('bash')}; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}
      COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'; _tourctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return inShell('bash', ['--norc', '-c', script]).split('\n').filter(Boolean);
  }

  it.each(CASES)('completion in bash offers the words that complete "%s"', (line, offered, not) => {
    const found = offers(line);
    expect(found).toEqual(expect.arrayContaining(offered));
    expect(found.filter((word) => not.includes(word))).toEqual([]);
  });

  it('completion in bash offers the values of --flag=', () => {
    expect(offers('tourctl tenant list --status=tri')).toEqual(['trial']);
    expect(offers('tourctl tenant list --status=')).toContain('suspended');
    expect(offers('tourctl booking list --tenant=ze')).toEqual(['zebra']);
  });

  it('completion in bash completes a date and its time', async () => {
    const tour = await givenTour(terminal.db, { slug: 'bash-walk' });
    for (const startTime of ['09:30', '14:30'])
      await givenDeparture(terminal.db, tour, { date: '2031-06-08', startTime });
    expect(offers('tourctl departure manifest bash-walk 2031-06-08T1')).toEqual(['2031-06-08T14:30']);
    expect(offers('tourctl departure manifest bash-walk 2031-06-08T14:')).toEqual(['30']);
  });

  it('completion in bash completes the text after a colon, where readline breaks words', () => {
    expect(offers('tourctl key issue acme --scope booking:c')).toEqual(['create']);
  });

  it('completion in bash offers nothing for free text', () => {
    expect(offers('tourctl tenant create --name te')).toEqual([]);
  });
});

describeWith('fish', 'completion in fish', () => {
  function offers(line: string): string[] {
    const found = inShell('fish', ['--no-config', '-c', `source ${scriptOf('fish')}; complete -C "${line}"`]);
    return found
      .split('\n')
      .filter(Boolean)
      .map((offer) => offer.split('\t')[0]!);
  }

  it.each(CASES)('completion in fish offers the words that complete "%s"', (line, offered, not) => {
    const found = offers(line);
    expect(found).toEqual(expect.arrayContaining(offered));
    expect(found.filter((word) => not.includes(word))).toEqual([]);
  });

  it('completion in fish offers --flag= with its values', () => {
    expect(offers('tourctl tenant list --status=tri')).toEqual(['--status=trial']);
    expect(offers('tourctl booking list --tenant=ze')).toEqual(['--tenant=zebra']);
  });
});

describeWith('zsh', 'completion in zsh', () => {
  /** Types into a zsh behind a pseudo-terminal, presses tab, and reads the completed line. */
  function completed(lines: string[]): string[] {
    const typed = lines.map(
      (line) => `zpty -w -n shell $'${line}\\t\\C-x'; zpty -r -m shell seen '*<*>*'; print -r -- "$seen"`,
    );
    const script = `
      zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source ${scriptOf('zsh')}'
      zpty -w shell 'show() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N show; bindkey "^x" show; print REA""DY'
      zpty -r -m shell seen '*READY*'
      ${typed.join('\n      ')}
      zpty -d shell`;
    const output = inShell('zsh', ['-f', '-c', script]);
    return [...output.matchAll(/<(.*?)>/g)].map(([, line]) => line!.trim());
  }

  it('completion in zsh completes nouns, verbs, flags, values and files', () => {
    const lines = [
      ['tourctl ten', 'tourctl tenant'],
      ['tourctl key iss', 'tourctl key issue'],
      ['tourctl tenant list --sta', 'tourctl tenant list --status'],
      ['tourctl tenant list --status tri', 'tourctl tenant list --status trial'],
      ['tourctl tenant list --status=sus', 'tourctl tenant list --status=suspended'],
      ['tourctl key issue acme --scope booking:c', 'tourctl key issue acme --scope booking:create'],
      ['tourctl catalog import to', 'tourctl catalog import tours.json'],
      ['tourctl up --no', 'tourctl up --no-demo'],
      ['tourctl tenant show ze', 'tourctl tenant show zebra'],
      ['tourctl booking list --tenant=ze', 'tourctl booking list --tenant=zebra'],
      ['tourctl booking show ACME-1002', 'tourctl booking show ACME-1002'],
      ['tourctl completion z', 'tourctl completion zsh'],
    ] as const;
    expect(completed(lines.map(([typed]) => typed))).toEqual(lines.map(([, line]) => line));
  });
});
