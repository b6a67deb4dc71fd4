import { NO_CONTACT } from '../../clients/booking-element/src/contact-rules';
import {
  departureOf,
  holdBody,
  endsByMinutes,
  isRefusedForGood,
  type Purchase,
  type PurchaseEvent,
  reduce,
  startPurchase,
} from '../../clients/booking-element/src/purchase';
import type {
  Booking,
  Category,
  Departure,
  Hold,
  Problem,
  Tour,
} from '../../clients/booking-element/src/wire';

const TOUR = {
  id: 'tour-1',
  slug: 'bay',
  categories: [
    { code: 'adult', kind: 'adult', seats: 1, people: 1 },
    { code: 'child', kind: 'child', seats: 1, people: 1 },
  ],
  questions: [{ code: 'diet', per: 'booking', type: 'text' }],
  pickup: null,
} as unknown as Tour;

function departure(date: string, rest: Partial<Departure> = {}): Departure {
  return {
    id: `${date} ${rest.start_time ?? ''}`,
    departure_date: date,
    start_time: null,
    return_date: null,
    status: 'available',
    closes_at: `${date}T00:00:00Z`,
    seats_available: 9,
    currency: 'EUR',
    tenant_prices: { adult: 500, deposit: 100 },
    ...rest,
  };
}

function hold(rest: Partial<Hold> = {}): Hold {
  return {
    hold_id: 'hold-1',
    status: 'active',
    tour: { id: 'tour-1', slug: 'bay' },
    departure_date: '2027-05-01',
    departure_time: null,
    quantity: 1,
    party: { adult: 1 },
    total_price: 500,
    currency: 'EUR',
    hold_minutes: 15,
    created_at: '2027-04-01T10:00:00Z',
    expires_at: '2027-04-01T10:15:00Z',
    ...rest,
  } as Hold;
}

const ENDS_AT = 1_000;
const seatsOf = (rest?: Partial<Hold>) => ({ hold: hold(rest), endsAt: ENDS_AT });
const booking = (rest: Partial<Booking> = {}) =>
  ({
    booking_ref: 'A-1',
    status: 'pending_payment',
    tour: { id: 'tour-1', slug: 'bay' },
    ...rest,
  }) as Booking;
const problem = (code: string, rest: Partial<Problem> = {}): Problem => ({
  code,
  ...rest,
});

function after(events: PurchaseEvent[], purchase: Purchase = startPurchase(true)): Purchase {
  return events.reduce(reduce, purchase);
}

const LOADED: PurchaseEvent[] = [
  { type: 'started', task: 'load', isAutomatic: true },
  { type: 'tourRead', tour: TOUR },
  { type: 'loaded' },
  {
    type: 'departuresRead',
    departures: [
      departure('2027-05-01'),
      departure('2027-05-02', { start_time: '09:30' }),
      departure('2027-05-02', { start_time: '14:00', tenant_prices: { adult: 600, child: 300, deposit: 1 } }),
      departure('2027-05-03', { status: 'sold_out', seats_available: 0 }),
    ],
    isComplete: true,
  },
];
const CHOSEN: PurchaseEvent[] = [...LOADED, { type: 'chosen', date: '2027-05-01' }];
const HELD: PurchaseEvent[] = [
  ...CHOSEN,
  { type: 'started', task: 'hold' },
  { type: 'held', seats: seatsOf() },
];

describe('what a visitor chooses', () => {
  it('a date with one departure is chosen with the fewest units of the first category', () => {
    const purchase = after(CHOSEN);
    expect(departureOf(purchase)?.departure_date).toBe('2027-05-01');
    expect(purchase.party).toEqual({ adult: 1 });
    expect(holdBody(purchase)).toEqual({ tour_id: 'bay', departure_date: '2027-05-01', party: { adult: 1 } });
  });

  it('a date with several departures waits for the start time', () => {
    const onDate = after([...LOADED, { type: 'chosen', date: '2027-05-02' }]);
    expect([departureOf(onDate), holdBody(onDate)]).toEqual([undefined, undefined]);
    const chosen = after([{ type: 'chosen', date: '2027-05-02', time: '14:00' }], onDate);
    expect(holdBody(chosen)).toMatchObject({ departure_date: '2027-05-02', departure_time: '14:00' });
  });

  it('a category that the newly chosen departure does not sell leaves the party', () => {
    const { party } = after([
      ...LOADED,
      { type: 'chosen', date: '2027-05-02', time: '14:00' },
      { type: 'partyChanged', party: { adult: 2, child: 1 } },
      { type: 'chosen', date: '2027-05-01' },
    ]);
    expect(party).toEqual({ adult: 2 });
  });

  it('a departure that is sold out after a new read is no longer chosen', () => {
    const soldOut = departure('2027-05-01', { status: 'sold_out', seats_available: 0 });
    const purchase = after([...CHOSEN, { type: 'departuresRead', departures: [soldOut], isComplete: true }]);
    expect(departureOf(purchase)).toBeUndefined();
  });
});

