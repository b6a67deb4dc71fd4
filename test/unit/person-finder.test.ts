import { personFinder } from '../../services/api/customers/person-finder';
import type { PartialCustomer } from '../../services/api/customers/customer';

const ANA: PartialCustomer = { name: 'Ana Lima', phone: '+4930901820', email: 'ana.lima77@example.com' };
const named = (name: string): PartialCustomer => ({ name, phone: null, email: null });
const reached = (phone: string): PartialCustomer => ({ name: null, phone, email: null });

describe('the person finder', () => {
  it.each<[string, PartialCustomer]>([
    ['ana-lima-81', ANA],
    ['lima, ana', ANA],
    ['AnaLima5', ANA],
    ['order_ANA_LIMA', ANA],
    ['orderAnaLima', ANA],
    ['ana.lima77', ANA],
    ['ana.lima77@example.com', ANA],
    ['cart:ANA.LIMA77 at example dot com', ANA],
    ['https%3A%2F%2Fshop?m=ana.lima77%40example.com', ANA],
    ['%zz ana%20lima', ANA],
    ['+49 30 901820', ANA],
    ['004930901820', ANA],
    ['030 901820-order', ANA],
    ['+49 (0)30/90-18-20', ANA],
    ['order30901820', ANA],
    ['王芳-2026-01', named('王芳')],
    ['订单王芳7', named('王芳')],
    ['王芳-1', named('王 芳')],
    ['jurgen-muller-77', named('Jürgen Müller')],
    ['juergen-mueller-77', named('Jürgen Müller')],
    ['Jürgen_Müller', named('Juergen Mueller')],
    ['jose-nunez-3', named('José Núñez')],
    ['gross-weiss', named('Groß Weiss')],
    ['al-77', named('Al')],
    ['al77', named('Al')],
    ['obrien-conor', named("Conor O'Brien")],
    ['maria-cruz-9', named('Maria de la Cruz')],
    ['reserva-maxmustermann2', named('Max Mustermann')],
    ['{"external_ref":"030 901820"}', reached('030901820')],
    ['4930901820', reached('030901820')],
    ['order-123456', reached('123456')],
  ])('the person finder finds the person in %s', (text, person) => {
    expect(personFinder([named('Nobody Else'), person])(text)).toBe(true);
  });

  it.each<[string, PartialCustomer]>([
    ['latest-offer-12', named('Test')],
    ['booking-4711', named('Book')],
    ['order-91234560', reached('123456')],
    ['order-309018201', ANA],
    ['lima-tour-7', ANA],
    ['banana-limassol', ANA],
    ['mariana.lima77@example.com', ANA],
    ['ana.lima77@example.community', { ...ANA, name: null, email: 'lima@example.com' }],
    ['booking-7', { name: 'Bo', phone: null, email: 'booking@acme.example' }],
    ['info-7', { name: null, phone: null, email: 'info@example.com' }],
    ['tour-de-la-france', named('Maria de la Cruz')],
    ['order-7', { name: ' - ', phone: '+', email: '@' }],
    ['order-7', { name: '', phone: '', email: '' }],
    ['order-7', { name: null, phone: null, email: null }],
    ['2026-01-12', reached('+1 20')],
  ])('the person finder finds no person in %s', (text, person) => {
    expect(personFinder([person])(text)).toBe(false);
  });
});
