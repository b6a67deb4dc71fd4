import {
  bookingBody,
  invalidFields,
  formField,
  NO_CONTACT,
  travellersOf,
} from '../../clients/booking-element/src/contact-rules';
import { nextAddress } from '../../clients/booking-element/src/next-address';
import { BIRTH_DATES, EMAILS, PHONES } from '../support/contact-cases';
import type { Category, Hold } from '../../clients/booking-element/src/wire';

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
const names = (first_name: string, last_name: string, birth_date = '') => ({
  first_name,
  last_name,
  birth_date,
});

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
      travellers: [names('', ''), names('Rui', 'Lima'), names('Eva', 'Sá', '1990-05-04')],
    };
    expect(bookingBody(HOLD, contact, CATEGORIES)).toEqual({
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
    expect(bookingBody(HOLD, CONTACT, CATEGORIES)).toMatchObject({ notes: undefined, travellers: undefined });
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