describe('a hold', () => {
  it('a choice that is made while the seats are being held changes nothing', () => {
    const acting = after([...CHOSEN, { type: 'started', task: 'hold' }]);
    expect(after([{ type: 'chosen', date: '2027-05-02' }], acting)).toBe(acting);
    expect(after([{ type: 'partyChanged', party: { adult: 3 } }], acting)).toBe(acting);
  });

  it('a hold at the total that the visitor saw goes on to the form', () => {
    expect(after(HELD).stage).toMatchObject({ at: 'held', seen: undefined });
  });

  it('a hold at another total shows both totals until the visitor accepts the new one', () => {
    const changed = after([...CHOSEN, { type: 'held', seats: seatsOf({ total_price: 550 }) }]);
    expect(changed.stage).toMatchObject({ at: 'held', seen: { total_price: 500 } });
    const extended = after([{ type: 'held', seats: seatsOf({ total_price: 550 }) }], changed);
    expect(extended.stage).toMatchObject({ at: 'held', seen: { total_price: 500 } });
    expect(after([{ type: 'totalAccepted' }], extended).stage).toMatchObject({ seen: undefined });
  });

  it('a hold at the same number in another currency shows both totals, each in its own currency', () => {
    const changed = after([
      ...CHOSEN,
      { type: 'held', seats: seatsOf({ total_price: 500, currency: 'USD' }) },
    ]);
    expect(changed.stage).toMatchObject({ at: 'held', seen: { total_price: 500, currency: 'EUR' } });
  });

  it('a hold whose time is over can be held again with the same party, at a total that may be new', () => {
    const ended = after([...HELD, { type: 'timeOver' }]);
    expect(ended.stage).toMatchObject({ at: 'ended', reason: 'timeOver' });
    expect(holdBody(ended)).toEqual({ tour_id: 'bay', departure_date: '2027-05-01', party: { adult: 1 } });
    const again = after([{ type: 'held', seats: seatsOf({ hold_id: 'hold-2', total_price: 700 }) }], ended);
    expect(again.stage).toMatchObject({ at: 'held', seen: { total_price: 500 } });
  });

  it('the end of the time waits for the answer of a booking that is under way', () => {
    const booking_ = after([...HELD, { type: 'started', task: 'book' }, { type: 'timeOver' }]);
    expect(booking_.stage.at).toBe('held');
    const refused = after([{ type: 'refused', task: 'book', problem: problem('hold_expired') }], booking_);
    expect(refused.stage).toMatchObject({ at: 'ended', reason: 'timeOver' });
  });

  it('a refused booking keeps what the visitor typed', () => {
    const contact = { ...NO_CONTACT, name: 'Ana', phone: '1', answers: { diet: 'No nuts' } };
    const refused = after([
      ...HELD,
      { type: 'contactChanged', changed: contact },
      { type: 'started', task: 'book' },
      { type: 'refused', task: 'book', problem: problem('network') },
    ]);
    expect(refused).toMatchObject({ contact, task: undefined, stage: { at: 'held' } });
    expect(refused.refusal?.problem.code).toBe('network');
  });

  it('the answers stay through an extension, and the booked page has those of this tab alone', () => {
    const contact = { ...NO_CONTACT, answers: { diet: 'No nuts' }, pickup: 'station' };
    const extended = after([
      ...HELD,
      { type: 'contactChanged', changed: contact },
      { type: 'held', seats: { hold: hold(), endsAt: 2 } },
    ]);
    expect(extended.contact).toEqual(contact);
    const booked = after([{ type: 'booked', booking: booking(), contact }], extended);
    const again: PurchaseEvent = { type: 'bookingSeen', booking: booking() };
    expect(after([again], booked).stage).toMatchObject({ at: 'booked', contact });
    expect(after([...CHOSEN, again]).stage).toEqual({ at: 'booked', booking: booking(), contact: undefined });
  });

  it.each([
    ['hold_not_found', 'holdOver'],
    ['hold_state_conflict', 'holdOver'],
    ['hold_expired', 'timeOver'],
  ])('a booking that is refused with %s ends the hold: %s', (code, reason) => {
    const { stage } = after([...HELD, { type: 'refused', task: 'book', problem: problem(code) }]);
    expect(stage).toMatchObject({ at: 'ended', reason });
  });

  it('an alternative is chosen with its time, and the refusal disappears', () => {
    const alternative = { departure_date: '2027-05-02', departure_time: '14:00', seats_available: 3 };
    const refused = after([
      ...CHOSEN,
      { type: 'started', task: 'hold' },
      {
        type: 'refused',
        task: 'hold',
        problem: problem('insufficient_seats', { alternatives: [alternative] }),
      },
    ]);
    expect(refused.stage.at).toBe('choosing');
    const chosen = after([{ type: 'chosen', date: '2027-05-02', time: '14:00', isOffered: true }], refused);
    expect(chosen.stage).toEqual({ at: 'choosing', isOffered: true });
    expect(departureOf(chosen)?.start_time).toBe('14:00');
    expect(chosen.refusal).toBeUndefined();
  });

  it.each([
    ['2027-04-01T10:15:00Z', 15, true],
    ['2027-04-01T10:15:01.200Z', 15, true],
    ['2027-04-01T10:27:00Z', 15, false],
    ['2027-04-01T10:00:26Z', 15, false],
  ])('a hold that ends at %s after %d minutes may be extended: %s', (expires_at, hold_minutes, expected) => {
    expect(endsByMinutes(hold({ expires_at, hold_minutes }))).toBe(expected);
  });
});

