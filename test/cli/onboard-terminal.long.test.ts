import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { SCOPES } from '../../services/api/credentials/credential';
import { givenTour } from '../support/given';
import { describeOnTerminal, KEY, type PseudoTerminal } from '../support/pseudo-terminal';
import { useTemporaryFolder } from '../support/temporary-folder';
import { openTestTerminal, TOURCTL, useTestTerminal } from './terminal';

// Each test starts the entry point at least once, which takes a second on an idle machine.
jest.setTimeout(90_000);

const terminal = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(async () => {
  await givenTour(terminal.db, { continent: 'europe' });
  await givenTour(terminal.db, { continent: 'africa' });
});

const TABLES = [
  'tenants',
  'visibility_continent_rules',
  'visibility_tour_rules',
  'price_rules',
  'api_keys',
  'widget_tokens',
  'webhook_endpoints',
  'webhook_secrets',
  'audit_log',
];
/** Columns that differ between any two tenants. */
const OWN = /^(id|.*Id|.*_id|slug|bookingPrefix|booking_prefix|subject|tenant)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

async function countRows(): Promise<number[]> {
  return Promise.all(
    TABLES.map(async (table) => Number((await terminal.db(table).count('*').first())!.count)),
  );
}

/** Returns all rows of a tenant, without the columns that always differ. */
async function rowsOf(slug: string): Promise<Record<string, unknown[]>> {
  const { id } = await terminal.db('tenants').where({ slug }).first('id');
  const of: Record<string, string> = { tenants: 'id = ?', webhook_secrets: SECRETS_OF };
  const rows = TABLES.map(async (table) => {
    const found = await terminal.db(table).whereRaw(of[table] ?? 'tenant_id = ?', [id]);
    return [table, found.map(withoutOwn)];
  });
  return Object.fromEntries(await Promise.all(rows));
}
const SECRETS_OF = 'endpoint_id in (select id from webhook_endpoints where tenant_id = ?)';

function withoutOwn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwn);
  if (Buffer.isBuffer(value)) return 'bytes';
  if (typeof value === 'string' && TIME.test(value)) return hoursFromNow(new Date(value));
  if (value instanceof Date) return hoursFromNow(value);
  if (value === null || typeof value !== 'object') return value;
  const named = Object.entries(value).filter(([name]) => !OWN.test(name));
  return Object.fromEntries(named.map(([name, one]) => [name, withoutOwn(one)]));
}

function hoursFromNow(time: Date): string {
  return `in ${Math.round((time.getTime() - Date.now()) / 3_600_000)} h`;
}

/** Answers the questions with the offered values. */
async function accept(person: PseudoTerminal, ...questions: string[]): Promise<void> {
  for (const question of questions) await person.answer(question, KEY.enter);
}

/** Accepts the suggested answer to each question before the summary. */
async function acceptAll(person: PseudoTerminal, name: string): Promise<void> {
  await person.answer('Its name for people:', name, KEY.enter);
  await accept(person, 'Slug', 'Kind', 'Status', 'Country', 'Currency', 'Prefix', 'Tours', 'Its prices');
  await accept(person, 'Deposit', 'Percent of a departure', 'Sites');
  await accept(person, 'Issue an API key', 'What may the key do?', 'When does it expire', 'Site that');
  await accept(person, 'Issue a widget token', 'Widget token is valid', 'Address of a tour');
  await accept(person, 'Endpoint that receives', 'New file for the secrets');
}

