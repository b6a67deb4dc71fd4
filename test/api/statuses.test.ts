import { readFileSync } from 'node:fs';
import { BOOKING_STATUSES, type BookingStatus } from '../../services/api/bookings/booking-status';
import { isLimited } from '../../services/api/bookings/desk-terms';
import { ENDED_STATUSES, HOLD_STATUSES, type HoldStatus } from '../../services/api/holds/hold-status';
import { DEPARTURE_STATUSES, departureStatus, isOpen } from '../../services/api/departures/departure';
import { findDepartures } from '../../services/api/departures/departure.repository';
import { openAt } from '../../services/api/catalog/departure-state';
import { useTestDatabase } from '../support/database';
import { givenTour } from '../support/given';

const database = useTestDatabase();

const TABLES = [
  {
    table: 'seat_holds',
    statuses: HOLD_STATUSES as Record<string, { takesSeats: boolean }>,
    takesSeats: 'hold_takes_seats',
    index: 'seat_holds_live_by_kind',
  },
  {
    table: 'booking_leads',
    statuses: BOOKING_STATUSES as Record<string, { takesSeats: boolean }>,
    takesSeats: 'lead_takes_seats',
    index: 'booking_leads_standing_by_kind',
  },
];

/** Returns the texts in single quotes. */
function quoted(sql: string): string[] {
  return [...sql.matchAll(/'([a-z_]+)'/g)].map(([, text]) => text!).sort();
}

describe.each(TABLES)('the statuses of $table', ({ table, statuses, takesSeats, index }) => {
  const keeping = Object.keys(statuses)
    .filter((status) => statuses[status]!.takesSeats)
    .sort();

  it(`the rows of the code are the statuses that the column of ${table} allows`, async () => {
    const { rows } = await database.db.raw<{ rows: [{ definition: string }] }>(
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ?',
      [`${table}_status_known`],
    );
    expect(quoted(rows[0].definition)).toEqual(Object.keys(statuses).sort());
  });

  it(`the database and the code say the same of which statuses of ${table} take seats`, async () => {
    const { rows } = await database.db.raw<{ rows: { status: string }[] }>(
      `select status from unnest(?::text[]) as status where ${takesSeats}(status) order by status`,
      [Object.keys(statuses)],
    );
    expect(rows.map(({ status }) => status)).toEqual(keeping);
  });

  it(`the index by which the seats of ${table} are counted has the statuses that take seats`, async () => {
    const { rows } = await database.db.raw<{ rows: [{ predicate: string }] }>(
      'select pg_get_expr(indpred, indrelid) as predicate from pg_index where indexrelid = ?::regclass',
      [index],
    );
    expect(quoted(rows[0].predicate)).toEqual(keeping);
  });
});

/** The parts of openapi.json that this file reads. */
interface Reference {
  paths: Record<string, { get: { parameters: { name: string; schema: { enum?: string[] } }[] } }>;
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> };
}

function reference(): Reference {
  return JSON.parse(readFileSync('services/api/generated/openapi.json', 'utf8')) as Reference;
}

describe('the actions in each status', () => {
  it('of a booking lead to these statuses, change nothing or are refused', () => {
    const conflict = 'booking_state_conflict';
    expect(outcomes(BOOKING_STATUSES, ['confirm', 'cancel', 'change'])).toEqual({
      pending_payment: ['confirmed', 'cancelled', 'pending_payment'],
      confirmed: ['stay', 'cancelled', 'confirmed'],
      cancelled: [conflict, 'stay', conflict],
      expired: ['confirmed', conflict, conflict],
    });
  });

  it('of a hold lead to these statuses, change nothing or are refused', () => {
    const conflict = 'hold_state_conflict';
    expect(outcomes(HOLD_STATUSES, ['book', 'change', 'release', 'erase'])).toEqual({
      active: ['converted', 'active', 'released', 'active'],
      released: [conflict, conflict, 'stay', 'released'],
      expired: ['hold_expired', 'hold_expired', 'stay', 'expired'],
      converted: [conflict, conflict, conflict, conflict],
    });
  });

  function outcomes<Row extends object>(table: Record<string, Row>, actions: (keyof Row)[]) {
    const rows = Object.entries(table);
    return Object.fromEntries(rows.map(([status, row]) => [status, actions.map((action) => row[action])]));
  }
});

describe('the statuses in the reference of REST', () => {
  it.each([
    ['booking_leads', '/api/tenant/bookings', 'BookingAnswer'],
    ['seat_holds', '/api/gateway/holds', 'HoldAnswer'],
  ] as const)('the filter and the answers of REST have all statuses of %s', (table, path, answer) => {
    const statuses = Object.keys(TABLES.find((one) => one.table === table)!.statuses).sort();
    const { paths, components } = reference();
    const filter = paths[path]!.get.parameters.find(({ name }) => name === 'status')!;
    expect(filter.schema.enum!.toSorted()).toEqual(statuses);
    expect(components.schemas[answer]!.properties.status!.enum!.toSorted()).toEqual(statuses);
  });
});