describe('a tour that changes while the visitor chooses', () => {
  const [ADULT, CHILD] = TOUR.categories as [Category, Category];
  const tourRead = (categories: Category[]): PurchaseEvent => ({
    type: 'tourRead',
    tour: { ...TOUR, categories },
  });
  const priced = (...codes: string[]): PurchaseEvent => ({
    type: 'departuresRead',
    departures: [
      departure('2027-05-01', {
        tenant_prices: { ...Object.fromEntries(codes.map((code) => [code, 500])), deposit: 1 },
      }),
    ],
    isComplete: true,
  });
  const invalid = (...fields: string[]) =>
    problem('validation_failed', { errors: fields.map((field) => ({ in: 'body', field, message: '' })) });
  const refused: PurchaseEvent = { type: 'refused', task: 'hold', problem: invalid('party.child') };
  const FAMILY = after([
    ...LOADED.slice(0, -1),
    priced('adult', 'child'),
    { type: 'chosen', date: '2027-05-01' },
    { type: 'partyChanged', party: { adult: 2, child: 1 } },
    { type: 'started', task: 'hold' },
  ]);

  it('a refused choice is said as a changed tour, and no field is named', () => {
    const { refusal } = after([refused], FAMILY);
    expect(refusal).toEqual({ task: 'hold', problem: { code: 'tour_changed' } });
  });

  it('a party that breaks a new rule stays, so that the visitor sees and mends it', () => {
    const changed = after(
      [tourRead([{ ...ADULT, min: 3 }, CHILD]), priced('adult', 'child'), refused],
      FAMILY,
    );
    expect(changed).toMatchObject({ party: { adult: 2, child: 1 }, unsold: [], stage: { at: 'choosing' } });
  });

  it('a removed category leaves the party and is named, and the next choice forgets it', () => {
    const changed = after([tourRead([ADULT]), priced('adult'), refused], FAMILY);
    expect(changed).toMatchObject({ party: { adult: 2 }, unsold: [CHILD] });
    expect(after([{ type: 'partyChanged', party: { adult: 3 } }], changed).unsold).toEqual([]);
    expect(after([{ type: 'chosen', date: '2027-05-01' }], changed)).toMatchObject({
      party: { adult: 2 },
      unsold: [],
    });
  });

  it('a party of which nothing is sold any more is empty, and never another one that a second click would hold', () => {
    const [senior] = [{ ...ADULT, code: 'senior', kind: 'senior' as const }];
    const changed = after([tourRead([senior]), priced('senior'), refused], FAMILY);
    expect(changed).toMatchObject({ party: {}, unsold: [ADULT, CHILD] });
    expect(after([priced('senior'), tourRead([senior])], changed).party).toEqual({});
    const chosen = after([{ type: 'chosen', date: '2027-05-01' }], changed);
    expect(chosen).toMatchObject({ party: { senior: 1 }, unsold: [] });
  });

  it('a category with a new code keeps its units', () => {
    const changed = after(
      [tourRead([{ ...ADULT, code: 'grown_up' }, CHILD]), priced('grown_up', 'child'), refused],
      FAMILY,
    );
    expect(changed).toMatchObject({ party: { grown_up: 2, child: 1 }, unsold: [] });
  });

  it('an ended hold that the tour no longer sells leads back to the choice', () => {
    const ended = after([...HELD, { type: 'timeOver' }, { type: 'started', task: 'hold' }]);
    const changed = after([tourRead([{ ...ADULT, min: 2 }, CHILD]), refused], ended);
    expect(changed).toMatchObject({ stage: { at: 'choosing' }, date: '2027-05-01', party: { adult: 1 } });
  });

  it('a departure that a click has chosen is not replaced by another one of its date', () => {
    const both = ['09:30', '14:00'].map((start_time) => departure('2027-05-01', { start_time }));
    const sold = (index: number): PurchaseEvent => ({
      type: 'departuresRead',
      departures: both.map((one, at) =>
        at === index ? { ...one, status: 'sold_out', seats_available: 0 } : one,
      ),
      isComplete: true,
    });
    const chosen = after([...LOADED.slice(0, -1), sold(1), { type: 'chosen', date: '2027-05-01' }]);
    expect(departureOf(chosen)?.start_time).toBe('09:30');
    expect(departureOf(after([sold(0)], chosen))).toBeUndefined();
  });

  it('a departure on which no booking fits cannot be chosen', () => {
    const grouped = after(
      [tourRead([{ ...ADULT, min: 10 }]), { type: 'chosen', date: '2027-05-01' }],
      after(LOADED),
    );
    expect(departureOf(grouped)).toBeUndefined();
  });

  it.each([
    [['name'], 'validation_failed'],
    [['travellers.0.birth_date'], 'validation_failed'],
    [['answers.diet'], 'validation_failed'],
    [['answers.dropped'], 'tour_changed'],
    [['travellers.0.answers.dropped'], 'tour_changed'],
    [['pickup.point'], 'tour_changed'],
    [['party.adult'], 'internal_error'],
    [[], 'internal_error'],
  ])(
    'a booking that is refused for the fields %j asks to check them only if the form has them: %s',
    (fields, code) => {
      const { refusal } = after([...HELD, { type: 'refused', task: 'book', problem: invalid(...fields) }]);
      expect(refusal?.problem.code).toBe(code);
    },
  );
});

