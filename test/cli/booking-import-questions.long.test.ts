import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTour, unique } from '../support/given';
import { describeOnTerminal, KEY, type PseudoTerminal } from '../support/pseudo-terminal';
import { useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

// Each test starts the entry point, which takes a second on an idle machine.
jest.setTimeout(90_000);

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-questions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file in the words of another system, for a new tour. */
async function givenFile() {
  const name = `Sunset cruise ${unique('tour')}`;
  const tour = await givenTour(api.db, { slug: unique('sunset-cruise'), name });
  const date = await givenDeparture(api.db, tour);
  const file = path.join(folder, `${unique('old')}.csv`);
  const ref = unique('old');
  const row = [ref, name, date, 2, 'Ana Lima', 1000, 'Paid', 'Ben'];
  writeFileSync(file, `Booking no,tour,departure_date,adults,name,total,status,Guide\n${row.join()}\n`);
  return { tour, name, ref, file, map: file.replace('.csv', '.map.json') };
}

const line = (file: string) => `booking import ${file} --tenant ${site.tenant.slug} --yes`;

/** Types into the list until it begins with the choice, and chooses it. Enter is ignored while the list is searched. */
async function choose(
  person: PseudoTerminal,
  question: string,
  typed: string,
  choice: string,
): Promise<void> {
  await person.answer(question, typed);
  await person.see(`${question} ${typed}`);
  await person.answer(`❯ ${choice}`, KEY.enter);
}

describeOnTerminal('the questions of an import of bookings', () => {
  it('asks each unknown column, status and tour once, the nearest first, and writes the answers to a map', async () => {
    const { tour, name, ref, file, map } = await givenFile();
    const person = terminal.sit(line(file));
    await person.see('Which field is the column "Booking no"?');
    await person.answer('❯ external_ref', KEY.enter);
    await choose(person, 'Which field is the column "Guide"?', 'leave', 'leave out');
    await person.see('Which status is "Paid"?');
    await person.answer('❯ confirmed', KEY.enter);
    await person.see(`Which tour is "${name}"?`);
    await person.answer(`❯ ${tour.slug}`, KEY.enter);
    expect(await person.ended).toBe(0);
    expect(JSON.parse(readFileSync(map, 'utf8'))).toEqual({
      columns: { 'Booking no': 'external_ref', Guide: null },
      values: { status: { Paid: 'confirmed' } },
      tours: { [name]: tour.slug },
    });
    expect(statSync(map).mode & 0o777).toBe(0o600);
    expect(await api.db('booking_leads').where({ import_ref: ref }).first()).toMatchObject({
      status: 'confirmed',
    });
    expect(await terminal.json(`${line(file)} --map ${map}`)).toMatchObject({ created: 0, equal: 1 });
  });

  it('leaves out the bookings of a tour and of a status that the person leaves out', async () => {
    const { name, file, map } = await givenFile();
    writeFileSync(map, JSON.stringify({ columns: { 'Booking no': 'external_ref', Guide: null } }));
    const person = terminal.sit(`${line(file)} --map ${map}`);
    await choose(person, 'Which status is "Paid"?', 'leave', 'leave out');
    await choose(person, `Which tour is "${name}"?`, 'leave', 'leave out');
    expect(await person.ended).toBe(0);
    expect(person.shown).toContain('1 left out');
    expect(JSON.parse(readFileSync(map, 'utf8'))).toMatchObject({
      values: { status: { Paid: null } },
      tours: { [name]: null },
    });
  });

  it('asks nothing with --json: an unknown column is a fault of line 1', async () => {
    const { file } = await givenFile();
    const person = terminal.sit(`${line(file)} --json`);
    expect(await person.ended).toBe(1);
    expect(person.shown).toContain('import_refused');
    expect(person.shown).not.toContain('Which field');
  });
});
