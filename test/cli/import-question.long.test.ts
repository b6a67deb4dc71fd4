import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { departureEntry, tourEntry, writeFiles } from '../catalog/catalog-files';
import { givenDeparture, givenTour } from '../support/given';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { openTestTerminal, type TestTerminal } from './terminal';

// Each test starts the entry point, which takes a second on an idle machine.
jest.setTimeout(90_000);

const ASKS = 'Archive 1 tour?';

let terminal: TestTerminal;
let files: string[];
beforeEach(async () => {
  terminal = await openTestTerminal();
  files = writeFiles({ 'tours.json': [tourEntry({ slug: 'kept', departures: [departureEntry()] })] });
  await terminal.tourctl(['catalog', 'import', ...files]);
  await givenTour(terminal.db, { slug: 'gone' });
});
afterEach(() => terminal.drop());

const prune = () => terminal.sit(`catalog import ${files.join(' ')} --prune --prune-at-most 100%`);
const archived = () => terminal.db('tours').where({ status: 'archived' }).orderBy('slug').pluck('slug');

/** Lists the terminal's connections that have a transaction open. */
async function openTransactions(): Promise<unknown[]> {
  const { rows } = await terminal.db.raw(
    `select state, query from pg_stat_activity
     where datname = current_database() and application_name = 'tourctl' and (xact_start is not null or state ~ 'transaction')`,
  );
  return rows;
}

describeOnTerminal('the question of a pruning import', () => {
  it('no transaction is open while the import asks its question, so that a table can be altered', async () => {
    const person = prune();
    await person.see(ASKS);
    expect(await openTransactions()).toEqual([]);
    await terminal.db.raw(
      "set lock_timeout = '2s'; alter table tours set (fillfactor = 100); reset lock_timeout",
    );
    await person.answer('', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await archived()).toEqual(['gone']);
  });

  it('the import asks again if other tours or departures would be removed than it has named', async () => {
    const person = prune();
    await person.see(ASKS);
    const tour = await terminal.db('tours').where({ slug: 'kept' }).first('id', 'slug');
    await givenDeparture(terminal.db, tour, { date: '2031-06-09' });
    await givenTour(terminal.db, { slug: 'late' });
    await terminal.db('tours').where({ slug: 'gone' }).delete();
    await person.answer('', 'y', KEY.enter);
    await person.see('have changed since you were asked');
    await person.see('Archive 1 tour and delete 1 departure?');
    for (const line of [
      'now also: delete kept 2031-06-09',
      'now also: archive late',
      'no longer: archive gone',
    ])
      expect(person.shown).toContain(line);
    expect([await archived(), await openTransactions()]).toEqual([[], []]);
    await person.answer('', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await archived()).toEqual(['late']);
  });

  it('the import changes nothing after the answer no', async () => {
    const person = prune();
    await person.answer(ASKS, 'n', KEY.enter);
    expect([await person.ended, await archived()]).toEqual([1, []]);
  });

  it('the import asks after it has read a named pipe', async () => {
    const pipe = path.join(path.dirname(files[0]!), 'pipe.json');
    execFileSync('mkfifo', [pipe]);
    const person = terminal.sit(`catalog import ${pipe} --prune --prune-at-most 100%`);
    await writeFile(pipe, readFileSync(files[0]!));
    await person.answer(ASKS, 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await archived()).toEqual(['gone']);
  });
});

describeOnTerminal('the questions of other commands', () => {
  it('no command keeps a transaction open while it asks a question', async () => {
    await terminal.tourctl('tenant create --slug acme --name Acme');
    const { id: key } = await terminal.json('key issue acme --scope catalog:read');
    const { id: hook } = await terminal.json('webhook add acme https://a.example/h');
    const { id: widget } = await terminal.json('widget issue acme --origin a.example');
    const { id: rule } = await terminal.json('pricing add acme --percent 5');
    const questions: [string, string][] = [
      ['tenant suspend acme', 'Refuse every key'],
      ['tenant close acme', 'Close acme'],
      [`key revoke ${key}`, 'Refuse the key'],
      [`key rotate ${key} --grace 0`, 'Refuse the key'],
      [`widget revoke ${widget}`, 'Refuse the widget token'],
      [`webhook remove ${hook}`, 'Remove https'],
      [`webhook rotate-secret ${hook} --grace 0`, 'Sign only with the new secret'],
      ['origins remove acme https://a.example', 'Remove https://a.example'],
      [`pricing remove acme ${rule}`, 'Remove the price rule'],
      ['pricing add acme --percent -90', 'less than half'],
      ['departure cancel kept 2031-06-01', 'off sale'],
      ['tenant onboard', 'Its name for people'],
    ];
    const people = questions.map(([line]) => terminal.sit(line));
    await Promise.all(people.map((person, i) => person.see(questions[i]![1])));
    expect(await openTransactions()).toEqual([]);
    await Promise.all(people.map((person) => person.answer('', KEY.ctrlC)));
    expect(await Promise.all(people.map((person) => person.ended))).toEqual(people.map(() => 130));
  });
});