describe('a call that takes long', () => {
  it('the visitor waits for the answer, for the next try, and then for a slow network until the call ends', () => {
    const acting = after([...CHOSEN, { type: 'started', task: 'hold' }]);
    expect(acting.wait).toBe('short');
    const delayed = after([{ type: 'delayed' }], acting);
    expect(delayed.wait).toBe('delayed');
    const slow = after([{ type: 'slowed' }, { type: 'delayed' }], delayed);
    expect(slow.wait).toBe('slow');
    expect(after([{ type: 'refused', task: 'hold', problem: problem('stopped') }], slow)).toMatchObject({
      wait: 'short',
      task: undefined,
      stage: { at: 'choosing' },
    });
  });
});

describe('a departure that can no longer be booked, while its seats are held', () => {
  const read = (status: Departure['status'], others: Departure[] = []): PurchaseEvent => ({
    type: 'departuresRead',
    departures: [departure('2027-05-01', { status, seats_available: 0 }), ...others],
    isComplete: true,
  });

  it.each([
    ['cancelled', 'departure_cancelled'],
    ['closed', 'departure_gone'],
  ] as const)('the hold is refused once the departures tell that it is %s: %s', (status, code) => {
    const seen = after([read(status)], after(HELD));
    expect(seen).toMatchObject({ stage: { at: 'held' }, refusal: { task: 'book', problem: { code } } });
    expect(isRefusedForGood(seen)).toBe(true);
    expect(after([read(status)], seen).refusal).toBe(seen.refusal);
  });

  it.each(['available', 'sold_out'] as const)('the hold of one that is %s stays bookable', (status) => {
    expect(after([read(status)], after(HELD)).refusal).toBeUndefined();
  });

  it('the three nearest departures with seats for the party are offered, with their start times', () => {
    const others = [
      departure('2027-04-20'),
      departure('2027-04-30', { seats_available: 1 }),
      departure('2027-05-03', { status: 'closed' }),
      departure('2027-05-09', { start_time: '14:00' }),
      departure('2027-05-04'),
      departure('2027-06-01'),
    ];
    const held = after([...CHOSEN, { type: 'held', seats: seatsOf({ quantity: 2 }) }]);
    const { alternatives = [] } = after([read('cancelled', others)], held).refusal!.problem;
    expect(alternatives.map((one) => [one.departure_date, one.departure_time])).toEqual([
      ['2027-05-04', null],
      ['2027-05-09', '14:00'],
      ['2027-04-20', null],
    ]);
  });

  it('a hold that a reload has found keeps the refusal, and the page its focus', () => {
    const events: PurchaseEvent[] = [...LOADED.slice(0, 2), { type: 'holdSeen', seats: seatsOf() }];
    const loaded = after([...events, { type: 'loaded' }, read('cancelled')]);
    expect(loaded).toMatchObject({ stage: { at: 'held' }, isTouched: false, task: undefined });
    expect(isRefusedForGood(loaded)).toBe(true);
  });

  it('a call that is under way decides itself', () => {
    const booking_ = after([...HELD, { type: 'started', task: 'book' }]);
    expect(after([read('cancelled')], booking_).refusal).toBeUndefined();
  });

  it('a refused booking stays refused when the hold is seen, and another choice ends it', () => {
    const refused = after([
      ...HELD,
      { type: 'refused', task: 'book', problem: problem('departure_cancelled') },
      { type: 'holdSeen', seats: seatsOf() },
    ]);
    expect([refused.stage.at, isRefusedForGood(refused)]).toEqual(['held', true]);
    const chosen = after([{ type: 'chosen', date: '2027-05-02', time: '14:00', isOffered: true }], refused);
    expect([chosen.stage.at, isRefusedForGood(chosen)]).toEqual(['choosing', false]);
  });
});