describeOnTerminal('tourctl tenant onboard at a terminal', () => {
  it('tourctl tenant onboard at a terminal rejects a wrong answer at once, and writes the same rows as the command line that it shows', async () => {
    await terminal.tourctl('tenant create --slug acme --name Acme --booking-prefix USED');
    const person = terminal.sit(`tenant onboard > ${folder}/answer`);
    await person.answer('Its name for people:', KEY.enter);
    await person.answer('It must not be empty', 'Acme', KEY.enter);
    await person.answer('Slug', KEY.enter);
    await person.answer('The tenant "acme" exists already', KEY.clearLine, "acme's", KEY.enter);
    await person.answer('It must be 2 to 63 of a-z', KEY.clearLine, 'acme-ch', KEY.enter);
    await person.answer('Kind', KEY.enter);
    await person.answer('Status', KEY.enter);
    await person.answer('Country', 'XX', KEY.enter);
    await person.answer('It must be an ISO 3166 country code', KEY.clearLine, 'ch', KEY.enter);
    await person.answer('(CHF)', KEY.enter);
    await person.answer('(ACMECH)', 'USED', KEY.enter);
    await person.answer('USED belongs to another tenant', KEY.clearLine, 'ACMECH', KEY.enter);
    await person.answer('Tours that it shows:', KEY.down, KEY.enter);
    await person.answer('Continents:', KEY.enter);
    await person.answer('At least one choice must be selected', KEY.down, KEY.space, KEY.enter);
    await person.answer('Its prices:', KEY.down, KEY.enter);
    await person.answer('Percent to add', 'much', KEY.enter);
    await person.answer('It must be a number from -100', KEY.clearLine, '12.5 %', KEY.enter);
    await person.answer('Round to a multiple', '5', KEY.enter);
    await person.answer('Deposit', KEY.enter);
    await person.answer('Percent of a departure', '0', KEY.enter);
    await person.answer('It must be', KEY.clearLine, '40%', KEY.enter);
    await person.answer('Sites that may show', 'https://*.acme.example', KEY.enter);
    const sites = 'acme.example http://localhost:3000';
    await person.answer('a wildcard would let any site', KEY.clearLine, sites, KEY.enter);
    await person.answer('Issue an API key', KEY.enter);
    await person.answer('What may the key do?', KEY.down, KEY.enter);
    await person.answer('When does it expire?', KEY.enter);
    await person.answer('(acme.example)', 'my shop', KEY.enter);
    await person.answer('It must be a domain', KEY.clearLine, 'https://acme.example/', KEY.enter);
    await person.answer('Issue a widget token', KEY.enter);
    await person.answer('Widget token is valid', '1y', KEY.enter);
    await person.answer('It must be a duration', KEY.clearLine, '365d', KEY.enter);
    await person.answer('Address of a tour', 'http://acme.example/{slug}', KEY.enter);
    await person.answer('It must be an https', KEY.clearLine, 'http://localhost:3000/t/{slug}', KEY.enter);
    await person.answer('Endpoint that receives', 'https://10.0.0.1/', KEY.enter);
    await person.answer('not an IP address', KEY.clearLine, 'https://acme.example/hooks', KEY.enter);
    await person.answer('Events that it receives', KEY.down, KEY.space, KEY.enter);
    await person.answer('Body of its requests', KEY.down, KEY.enter);
    await person.answer('New file for the secrets', `${folder}/answer`, KEY.enter);
    await person.answer('(it exists)', KEY.clearLine, `${folder}/no/file`, KEY.enter);
    await person.answer('(its folder does not exist)', KEY.clearLine, 'none', KEY.enter);

    await person.see('The same as one command, for a script:\n');
    expect((await terminal.tourctl('tenant show acme-ch')).code).toBe(1);
    await person.answer('Write all of it?', KEY.enter);
    await person.see('acme-ch is ready');
    expect(await person.ended).toBe(0);

    const secrets = readFileSync(`${folder}/answer`, 'utf8').trimEnd().split('\n');
    expect(secrets.map((line) => line.split('=')[0])).toEqual(['API_KEY', 'WIDGET_TOKEN', 'WEBHOOK_SECRET']);
    // The widget token is public: the person pastes it into a page.
    const shown = secrets.filter((line) => person.shown.includes(line.split(/=(.*)/)[1]!));
    expect(shown).toEqual([expect.stringMatching(/^WIDGET_TOKEN=/)]);
    expect(person.shown).toContain(`data-token="${shown[0]!.slice('WIDGET_TOKEN='.length)}"`);

    const [, line] = /The same as one command, for a script:\n\s+(tourctl[^]*?--yes)\n/.exec(person.shown)!;
    const twin = line!
      .replace('--slug acme-ch', '--slug twin')
      .replace('--booking-prefix ACMECH', '--booking-prefix TWIN');
    const shell = `tourctl() { ${process.execPath} ${TOURCTL} "$@"; }\n${twin}`;
    await promisify(execFile)('/bin/sh', ['-c', shell], { env: { ...process.env, ...terminal.env } });
    const rows = await rowsOf('acme-ch');
    expect(rows).toEqual(await rowsOf('twin'));
    expect(TABLES.map((table) => [table, rows[table]!.length])).toEqual([
      ['tenants', 1],
      ['visibility_continent_rules', 1],
      ['visibility_tour_rules', 0],
      ['price_rules', 1],
      ['api_keys', 1],
      ['widget_tokens', 1],
      ['webhook_endpoints', 1],
      ['webhook_secrets', 1],
      ['audit_log', 7],
    ]);
  });

  it('tourctl tenant onboard at a terminal goes back one question at Esc, and offers the earlier answer', async () => {
    const person = terminal.sit('tenant onboard');
    await person.answer('Its name for people:', 'Bakc', KEY.enter);
    await person.see('Esc goes back one question');
    await person.answer('Slug', KEY.escape);
    await person.answer('Its name for people: (Bakc)', 'Back', KEY.enter);
    await person.answer('(back)', 'bakc', KEY.enter);
    await person.answer('Kind', KEY.escape);
    await person.answer('(bakc)', 'back', KEY.enter);
    await person.answer('Kind', KEY.down, KEY.enter);
    await person.answer('Status', KEY.escape);
    await person.answer('❯ sandbox', KEY.enter);
    await accept(person, 'Status', 'Country', 'Currency', 'Prefix');
    await person.answer('Tours that it shows', KEY.down, KEY.enter);
    await person.answer('Continents', KEY.space, KEY.enter);
    await person.answer('Its prices', KEY.escape);
    await person.answer('◉ africa', KEY.escape);
    await person.answer('❯ those of some continents', KEY.down, KEY.down, KEY.down, KEY.enter);
    await accept(person, 'Its prices', 'Deposit', 'Percent of a departure', 'Sites');
    await person.answer('Issue an API key', 'n', KEY.enter);
    await person.answer('Issue a widget token', KEY.escape);
    await person.answer('Issue an API key for its server? (y/N)', KEY.enter);
    await person.answer('Issue a widget token', 'n', KEY.enter);
    await person.answer('Endpoint that receives', KEY.enter);
    await person.answer('Write all of it?', KEY.escape);
    await person.answer('Endpoint that receives', KEY.enter);
    await person.answer('Write all of it?', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await terminal.json('tenant show back')).toMatchObject({ name: 'Back', sandbox: true });
    expect(await terminal.json('visibility show back')).toMatchObject({ visibility: 'all', continents: [] });
    expect((await terminal.json('key list back')).items).toEqual([]);
  });

  it.each([
    ['--out /etc/hosts', 'error: /etc/hosts cannot be written (it exists)'],
    ['--out /nowhere/secrets', 'error: /nowhere/secrets cannot be written (its folder does not exist)'],
    ['--percent 5000%%', 'error: --percent must be a number from -100'],
  ])('tourctl tenant onboard at a terminal refuses %s before the first question', async (flag, refusal) => {
    const person = terminal.sit(`tenant onboard ${flag}`);
    await person.see(refusal);
    expect(await person.ended).not.toBe(0);
    expect(person.shown).not.toContain('?');
  });

  it('tourctl tenant onboard at a terminal refuses an invalid flag before it asks for other values', async () => {
    const person = terminal.sit('tenant onboard --name Early --webhook https://10.0.0.1/');
    await person.see('not an IP address');
    expect(await person.ended).toBe(2);
    expect(person.shown).not.toContain('Slug');
  });

  it('tourctl tenant onboard at a terminal offers first a key for a whole shop', async () => {
    const person = terminal.sit('tenant onboard --name Shop --no-widget');
    await accept(person, 'Slug', 'Kind', 'Status', 'Country', 'Currency', 'Prefix', 'Tours', 'Its prices');
    await accept(person, 'Deposit', 'Percent of a departure', 'Sites', 'Issue an API key');
    await person.answer('❯ a whole shop', KEY.enter);
    await accept(person, 'When does it expire', 'Site that', 'Endpoint', 'New file', 'Write all of it?');
    expect(await person.ended).toBe(0);
    const { items } = await terminal.json('key list shop');
    expect(items).toMatchObject([{ scopes: SCOPES }]);
  });

  it('tourctl tenant onboard at a terminal writes nothing and exits with 130 at Ctrl-C in the third question', async () => {
    const before = await countRows();
    const person = terminal.sit('tenant onboard');
    await person.answer('Its name for people:', 'Gone', KEY.enter);
    await person.answer('Slug', KEY.enter);
    await person.answer('Kind', KEY.ctrlC);
    await person.see('Interrupted: nothing was changed');
    expect(await person.ended).toBe(130);
    expect(await countRows()).toEqual(before);
  });

  it.each([
    ['130 after Ctrl-C at the summary', [KEY.ctrlC], '', 130],
    ['1 after the answer no at the summary', ['n', KEY.enter], 'Nothing was changed', 1],
  ])(
    'tourctl tenant onboard at a terminal writes nothing and exits with %s',
    async (_, keys, shown, code) => {
      const before = await countRows();
      const person = terminal.sit('tenant onboard');
      await acceptAll(person, 'Gone');
      await person.answer('Write all of it?', ...keys);
      await person.see(shown);
      expect(await person.ended).toBe(code);
      expect(await countRows()).toEqual(before);
    },
  );

  it('tourctl tenant onboard at a terminal ends with one line if the database is lost during a question', async () => {
    const lost = await openTestTerminal();
    const person = lost.sit('tenant onboard --name Lost');
    await person.see('Slug');
    await lost.drop();
    await person.answer('', KEY.enter);
    await person.see('error: The database: ');
    expect(await person.ended).toBe(1);
  });

  it('tourctl tenant onboard with --yes asks only for values that have no default', async () => {
    const person = terminal.sit('tenant onboard --percent 5 --yes');
    await person.answer('Its name for people:', 'Hasty', KEY.enter);
    await person.see('API_KEY=svc_live_');
    expect(await person.ended).toBe(0);
    expect(person.shown.match(/✔/g)).toHaveLength(1);
  });

  it('tourctl tenant onboard at a terminal asks nothing with --json', async () => {
    const person = terminal.sit('tenant onboard --json');
    await person.see('"message":"--name is missing');
    expect(await person.ended).toBe(2);
  });
});

