import fc from 'fast-check';

/** The weight of each command: a higher weight occurs more often in a schedule. */
const WEIGHTS = {
  hold: 24,
  book: 16,
  'extend hold': 4,
  'change hold': 8,
  'release hold': 4,
  'end hold': 4,
  'change booking': 8,
  confirm: 8,
  cancel: 5,
  'end payment': 2,
  'adjust booking': 8,
  'set seats': 5,
  'cancel departure': 1,
  'reopen departure': 2,
  import: 6,
  'revoke key': 1,
  suspend: 1,
  'hold beside': 12,
  'release beside': 4,
  'end beside': 8,
} as const;
export type CommandKind = keyof typeof WEIGHTS;

/** One command of a client. Each kind uses the fields that it needs. */
export interface Command {
  kind: CommandKind;
  tenant: number;
  key: number;
  /** Index of the instance that gets the request. The other instance gets the repeat. */
  instance: number;
  octo: boolean;
  departure: number;
  /** The fields by which a REST request names its departure. A change may omit the date. No departure starts at the wrong time. */
  names: 'date and time' | 'date' | 'time' | 'wrong time';
  adults: number;
  infants: number;
  families: number;
  /** The `external_ref` of the hold. A booking by reference has the same `external_ref`. */
  reference: 'A' | 'B' | null;
  by: 'hold' | 'reference' | 'date' | 'nothing';
  /** Decimal text in major units. The largest discount is more than any sum, and 0 takes an adjustment away. */
  adjustment: string;
  /** A number that chooses a hold or booking when the command runs. The tenant of the hold or booking sends the request. */
  pick: number;
  /** Sends the request again with the same Idempotency-Key. */
  again: 'never' | 'at once' | 'later';
}

/** The commands of concurrent clients. Each client waits for an answer before its next command. */
export interface Schedule {
  groupCommit: ['on' | 'off', 'on' | 'off'];
  /** The start time of the tour. A departure without a start time starts at this time. */
  startTime: string | null;
  seats: number;
  /** The only boat of all departures. Null: they use none. */
  boat: Boat | null;
  /** The sales on the boat before the clients begin. */
  firstSales: FirstSale[];
  clients: Command[][];
}

/** A resource with one unit. Two departures of the tour start five hours apart. */
export interface Boat {
  places: number;
  /** The minutes for which a departure uses it, and those of the turnaround. */
  time: [number, number];
  /** True: departures that start at the same instant are one trip. */
  shared: boolean;
  /** The minutes from the start of the first departure to that of another tour that uses the boat too. */
  beside: number;
  zone: Zone;
}

/** The zone of the other tour: it is always as far from UTC. */
export type Zone = 'Asia/Ho_Chi_Minh' | 'America/Bogota';

/** A hold on the boat, while nobody else sells. */
export interface FirstSale {
  /** Index of the departure of the tour, or one more for that of the other tour. */
  departure: number;
  seats: 'one' | 'all';
  /** A hold expires without a mark, so that only the clock says that it has ended. */
  then: 'stays' | 'is released' | 'expires';
}

const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({
      arbitrary: fc.constant(kind as CommandKind),
      weight,
    })),
  ),
  tenant: fc.nat(2),
  key: fc.nat(1),
  instance: fc.nat(1),
  octo: fc.boolean(),
  departure: fc.nat(2),
  names: fc.constantFrom(
    'date and time',
    'date and time',
    'date and time',
    'date',
    'date',
    'time',
    'wrong time',
  ),
  adults: fc.integer({ min: 1, max: 3 }),
  infants: fc.nat(2),
  families: fc.constantFrom(0, 0, 1),
  reference: fc.constantFrom('A', 'B', null),
  by: fc.constantFrom('hold', 'hold', 'reference', 'date', 'date', 'nothing'),
  adjustment: fc.constantFrom('-20', '-150', '35', '0', '-100000'),
  pick: fc.nat(50),
  again: fc.constantFrom('never', 'never', 'at once', 'later'),
});

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  groupCommit: fc.constantFrom(['on', 'on'], ['off', 'off'], ['on', 'off']),
  startTime: fc.constantFrom(null, '11:00'),
  seats: fc.integer({ min: 3, max: 14 }),
  boat: fc.option(
    fc.record({
      places: fc.integer({ min: 3, max: 14 }),
      // Two departures that start five hours apart touch, or overlap by a minute.
      time: fc.constantFrom<[number, number][]>(
        [240, 60],
        [300, 0],
        [240, 61],
        [240, 61],
        [300, 1],
        [301, 0],
      ),
      shared: fc.boolean(),
      beside: fc.constantFrom(0, 0, 0, 240, 300, 569, 600),
      zone: fc.constantFrom<Zone[]>('Asia/Ho_Chi_Minh', 'America/Bogota'),
    }),
  ),
  firstSales: fc.array(
    fc.record({
      departure: fc.nat(3),
      seats: fc.constantFrom('one', 'all'),
      then: fc.constantFrom('stays', 'stays', 'is released', 'expires', 'expires'),
    }),
    { minLength: 4, maxLength: 7 },
  ),
  clients: fc.array(fc.array(command, { minLength: 3, maxLength: 9 }), { minLength: 4, maxLength: 8 }),
});