describe('what another tab, a reload or another element has done', () => {
  it('a live hold of this tour is shown after a load', () => {
    const [started, tourRead, ...rest] = LOADED;
    const found = after([started!, tourRead!, { type: 'holdSeen', seats: seatsOf() }, ...rest]);
    expect(found).toMatchObject({ stage: { at: 'held' }, date: '2027-05-01', isTouched: false });
  });

  const OTHER = seatsOf({ hold_id: 'hold-2', departure_date: '2027-05-02', total_price: 900 });

  it.each([
    ['a hold', HELD, 'holdOver'],
    ['a hold whose time is over', [...HELD, { type: 'timeOver' }], 'timeOver'],
  ] as [string, PurchaseEvent[], string][])(
    'another hold of this tour replaces %s only after the visitor has accepted it',
    (_shown, events, reason) => {
      const seen = after([...events, { type: 'holdSeen', seats: OTHER }]);
      expect(seen).toMatchObject({ stage: { at: 'ended', reason }, otherSeats: OTHER });
      const accepted = after([{ type: 'otherAccepted' }], seen);
      expect(accepted.stage).toMatchObject({ at: 'held', hold: { hold_id: 'hold-2' }, seen: undefined });
      expect(accepted).toMatchObject({ date: '2027-05-02', otherSeats: undefined });
    },
  );

  it('another hold of this tour is shown to a visitor who has not acted, and offered to one who chooses or has booked', () => {
    const seen: PurchaseEvent = { type: 'holdSeen', seats: OTHER };
    expect(after([...LOADED, seen]).stage.at).toBe('held');
    expect(after([...CHOSEN, seen])).toMatchObject({ stage: { at: 'choosing' }, otherSeats: OTHER });
    const booked = after([...HELD, { type: 'booked', booking: booking() }, seen]);
    expect(booked).toMatchObject({ stage: { at: 'booked' }, otherSeats: OTHER });
  });

  it('the hold that the visitor asked for is shown when its answer was lost, with a total that has changed', () => {
    const lost: PurchaseEvent = { type: 'refused', task: 'hold', problem: problem('network') };
    const seats = seatsOf({ total_price: 550 });
    expect(after([...CHOSEN, lost, { type: 'holdSeen', seats }]).stage).toMatchObject({
      at: 'held',
      seen: { total_price: 500 },
    });
  });

  it('a hold that ended by the clock of this browser alone is shown again', () => {
    const seen = after([...HELD, { type: 'timeOver' }, { type: 'holdSeen', seats: seatsOf() }]);
    expect(seen.stage).toMatchObject({ at: 'held', hold: { hold_id: 'hold-1' } });
  });

  it('a hold of another tour ends the shown one, and changes nothing for a visitor who chooses', () => {
    const seats = seatsOf({ hold_id: 'hold-2', tour: { id: 'tour-2', slug: 'isle' } });
    expect(after([...HELD, { type: 'holdSeen', seats }]).stage).toMatchObject({
      at: 'ended',
      reason: 'holdOver',
    });
    expect(after([...CHOSEN, { type: 'holdSeen', seats }]).stage.at).toBe('choosing');
  });

  it('a live hold of another tour is known until a hold of this tour releases it, or until it has ended', () => {
    const other = { hold_id: 'hold-2', tour: { id: 'tour-2', slug: 'isle' } };
    const seen = after([...CHOSEN, { type: 'holdSeen', seats: seatsOf(other) }]);
    expect(seen.otherSeats?.endsAt).toBe(ENDS_AT);
    const ends: PurchaseEvent[] = [
      { type: 'held', seats: seatsOf() },
      { type: 'holdSeen', seats: undefined },
      { type: 'holdSeen', seats: seatsOf({ ...other, status: 'expired' }) },
      { type: 'bookingSeen', booking: booking({ tour: { id: 'tour-2', slug: 'isle' } }) },
    ];
    for (const end of ends) expect(after([end], seen).otherSeats).toBeUndefined();
  });

  it('a hold that expired in a tab that slept ends by its time', () => {
    const { stage } = after([...HELD, { type: 'holdSeen', seats: seatsOf({ status: 'expired' }) }]);
    expect(stage).toMatchObject({ at: 'ended', reason: 'timeOver' });
  });

  it('what was seen while a call of the visitor runs changes nothing', () => {
    const acting = after([...HELD, { type: 'started', task: 'book' }]);
    expect(after([{ type: 'holdSeen', seats: undefined }], acting)).toBe(acting);
    expect(after([{ type: 'bookingSeen', booking: undefined }], acting)).toBe(acting);
  });

  it('a standing booking of this tour is shown, and one of another tour or a cancelled one is not', () => {
    expect(after([...CHOSEN, { type: 'bookingSeen', booking: booking() }]).stage.at).toBe('booked');
    for (const other of [booking({ status: 'cancelled' }), booking({ tour: { id: 'tour-2', slug: 'isle' } })])
      expect(after([...CHOSEN, { type: 'bookingSeen', booking: other }]).stage.at).toBe('choosing');
  });

  it('the booking that is shown gets its new status, also after it was cancelled or its time to pay is over', () => {
    const shown = after([...HELD, { type: 'booked', booking: booking() }]);
    for (const status of ['cancelled', 'expired', 'confirmed'] as const) {
      const { stage } = after([{ type: 'bookingSeen', booking: booking({ status }) }], shown);
      expect(stage).toMatchObject({ at: 'booked', booking: { status } });
    }
  });

  it('the booking after which the visitor began again is not shown again', () => {
    const again = after([...HELD, { type: 'booked', booking: booking() }, { type: 'startedAgain' }]);
    expect(again).toMatchObject({ stage: { at: 'choosing' }, pastBooking: 'A-1', party: {} });
    expect(after([{ type: 'bookingSeen', booking: booking() }], again).stage.at).toBe('choosing');
    expect(after([{ type: 'bookingSeen', booking: booking({ booking_ref: 'A-2' }) }], again).stage.at).toBe(
      'booked',
    );
  });
});