describeOnTerminal('a command at a terminal', () => {
  it('a command at a terminal asks for each value that is missing', async () => {
    const person = terminal.sit('tenant create --booking-prefix ASKED');
    await person.answer('Its name in commands and answers:', 'A', KEY.enter);
    await person.answer('It must be 2 to 63', KEY.clearLine, 'asked', KEY.enter);
    await person.answer('Its name for people:', 'Asked & Sons', KEY.enter);
    expect(await person.ended).toBe(0);
    expect((await terminal.json('tenant show asked')).name).toBe('Asked & Sons');
  });

  it('a command at a terminal revokes a key only after the answer yes', async () => {
    await terminal.tourctl('tenant create --slug keeper --name Keeper');
    const { id } = await terminal.json('key issue keeper --scope catalog:read');
    const revoke = async (answer: string) => {
      const person = terminal.sit(`key revoke ${id}`);
      await person.answer(`Refuse the key ${id} from now on?`, answer, KEY.enter);
      const { json } = await person.ended.then(() => terminal.tourctl('key list keeper --json'));
      return [await person.ended, json.items[0].status];
    };
    expect(await revoke('n')).toEqual([1, 'live']);
    expect(await revoke('y')).toEqual([0, 'revoked']);
  });

  it('a command at a terminal does not show a typed secret', async () => {
    await terminal.tourctl('tenant create --slug hidden --name Hidden');
    const { key } = await terminal.json('key issue hidden --scope catalog:read');
    const person = terminal.sit('key inspect');
    await person.answer('Key or token', key, KEY.enter);
    await person.see('usable');
    expect(await person.ended).toBe(0);
    expect(person.shown).not.toContain(key.slice(0, 12));
    expect(person.shown).not.toContain(key.slice(-12));
  });
});
