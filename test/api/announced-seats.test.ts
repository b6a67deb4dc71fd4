import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findDepartureById } from '../../services/api/departures/departure.repository';
import type { ChangedDate } from '../../services/api/seats/after-commit';
import type { BulkChange } from '../../services/api/seats/bulk-change';
import { cancelAll } from '../../services/api/seats/changes/cancel-all';
import {
  cancelDeparture,
  reopenDeparture,
  setSeats,
} from '../../services/api/seats/changes/change-departure';
import { anonymizeBooking, anonymizeHold } from '../../services/api/seats/changes/erase-customer';
import { expire } from '../../services/api/seats/changes/expire';
import { moveDeparture } from '../../services/api/seats/changes/move-departure';
import { setUses } from '../../services/api/seats/changes/set-uses';
import { undoImport } from '../../services/api/seats/changes/undo-import';
import { performBulk } from '../../services/api/seats/perform';
import { inTransaction, type Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { changeDepartures } from '../support/change';
import { givenResource } from '../support/given-resources';
import { endPaymentWindow, useWebsite } from '../support/website';
import { book, type Given, givenForWrites, hold } from '../support/writing-requests';

/**
 * Each change of departures records the dates whose seats it changes, and none when it is repeated. (after-commit.long.test.ts walks the
 * routes, test/cli/changed-seats.long.test.ts the commands.)
 */
const api = useTestApi();
const site = useWebsite(api);

const by = 'operator ana' as const;
const secret = 'c'.repeat(32);

/** Creates what the change needs. @returns the change */
type Prepare = (given: Given) => Promise<(trx: Trx) => Promise<BulkChange>>;

async function lapsedBooking(given: Given): Promise<string> {
  const ref = (await book(given)).body.booking_ref;
  await endPaymentWindow(api.db, ref);
  return ref;
}

/** Makes a booking that of an import. @returns the id of the import */
async function importedBooking(given: Given): Promise<string> {
  const ref = (await book(given)).body.booking_ref;
  const made = { tenant_id: site.tenant.id, created_by: by, silent: true };
  const [{ id }] = await api.db('booking_imports').insert(made, ['id']);
  await api.db.raw(
    `update booking_leads set import_id = i.id, updated_at = i.created_at from booking_imports i
     where i.id = ? and booking_ref = ?`,
    [id, ref],
  );
  return id;
}

const move: (given: Given) => (trx: Trx) => Promise<BulkChange> =
  ({ tour, date, other }) =>
  async (trx) =>
    moveDeparture(trx, tour, { from: { date }, to: { date: other.date }, by });

/** The changes of departures, by their file in seats/changes. */
const CHANGES: Record<string, Record<string, Prepare>> = {
  'cancel-all.ts': {
    'the cancellation of all bookings': async (given) => {
      await book(given);
      const departure = await findDepartureById(api.db, given.departureId, false);
      return async () => cancelAll(departure!, { by, reason: null });
    },
  },
  'change-departure.ts': {
    'the cancellation of a departure':
      async ({ tour, date }) =>
      async (trx) =>
        cancelDeparture(trx, tour, { date }),
    'the reopening of a departure': async ({ tour, date }) => {
      await inTransaction(api.db, (trx) => changeDepartures(trx, cancelDeparture(trx, tour, { date })));
      return async (trx) => reopenDeparture(trx, tour, { date });
    },
    'another number of seats':
      async ({ tour, date }) =>
      async (trx) =>
        setSeats(trx, tour, { date }, 7),
  },
  'erase-customer.ts': {
    'an erasure of a booking beside an expired one': async (given) => {
      const ref = (await book(given)).body.booking_ref;
      await lapsedBooking(given);
      return async (trx) => anonymizeBooking(trx, ref, secret);
    },
    'an erasure of a hold beside an expired booking': async (given) => {
      const { hold_id } = (await hold(given)).body;
      await lapsedBooking(given);
      return async (trx) => anonymizeHold(trx, hold_id, secret);
    },
  },
  'expire.ts': {
    'an expiry': async (given) => {
      await lapsedBooking(given);
      return async () => expire(given.departureId);
    },
  },
  'move-departure.ts': {
    'a move of a booking': async (given) => {
      await book(given);
      return move(given);
    },
    'a move of a hold': async (given) => {
      await hold(given);
      return move(given);
    },
  },
  'set-uses.ts': {
    'a list of resources': async ({ tour, date }) => {
      const resource = await givenResource(api.db);
      return (trx) => setUses(trx, tour, { date }, [{ resource }]);
    },
  },
  'undo-import.ts': {
    'the undo of an import': async (given) => {
      const importId = await importedBooking(given);
      return (trx) => undoImport(trx, { importId, isSilent: true, by });
    },
  },
};

/** Performs the change. @returns the different dates that it records */
async function recorded(prepare: (trx: Trx) => Promise<BulkChange>): Promise<ChangedDate[]> {
  const dates: ChangedDate[] = [];
  const record = async (_: Trx, changed: ChangedDate[]) => void dates.push(...changed);
  await inTransaction(api.db, async (trx) => performBulk({ trx, record }, await prepare(trx)));
  return [...new Map(dates.map((one) => [JSON.stringify(one), one])).values()];
}

const cases = Object.entries(CHANGES).flatMap(([file, changes]) =>
  Object.entries(changes).map(([name, prepare]): [string, string, Prepare] => [name, file, prepare]),
);

describe('a change of departures', () => {
  it.each(cases)(
    '%s (%s) records the dates whose seats it changes once, real seats and those of the sandbox',
    async (_, file, prepare) => {
      const given = await givenForWrites(api, site);
      const change = await prepare(given);
      const dates = file === 'move-departure.ts' ? [given.date, given.other.date] : [given.date];
      const inCatalog = file === 'change-departure.ts' ? { inCatalog: true } : {};
      const expected = dates.flatMap((date) =>
        [false, true].map((sandbox) => ({ tourId: given.tour.id, date, sandbox, ...inCatalog })),
      );
      expect(await recorded(change)).toEqual(expected);
      expect(await recorded(change)).toEqual([]);
    },
  );

  it('a change of departures that finds expired seats records them, whatever else it changes', async () => {
    const given = await givenForWrites(api, site);
    await lapsedBooking(given);
    const { tour, date } = given;
    const [seats] = await api.db('departures').where({ id: given.departureId }).pluck('seats_total');
    const dates = await recorded((trx) => setSeats(trx, tour, { date }, seats));
    expect(dates).toEqual([false, true].map((sandbox) => ({ tourId: tour.id, date, sandbox })));
  });
});

const ROOT = path.resolve(__dirname, '../..');
const SEATS = 'services/api/seats/';

/** Returns the source files of the services and the terminal, with their text. */
function sources(): { file: string; text: string }[] {
  return ['services', 'cli'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('api/generated/'))
      .map((name) => ({
        file: `${folder}/${name}`,
        text: readFileSync(path.join(ROOT, folder, name), 'utf8'),
      })),
  );
}