describe('the holds that have ended without a booking', () => {
  it.each(['seat_holds_to_anonymize', 'seat_holds_to_delete'])(
    'the index %s has the statuses that such a hold can have',
    async (index) => {
      const { rows } = await database.db.raw<{ rows: [{ predicate: string }] }>(
        'select pg_get_expr(indpred, indrelid) as predicate from pg_index where indexrelid = ?::regclass',
        [index],
      );
      expect(quoted(rows[0].predicate)).toEqual(ENDED_STATUSES.toSorted());
    },
  );

  it('delete_ended_holds deletes the holds with these statuses', async () => {
    const { rows } = await database.db.raw<{ rows: [{ source: string }] }>(
      `select prosrc as source from pg_proc where proname = 'delete_ended_holds'`,
    );
    const [, statuses] = /h\.status in \(([^)]*)\)/.exec(rows[0].source)!;
    expect(quoted(statuses!)).toEqual(ENDED_STATUSES.toSorted());
  });
});

describe('the functions about one row', () => {
  it('a booking is unpaid in the statuses that await payment, and these alone expire', async () => {
    const { rows } = await database.db.raw<{
      rows: { status: BookingStatus; unpaid: boolean; lapsed: boolean }[];
    }>(
      `select status, lead_is_unpaid(status, now() + interval '1 hour', now()) as unpaid,
         lead_lapsed(status, now() - interval '1 hour', now()) as lapsed from unnest(?::text[]) as status`,
      [Object.keys(BOOKING_STATUSES)],
    );
    expect(rows).toHaveLength(4);
    for (const { status, unpaid, lapsed } of rows) {
      const { awaitsPayment } = BOOKING_STATUSES[status];
      expect([status, unpaid, lapsed]).toEqual([status, awaitsPayment, awaitsPayment]);
    }
  });

  it('a hold lives and lapses in the statuses that take seats alone', async () => {
    const { rows } = await database.db.raw<{
      rows: { status: HoldStatus; lives: boolean; lapsed: boolean }[];
    }>(
      `select status, hold_lives(status, now() + interval '1 hour', now()) as lives,
         hold_lapsed(status, now() - interval '1 hour', now()) as lapsed from unnest(?::text[]) as status`,
      [Object.keys(HOLD_STATUSES)],
    );
    for (const { status, lives, lapsed } of rows) {
      const { takesSeats } = HOLD_STATUSES[status];
      expect([status, lives, lapsed]).toEqual([status, takesSeats, takesSeats]);
    }
  });
});

describe('the status of a departure', () => {
  it('the list of each status, the status of each departure and the function of the database agree', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const rows = [-3, 9].flatMap((day, atDay) =>
      ['scheduled', 'cancelled'].flatMap((status, atStatus) =>
        [null, -5, 1].map((closing, place) => ({
          day,
          status,
          closing,
          hour: 10 + atDay + 2 * atStatus + 4 * place,
        })),
      ),
    );
    for (const { day, status, closing, hour } of rows)
      await db.raw(
        `insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor, status, closes_at)
         values (?, current_date + ?::integer, ?, 1, '{"adult": 100}', ?, now() + make_interval(days => ?::integer))`,
        [tour.id, day, `${hour}:00`, status, closing],
      );
    const all = { sandbox: false, limit: 100 };
    const from = '2000-01-01';
    const departures = await findDepartures(db, tour.id, { ...all, from });
    expect(departures).toHaveLength(rows.length);
    for (const status of DEPARTURE_STATUSES) {
      const listed = await findDepartures(db, tour.id, { ...all, from, status });
      const same = departures.filter((departure) => departureStatus(departure) === status);
      expect([status, listed.map(({ id }) => id)]).toEqual([status, same.map(({ id }) => id)]);
    }
    const { rows: open } = await db.raw<{ rows: { id: string }[] }>(
      `select d.id from departures d join tours t on t.id = d.tour_id where t.id = ? and ${openAt('now()')} order by d.id`,
      [tour.id],
    );
    const ids = departures.filter(isOpen).map(({ id }) => id);
    expect(open.map(({ id }) => id)).toEqual(ids.sort());
  });
});

describe('the source of a sale', () => {
  it.each(['tenant_api', 'octo', 'desk', 'import'] as const)(
    'TypeScript and SQL agree whether the limits of websites count a sale of %s',
    async (source) => {
      const { rows } = await database.db.raw('select source_is_limited(?) as limited', [source]);
      expect(rows).toEqual([{ limited: isLimited(source) }]);
    },
  );
});
