import {
  bookingBody,
  type Contact,
  fitTravellers,
  invalidFields as invalidFieldsFor,
  formField,
  NO_CONTACT,
  travellersOf,
} from '../../clients/booking-element/src/contact-rules';
import { nextAddress } from '../../clients/booking-element/src/next-address';
import { BIRTH_DATES, EMAILS, PHONES } from '../support/contact-cases';
import type { Category, Hold, Question, Tour } from '../../clients/booking-element/src/wire';

const CONTACT = { ...NO_CONTACT, name: ' Ana Lima ', phone: '+49 30 901820', email: 'ana@example.com ' };
const CATEGORIES = [
  { code: 'family', kind: 'family', seats: 4, people: 2 },
  { code: 'adult', kind: 'adult', seats: 1, people: 1 },
  { code: 'cabin', kind: 'supplement', seats: 0, people: 0 },
] as Category[];
const HOLD = {
  hold_id: 'h',
  tour: { slug: 'bay' },
  party: { family: 1, adult: 1, cabin: 1 },
  total_price: 900,
} as unknown as Hold;
const names = (first_name: string, last_name: string, birth_date = '', category = 'family') => ({
  category,
  first_name,
  last_name,
  birth_date,
  answers: {},
});
const TOUR = { categories: CATEGORIES, questions: [], pickup: null } as unknown as Tour;
const invalidFields = (contact: Contact) => invalidFieldsFor(contact, TOUR);

describe('the contact form', () => {
  it('name, phone and e-mail are required, and a phone number in other digits is one', () => {
    expect(invalidFields(NO_CONTACT)).toEqual(['name', 'phone', 'email']);
    expect(invalidFields(CONTACT)).toEqual([]);
    expect(invalidFields({ ...CONTACT, phone: '٠٣٠٩٠١٨٢' })).toEqual([]);
    expect(invalidFields({ ...CONTACT, phone: '12 34', email: 'ana@example' })).toEqual(['phone', 'email']);
  });

  it.each(EMAILS)('the form accepts the e-mail address %j exactly if the platform does', (email, stored) => {
    expect(invalidFields({ ...CONTACT, email })).toEqual(stored === undefined ? ['email'] : []);
  });

  it.each(PHONES)('the form accepts the phone number %j exactly if the platform does', (phone, stored) => {
    expect(invalidFields({ ...CONTACT, phone })).toEqual(stored === undefined ? ['phone'] : []);
  });

  it.each(BIRTH_DATES)('the form accepts the birth date %s exactly if the platform does', (date, stored) => {
    const issues = invalidFields({ ...CONTACT, travellers: [names('Rui', 'Lima', date)] });
    expect(issues).toEqual(stored === undefined ? ['travellers.0.birth_date'] : []);
  });

  it('a traveller is left out, or has both names', () => {
    const travellers = [names('', ''), names('Rui', ''), names('', '', '2019-05-04')];
    expect(invalidFields({ ...CONTACT, travellers })).toEqual([
      'travellers.1.last_name',
      'travellers.2.first_name',
      'travellers.2.last_name',
    ]);
  });

  it('the body names the tour, the hold, its party, the total that the visitor saw, and the travellers by category', () => {
    const contact = {
      ...CONTACT,
      travellers: [names('', ''), names('Rui', 'Lima'), names('Eva', 'Sá', '1990-05-04', 'adult')],
    };
    expect(bookingBody(HOLD, contact, TOUR, 'de')).toEqual({
      tour_id: 'bay',
      hold_id: 'h',
      party: HOLD.party,
      expected_total: 900,
      name: 'Ana Lima',
      phone: '+49 30 901820',
      email: 'ana@example.com',
      travellers: [
        { category: 'family', first_name: 'Rui', last_name: 'Lima', birth_date: null },
        { category: 'adult', first_name: 'Eva', last_name: 'Sá', birth_date: '1990-05-04' },
      ],
    });
    const nothing = {
      notes: undefined,
      travellers: undefined,
      answers: undefined,
      pickup: undefined,
      lang: undefined,
    };
    expect(bookingBody(HOLD, CONTACT, TOUR, 'de')).toMatchObject(nothing);
  });

  it('the travellers are counted on a page whose old library replaces Array.from', () => {
    const arrayFrom = Array.from;
    Array.from = () => [];
    try {
      expect(travellersOf(HOLD.party, CATEGORIES).map(({ code }) => code)).toEqual([
        'family',
        'family',
        'adult',
      ]);
    } finally {
      Array.from = arrayFrom;
    }
  });

  it('an error of the second named traveller stands at the field of the third one of the form', () => {
    const contact = { ...CONTACT, travellers: [names('', ''), names('Rui', 'Lima'), names('Eva', 'Sá')] };
    expect(formField('travellers.1.birth_date', contact)).toBe('travellers.2.birth_date');
    expect(formField('phone', contact)).toBe('phone');
  });
});

