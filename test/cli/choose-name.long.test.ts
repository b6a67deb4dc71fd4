import { departureOf, insertLead } from '../catalog/catalog-rows';
import { type GivenTour, givenDeparture, givenTenant, givenTour } from '../support/given';
import { describeOnTerminal, KEY, type PseudoTerminal } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
let alps: GivenTour;

/** Types into the list until it begins with the line, and chooses it. Enter is ignored while the list is searched. */
async function choose(person: PseudoTerminal, question: string, typed: string, line: string): Promise<void> {
  await person.answer(question, typed);
  await person.answer(`${typed}\n❯ ${line}`, KEY.enter);
}

beforeAll(async () => {
  const { db } = terminal;
  const acme = await givenTenant(db, { slug: 'acme' });
  await givenTenant(db, { slug: 'zebra' });
  alps = await givenTour(db, { slug: 'alps', name: 'Across the Alps' });
  await givenTour(db, { slug: 'fuji', name: 'Around Mount Fuji' });
  for (const date of ['2031-06-01', '2031-06-08']) await givenDeparture(db, alps, { date });
  for (const startTime of ['09:30', '14:30'])
    await givenDeparture(db, alps, { date: '2031-06-15', startTime });
  const departure = await departureOf(db, 'alps', '2031-06-01');
  await insertLead(db, acme.id, departure, 'ACME-1', { customer_name: 'Ana Lima' });
  await insertLead(db, acme.id, departure, 'ACME-2', { customer_name: 'Rui Costa' });
});

describeOnTerminal('a missing name on a terminal', () => {
  it('a missing tour and a missing departure are chosen from lists, in the order of the command', async () => {
    const person = terminal.sit('departure set-seats');
    await choose(person, 'Which tour?', 'across', 'alps  Across the Alps');
    await choose(person, 'Which departure?', '06-08', '2031-06-08  available');
    await person.answer('Seats:', '7', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(person.shown).toContain('alps on 2031-06-08 has 7 seats');
  });

  it('departure move asks for both departures, and a list names the start time of a departure', async () => {
    const person = terminal.sit('departure move alps');
    await choose(person, 'Which departure?', '06-01', '2031-06-01  available  4 of 10');
    await choose(person, 'To which departure?', '14:30', '2031-06-15T14:30');
    expect(await person.ended).toBe(0);
    expect(person.shown).toContain('moved from 2031-06-01 to 2031-06-15 14:30');
  });

  it('a missing tenant is chosen from a list, and a tenant that was used before needs no choice', async () => {
    const person = terminal.sit('pricing show');
    await choose(person, 'Which tenant?', 'zeb', 'zebra');
    expect(await person.ended).toBe(0);
    const used = terminal.sit('pricing show zebra');
    expect(await used.ended).toBe(0);
    expect(used.shown).not.toContain('Which tenant?');
  });

  it('a missing booking reference is chosen from a list, which the name of the customer shortens without a line that shows it', async () => {
    const person = terminal.sit('booking show');
    await choose(person, 'Which booking?', 'lima', 'ACME-1 ');
    expect(await person.ended).toBe(0);
    expect(person.shown).toMatch(/ACME-1 /);
    expect(person.shown).not.toContain('Ana Lima');
  });

  it('a list of more tours than a list shows finds each of them by its name', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `tour-${String(n).padStart(3, '0')}`);
    for (const slug of many) await givenTour(terminal.db, { slug });
    const person = terminal.sit('catalog show');
    await choose(person, 'Which tour?', 'tour-299', 'tour-299');
    expect(await person.ended).toBe(0);
    expect(person.shown).toMatch(/slug +tour-299/);
  });

  it('a missing departure of a tour without departures is a usage error', async () => {
    const person = terminal.sit('departure manifest fuji');
    expect(await person.ended).toBe(2);
    expect(person.shown).toContain('<date> is missing, and there is no departure to choose from');
  });

  it('an unknown tour ends the questions', async () => {
    const person = terminal.sit('departure manifest alpz');
    expect(await person.ended).toBe(1);
    expect(person.shown).toContain('There is no tour "alpz"');
  });
});

describe('a missing name without a terminal', () => {
  it.each(['pricing show', 'booking show', 'departure manifest alps', 'departure cancel --yes'])(
    'a missing name without a terminal is a usage error: %s',
    async (line) => expect(await terminal.refusal(line)).toBe('2 usage_error'),
  );
});
