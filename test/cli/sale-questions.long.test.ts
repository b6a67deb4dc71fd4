import { DEFAULT_CATEGORIES, type Category } from '../../services/api/parties/category';
import { describeDay } from '../../cli/commands/booking/ask-departure';
import { daysFromToday, givenDeparture, givenTenant, givenTour } from '../support/given';
import { describeOnTerminal, KEY, openPseudoTerminal, type PseudoTerminal } from '../support/pseudo-terminal';
import type { Tenant } from '../../services/api/tenants/tenant';
import { TOURCTL, useTestTerminal } from './terminal';

// Each test starts the entry point, which takes seconds on a busy machine.
jest.setTimeout(120_000);

const terminal = useTestTerminal();

const SATURDAY = daysFromToday(30);
const LATER = daysFromToday(33);
const CONTACT = 'Ana Lima +351 912 345 678';

let tenant: Tenant;
beforeEach(async () => {
  await terminal.db('tours').update({ status: 'archived' });
  tenant = await givenTenant(terminal.db, { status: 'active' });
});

/** Creates a tour with a departure of some seats at 18:00, and one of 8 seats three days later. */
async function givenCruise(seats = 12, categories: readonly Category[] = DEFAULT_CATEGORIES) {
  const tour = await givenTour(terminal.db, { name: 'Cruzeiro do Pôr-do-sol', categories });
  const prices = Object.fromEntries(
    categories.slice(0, 2).map(({ code }, i) => [code, i === 0 ? 4900 : 2500]),
  );
  await givenDeparture(terminal.db, tour, { date: SATURDAY, startTime: '18:00', seats, prices });
  await givenDeparture(terminal.db, tour, { date: LATER, startTime: '18:00', seats: 8, prices });
  return tour;
}

const sit = (flags = '') => terminal.sit(`booking add --tenant ${tenant.slug} ${flags}`);
const bookings = () => terminal.db('booking_leads').where({ tenant_id: tenant.id }).orderBy('id');

/** Types a text at a question, waits until the list shows the choice for it, and takes it. */
async function choose(
  person: PseudoTerminal,
  question: string,
  typed: string,
  choice: string,
): Promise<void> {
  await person.answer(question, ...(typed === '' ? [] : [typed]));
  if (typed !== '') await person.see(`: ${typed}`);
  await person.answer(`❯ ${choice}`, KEY.enter);
}

/** Answers the questions about the seats of two adults. */
async function chooseSeats(person: PseudoTerminal): Promise<void> {
  await choose(person, 'Tour:', 'por-do-sol cruz', 'Cruzeiro');
  await choose(person, 'Date:', SATURDAY, describeDay(SATURDAY));
  await choose(person, 'Party', '2', '2 adults');
}

/** Answers all questions before the summary. */
async function answerAll(person: PseudoTerminal): Promise<void> {
  await chooseSeats(person);
  await person.answer('Name, phone number', CONTACT, KEY.enter);
  await choose(person, 'Paid, or until when', '', 'not paid');
}