describe('a tour that cannot be read', () => {
  const FAILED = after([LOADED[0]!, { type: 'refused', task: 'load', problem: problem('network') }]);

  it('a refused load shows its problem without the focus, and a new try shows the tour', () => {
    expect(FAILED).toMatchObject({ stage: { at: 'failed' }, isTouched: false });
    expect(after(LOADED, FAILED)).toMatchObject({ stage: { at: 'choosing' }, isTouched: false });
  });

  it('the problem stays during a new try, whose click is an act of the visitor', () => {
    const again = after([{ type: 'started', task: 'load' }], FAILED);
    expect(again).toMatchObject({ stage: { at: 'loading' }, refusal: FAILED.refusal, isTouched: true });
    const loaded = after(LOADED.slice(1), again);
    expect([loaded.refusal, loaded.isTouched]).toEqual([undefined, true]);
  });

  it('a new try shows the hold that the visitor has', () => {
    const [, tourRead, ...rest] = LOADED;
    const seen: PurchaseEvent[] = [tourRead!, { type: 'holdSeen', seats: seatsOf() }, ...rest];
    const again = after([{ type: 'started', task: 'load' }, ...seen], FAILED);
    expect(again).toMatchObject({ stage: { at: 'held' }, otherSeats: undefined });
  });
});