describe('the code that changes seats', () => {
  it('each file of seats/changes with a change of departures is listed above, unless it changes no seats', () => {
    const files = sources().filter(
      ({ file, text }) => file.startsWith(`${SEATS}changes/`) && text.includes("from '../bulk-change'"),
    );
    const noSeats = ['set-pickup-time.ts'];
    expect(files.map(({ file }) => path.basename(file)).sort()).toEqual(
      [...Object.keys(CHANGES), ...noSeats].sort(),
    );
  });

  it('only the files of the engine, the tables and the import write holds, bookings and departures', () => {
    const table = '(seat_holds|booking_leads|departures)';
    const writes = new RegExp(
      `(insert into|update|delete from)\\s+${table}\\b|\\('${table}'\\)[^;]*\\.(insert|update|delete)\\(`,
    );
    const files = sources().filter(({ text }) => writes.test(text));
    expect(files.map(({ file }) => file).sort()).toEqual([
      'services/api/bookings/booking-answers.repository.ts',
      'services/api/bookings/booking-lead.repository.ts',
      'services/api/catalog-import/apply.repository.ts',
      'services/api/departures/departure-sales.repository.ts',
      'services/api/departures/departure.repository.ts',
      'services/api/holds/move-holds.ts',
      'services/api/holds/seat-hold.repository.ts',
      'services/api/seats/write-new-rows.ts',
    ]);
  });

  it('only the engine calls what frees, takes or moves seats: write a change in seats/changes, and perform it', () => {
    const writers = /import [^;]*\b(cancelLeads|moveLeadRows|moveHoldRows|changeDeparture|markExpired\w+)\b/;
    const files = sources().filter(({ text }) => writers.test(text));
    expect(
      files
        .map(({ file }) => file)
        .filter((file) => !file.startsWith(SEATS))
        .sort(),
    ).toEqual([
      // Marks what has expired under the locks of the import.
      'services/api/catalog-import/import-catalog.ts',
      'services/api/departures/mark-expired-seats.ts',
    ]);
  });
});