describeOnTerminal('the questions of booking add', () => {
  it('booking add sells to a caller with six answers: tour, date, party, contact, payment and agreement', async () => {
    await givenCruise();
    const person = sit();
    await answerAll(person);
    await person.see('98.00 EUR');
    await person.answer('Sell it?', 'y', KEY.enter);
    await person.see('tourctl booking confirm');
    expect(await person.ended).toBe(0);
    expect(await bookings()).toMatchObject([
      {
        totalMinor: 9800,
        source: 'desk',
        customerName: 'Ana Lima',
        customerEmail: null,
        status: 'pending_payment',
      },
    ]);
  });

  it.each([
    ['Which tenant?', () => ''],
    ['Tour:', () => `--tenant ${tenant.slug}`],
  ])(
    'booking add shows %s before it loads the modules of the database and the currencies',
    async (question, flags) => {
      await givenCruise();
      const line = `exec ${process.execPath} ${TOURCTL} booking add ${flags()}`;
      const person = openPseudoTerminal(line, { ...terminal.env, NODE_DEBUG: 'module' });
      await person.see(question);
      await person.see('/node_modules/knex/knex.js');
      const before = person.shown.slice(0, person.shown.indexOf(question));
      for (const name of ['knex', 'pg', 'currency-codes'])
        expect(before).not.toContain(`/node_modules/${name}/`);
      await person.answer('❯', KEY.ctrlC);
      expect(await person.ended).toBe(130);
    },
  );

  it('booking add asks the questions of the tour after the payment, and an answer that is not due may wait', async () => {
    const { id } = await givenCruise();
    const question = { required: true, until: 'confirm' };
    const questions = [
      { ...question, code: 'weight', label: 'Weight', type: 'number', per: 'traveller', min: 30, max: 150 },
      { ...question, code: 'vegan', label: 'Vegan', type: 'yes_no', per: 'booking', until: 'booking' },
    ];
    await terminal
      .db('tours')
      .where({ id })
      .update({ questions: JSON.stringify(questions) });
    const person = sit();
    await answerAll(person);
    await person.answer('Vegan (yes or no)', KEY.enter);
    await person.see('requires an answer');
    await person.answer('Vegan (yes or no)', 'no', KEY.enter);
    await person.answer('Weight, person 1 (adult)', '61.5', KEY.enter);
    await person.answer('Weight, person 2 (adult)', KEY.enter);
    await person.answer('Sell it?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    const [{ id: leadId }] = await bookings();
    expect(await terminal.db('booking_answers').where({ lead_id: leadId }).first()).toMatchObject({
      answers: [
        { code: 'vegan', value: false },
        { code: 'weight', value: 61.5, category: 'adult', person: 0 },
      ],
      missing: 1,
    });
  });

  it('booking add asks for the pickup: a point with its time, or a typed place', async () => {
    const { id } = await givenCruise();
    await terminal.db('pickup_points').insert([
      { code: 'pier', name: 'Pier 7', address: 'Cais do Sodré', translations: '{}' },
      { code: 'rossio', name: 'Rossio', translations: '{}' },
    ]);
    const points = [
      { point: 'pier', minutes_before: 20 },
      { point: 'rossio', minutes_before: 45 },
    ];
    const pickup = { required: true, until: 'booking', elsewhere: true, points };
    await terminal
      .db('tours')
      .where({ id })
      .update({ pickup: JSON.stringify(pickup) });
    const sellTo = async (typed: string, choice: string) => {
      const person = sit();
      await answerAll(person);
      await choose(person, 'Pickup', typed, choice);
      await person.answer('Sell it?', 'y', KEY.enter);
      expect(await person.ended).toBe(0);
    };
    await sellTo('ross', '17:15 Rossio');
    await sellTo('Hotel Tivoli', 'another place: Hotel Tivoli');
    const leads = await bookings();
    const stored = await terminal
      .db('booking_answers')
      .whereIn(
        'lead_id',
        leads.map((lead) => lead.id),
      )
      .orderBy('lead_id')
      .pluck('pickup');
    expect(stored).toMatchObject([
      { chosen: { point: 'rossio' } },
      { chosen: { point: null, name: 'Hotel Tivoli' } },
    ]);
  });

  it('booking add does not ask for a value that a flag gives, and shows the summary before it sells', async () => {
    const { slug } = await givenCruise();
    const flags = `${slug} ${SATURDAY} --party adult=1 --name Ana --phone 030901820 --pay-by none`;
    const person = sit(flags);
    await person.answer('Sell it?', 'n', KEY.enter);
    expect([await person.ended, await bookings()]).toEqual([1, []]);
    expect(person.shown).toContain('Ana');
    expect(person.shown).not.toMatch(/Tour:|Date:|Party|Name, phone number|Paid, or until when/);
  });

  it.each(['--yes', '--request-id tab-17'])(
    'booking add %s with all values sells without a question',
    async (agreed) => {
      const { slug } = await givenCruise();
      const person = sit(`${slug} ${SATURDAY} --party adult=1 --name Ana --phone 030901820 ${agreed}`);
      expect(await person.ended).toBe(0);
      expect(person.shown).not.toContain('?');
      expect(await bookings()).toMatchObject([{ totalMinor: 4900 }]);
    },
  );

  it('Esc goes back one question, and no answer before it is lost', async () => {
    await givenCruise();
    const person = sit();
    await chooseSeats(person);
    await person.answer('Name, phone number', KEY.escape);
    await choose(person, 'Party', '3', '3 adults');
    await person.answer('Name, phone number', CONTACT, KEY.enter);
    await choose(person, 'Paid, or until when', 'paid: cash', 'paid: cash');
    await person.answer('Sell it?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await bookings()).toMatchObject([
      { totalMinor: 14_700, paymentMethod: 'cash', status: 'confirmed' },
    ]);
  });

  it('Ctrl-C at any question ends with 130 and leaves nothing', async () => {
    await givenCruise();
    const steps: ((person: PseudoTerminal) => Promise<void>)[] = [
      (person) => person.answer('Tour:', KEY.ctrlC),
      async (person) => {
        await choose(person, 'Tour:', 'cruz', 'Cruzeiro');
        await person.answer('Date:', KEY.ctrlC);
      },
      async (person) => {
        await chooseSeats(person);
        await person.answer('Name, phone number', KEY.ctrlC);
      },
      async (person) => {
        await answerAll(person);
        await person.answer('Sell it?', KEY.ctrlC);
      },
    ];
    const before = await terminal.db('audit_log').count();
    for (const step of steps) {
      const person = sit();
      await step(person);
      expect(await person.ended).toBe(130);
    }
    expect([
      await bookings(),
      await terminal.db('seat_holds'),
      await terminal.db('audit_log').count(),
    ]).toEqual([[], [], before]);
  });

  it('pasted text with line breaks is never agreement to the sale', async () => {
    await givenCruise();
    const person = sit();
    await chooseSeats(person);
    await person.answer('Name, phone number', `${CONTACT}\r\r\r\r\r\r`);
    await person.see('Paid, or until when');
    const ended = await Promise.race([
      person.ended,
      new Promise((resolve) => setTimeout(resolve, 3000, 'asks')),
    ]);
    if (ended === 'asks') await person.answer('', KEY.ctrlC);
    expect([1, 130]).toContain(await person.ended);
    expect(await bookings()).toEqual([]);
  });

  it('a text that names no tour offers the tours with most of its words, and Enter takes nothing if there is none', async () => {
    await givenCruise();
    await givenTour(terminal.db, { name: 'Aldeia' });
    const person = sit();
    await person.answer('Tour:', 'sunset', KEY.enter);
    await person.see('No tour is called "sunset"');
    await person.answer('', ' cruzero');
    await person.see('No tour is called "sunset cruzero"');
    await person.answer('❯ Cruzeiro', KEY.enter);
    await person.answer('Date:', 'whenever', KEY.enter);
    await person.see('No departure is on "whenever"');
    await person.answer('', KEY.ctrlC);
    expect(await person.ended).toBe(130);
  });

  it('an impossible date says why and offers the nearest dates', async () => {
    await givenCruise();
    const person = sit();
    await choose(person, 'Tour:', '', 'Cruzeiro');
    const wanted = daysFromToday(32);
    await person.answer('Date:', wanted);
    await person.see(`There is no departure on ${describeDay(wanted)}`);
    await person.answer(`❯ ${describeDay(LATER)}`, KEY.enter);
    await person.answer('Party', KEY.ctrlC);
    expect(await person.ended).toBe(130);
  });

  it('a party beyond the free seats says why, and offers a smaller party, another date and more seats', async () => {
    await givenCruise(1);
    const person = sit();
    await choose(person, 'Tour:', '', 'Cruzeiro');
    await choose(person, 'Date:', SATURDAY, describeDay(SATURDAY));
    await person.answer('Party', '2');
    await person.see(`Only 1 seat is free on ${describeDay(SATURDAY)} 18:00`);
    await person.see('❯ 1 adult');
    await person.see(`${describeDay(LATER)} 18:00: 2 adults  98.00 EUR`);
    await person.answer('', KEY.down, KEY.enter);
    await person.answer('Name, phone number', CONTACT, KEY.enter);
    await choose(person, 'Paid, or until when', '', 'not paid');
    await person.answer('Sell it?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await bookings()).toMatchObject([{ departureDate: LATER, totalMinor: 9800 }]);
  });

  it('if the seats are sold between the list and the sale, booking add says so and asks for the party again', async () => {
    const tour = await givenCruise(2);
    const person = sit();
    await answerAll(person);
    await person.see('Sell it?');
    await terminal.tourctl(
      `booking add ${tour.slug} ${SATURDAY} --tenant ${tenant.slug} --party adult=1 --name Bo --phone 030901821`,
    );
    await person.answer('', 'y', KEY.enter);
    await person.see('Only 1 seat is free');
    await choose(person, '', '', '1 adult');
    await person.answer('Sell it?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect((await bookings()).map(({ totalMinor }) => totalMinor)).toEqual([4900, 4900]);
  });

  it('if the price changes between the list and the sale, booking add shows the new total and asks again', async () => {
    await givenCruise();
    const person = sit();
    await answerAll(person);
    await person.see('Sell it?');
    await terminal.tourctl(`pricing add ${tenant.slug} --percent 10`);
    await person.answer('', 'y', KEY.enter);
    await person.see('107.80 EUR');
    await person.answer('Sell it?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await bookings()).toMatchObject([{ totalMinor: 10_780 }]);
  });

  it('a tenant that is suspended during the questions sells nothing', async () => {
    await givenCruise();
    const person = sit();
    await answerAll(person);
    await person.see('Sell it?');
    await terminal.tourctl(`tenant suspend ${tenant.slug} --yes`);
    await person.answer('', 'y', KEY.enter);
    await person.see('is suspended');
    expect(await person.ended).toBe(1);
    const later = sit();
    await later.see('is suspended');
    expect(await later.ended).toBe(1);
    expect(await bookings()).toEqual([]);
  });

  it('a category that travels with another is refused alone, and the party with both is offered', async () => {
    await givenCruise(12, [
      { code: 'adult', kind: 'adult', seats: 1, people: 1 },
      { code: 'child', kind: 'child', seats: 1, people: 1, with: ['adult'] },
    ]);
    const person = sit();
    await choose(person, 'Tour:', '', 'Cruzeiro');
    await choose(person, 'Date:', '', describeDay(SATURDAY));
    await person.answer('Party', 'child=2');
    await person.see('child travels with it');
    await person.see('❯ 1 adult, 2 children');
    await person.answer('', KEY.ctrlC);
    expect(await person.ended).toBe(130);
  });

  it('a number alone names no private boat, and one boat is offered', async () => {
    await givenCruise(12, [{ code: 'boat', kind: 'group', seats: 12, people: 12 }]);
    const person = sit();
    await choose(person, 'Tour:', '', 'Cruzeiro');
    await choose(person, 'Date:', '', describeDay(SATURDAY));
    await person.see('❯ 1 boat  49.00 EUR');
    await person.answer('', '2');
    await person.see('Name the categories of this tour, such as boat=1');
    await person.answer('❯ 1 boat', KEY.enter);
    await person.answer('Name, phone number', KEY.ctrlC);
    expect(await person.ended).toBe(130);
  });

  it('a tour without a departure is named as such, and the question is asked again', async () => {
    await givenTour(terminal.db, { name: 'Empty' });
    await givenCruise();
    const person = sit();
    await choose(person, 'Tour:', 'empty', 'Empty');
    await person.see('Empty has no departure to sell');
    await choose(person, '', 'cruz', 'Cruzeiro');
    await person.answer('Date:', KEY.ctrlC);
    expect(await person.ended).toBe(130);
  });
});

describeOnTerminal('the questions of hold add', () => {
  it('hold add asks for tour, date and party, and holds the seats without a contact', async () => {
    await givenCruise();
    const person = terminal.sit(`hold add --tenant ${tenant.slug}`);
    await chooseSeats(person);
    await person.answer('Name, phone number', KEY.enter);
    await person.answer('Hold the seats?', 'y', KEY.enter);
    await person.see('tourctl booking add --hold');
    expect(await person.ended).toBe(0);
    const holds = await terminal.db('seat_holds').where({ tenant_id: tenant.id });
    expect(holds).toMatchObject([{ customerName: null, status: 'active' }]);
  });

  it('hold add with all values shows the summary before it holds the seats', async () => {
    const { slug } = await givenCruise();
    const flags = `${slug} ${SATURDAY} --party adult=1 --name Ana --phone 030901820`;
    const person = terminal.sit(`hold add --tenant ${tenant.slug} ${flags}`);
    await person.answer('Hold the seats?', 'n', KEY.enter);
    expect(await person.ended).toBe(1);
    expect(await terminal.db('seat_holds').where({ tenant_id: tenant.id })).toEqual([]);
  });
});