/** A question per traveller that is due with the booking. */
const WEIGHT = {
  code: 'weight',
  label: 'Weight',
  type: 'number',
  per: 'traveller',
  categories: ['adult'],
  required: true,
  until: 'booking',
  min: 40,
} as Question;
const DIET = {
  code: 'diet',
  label: 'Diet',
  type: 'text',
  per: 'booking',
  required: false,
  until: 'confirm',
} as Question;
const PICKUP = {
  required: true,
  until: 'booking',
  elsewhere: true,
  points: [{ point: 'station', name: 'Station', minutes_before: 30 }],
} as unknown as NonNullable<Tour['pickup']>;
const DIVE = { ...TOUR, questions: [WEIGHT, DIET], pickup: PICKUP };
const adult = (first_name: string, weight: string) => ({
  ...names(first_name, first_name && 'Lima', '', 'adult'),
  answers: { weight },
});

describe('the answers in the contact form', () => {
  it('a due answer of a traveller, the name of that traveller, and a due pickup are required', () => {
    const travellers = [names('', ''), adult('', ''), adult('Rui', '30')];
    expect(invalidFieldsFor({ ...CONTACT, travellers }, DIVE)).toEqual([
      'travellers.1.first_name',
      'travellers.1.last_name',
      'travellers.1.answers.weight',
      'travellers.2.answers.weight',
      'pickup',
    ]);
    const answered = { ...CONTACT, travellers: [adult('Rui', '40')] };
    expect(invalidFieldsFor({ ...answered, pickup: 'station' }, DIVE)).toEqual([]);
    expect(invalidFieldsFor({ ...answered, pickup: '+' }, DIVE)).toEqual(['place']);
    expect(invalidFieldsFor({ ...answered, pickup: '+', place: 'Hotel Adlon' }, DIVE)).toEqual([]);
    expect(invalidFieldsFor({ ...answered, pickup: 'station-that-is-gone' }, DIVE)).toEqual(['pickup']);
  });

  it('the body has the answers of the booking and of each traveller, the pickup, and the language of the questions', () => {
    const contact = {
      ...CONTACT,
      answers: { diet: ' No nuts ' },
      pickup: 'station',
      travellers: [names('', ''), names('', ''), adult('Eva', '72,5')],
    };
    expect(bookingBody(HOLD, contact, DIVE, 'de')).toMatchObject({
      answers: { diet: 'No nuts' },
      pickup: { point: 'station' },
      lang: 'de',
      travellers: [{ category: 'adult', answers: { weight: 72.5 } }],
    });
    const elsewhere = { ...contact, pickup: '+', place: ' Hotel Adlon ' };
    expect(bookingBody(HOLD, elsewhere, DIVE, 'de').pickup).toEqual({ place: 'Hotel Adlon' });
    expect(bookingBody(HOLD, { ...contact, pickup: '-' }, DIVE, 'de').pickup).toBeUndefined();
  });

  it('a person who joins or leaves the party takes no answers of another one', () => {
    const [family, single] = [CATEGORIES[0]!, CATEGORIES[1]!];
    const typed = [names('Rui', 'Lima'), adult('Eva', '72')];
    const grown = fitTravellers(typed, [family, family, single, single]);
    expect(grown.map(({ category, first_name }) => [category, first_name])).toEqual([
      ['family', 'Rui'],
      ['family', ''],
      ['adult', 'Eva'],
      ['adult', ''],
    ]);
    expect(grown[2]!.answers).toEqual({ weight: '72' });
    expect(fitTravellers(grown, [single])).toEqual([typed[1]]);
  });

  it('a refused answer of a person without a name stands at the first person of the form who has none', () => {
    const contact = { ...CONTACT, travellers: [names('', ''), adult('Eva', ''), names('', '')] };
    expect(formField('travellers.0.answers.weight', contact)).toBe('travellers.1.answers.weight');
    expect(formField('travellers.1.answers.weight', contact)).toBe('travellers.0.answers.weight');
    expect(formField('travellers.2.answers.weight', contact)).toBe('travellers.2.answers.weight');
    expect(formField('pickup.point', contact)).toBe('pickup');
    expect(formField('pickup.place', contact)).toBe('place');
  });
});

describe('the address after the booking', () => {
  const PAGE = 'https://shop.example/tours/bay?lang=de';

  it.each([
    ['/pay', 'https://shop.example/pay?booking_ref=A-1'],
    ['/pay?step=2#card', 'https://shop.example/pay?step=2&booking_ref=A-1#card'],
    ['?done&booking_ref=old', 'https://shop.example/tours/bay?done=&booking_ref=A-1'],
    ['https://pay.example/x', 'https://pay.example/x?booking_ref=A-1'],
  ])('%s keeps its own query', (next, expected) => {
    expect(nextAddress(next, PAGE, 'A-1')).toBe(expected);
  });

  it.each([
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'blob:https://shop.example/1',
    'http://shop.example/pay',
    'https://shop.example@evil.example/',
    'https://user:secret@shop.example/',
    'https://[',
  ])('%j leads nowhere', (next) => {
    expect(nextAddress(next, PAGE, 'A-1')).toBeUndefined();
  });

  it('a page without TLS, as on the own machine, leads to pages without TLS', () => {
    expect(nextAddress('/pay', 'http://127.0.0.1:4000/', 'A-1')).toBe(
      'http://127.0.0.1:4000/pay?booking_ref=A-1',
    );
    expect(nextAddress(null, 'http://127.0.0.1:4000/', 'A-1')).toBeUndefined();
  });
});
