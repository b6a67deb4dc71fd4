import { type Db, inTransaction } from '../../platform/database/database';
import { todayIn } from '../../platform/forms/days';
import { TourNotFoundError } from '../catalog/catalog.errors';
import { getVisibleTour } from '../catalog/find-tour';
import { findDeparture } from '../departures/find-departures';
import { assertMayAddSeats } from '../seats/changes/change-departure';
import { DeparturePastError, type ImportedBooking } from '../seats/changes/import-booking';
import { type ChangeDecision, decideTogether } from '../seats/perform';
import { ImportKeyChangedError } from './booking-import.errors';
import { type BookingImportReport, emptyReport, namedRow, Tally } from './booking-import-report';
import {
  type BookingRow,
  type CancelledRow,
  digestOfRow,
  readBookingRow,
  type SourceBooking,
} from './booking-row';
import { SourceBookings } from './group-rows';
import { columnOf, type ImportMap } from './import-map';
import { findImportedRows, findImportOfOtherKey } from './imports.repository';
import { type NumberedRow, PlacedRows } from './placed-rows';
import { type BookingFile, readBookingFile } from './read-booking-file';
import { RowIssues } from './row-issues';
import { type BookingImportOptions, changeOf, describeRefusal, DRY_IMPORT } from './sale-of-row';

/** An import whose rows were read and checked. */
export interface CheckedImport {
  options: BookingImportOptions;
  issues: RowIssues;
  report: BookingImportReport;
  /** The rows to write. */
  rows: PlacedRows;
}

/** The most bookings that are read between two turns of the event loop, which the connections to the database need. */
const ROWS_A_PART = 500;

/**
 * Reads the files and checks their rows as the sale does, without a lock. Writes nothing.
 * @throws SandboxSeatsError, ImportKeyChangedError; the file system's error for a file that cannot be read
 */
export async function checkBookings(
  db: Db,
  files: BookingFile[],
  options: BookingImportOptions,
): Promise<CheckedImport> {
  if (options.addsSeats) assertMayAddSeats(options.tenant);
  const other = await findImportOfOtherKey(db, options.tenant.id, options.key);
  if (other !== undefined) throw new ImportKeyChangedError(other);
  const issues = new RowIssues();
  const report = emptyReport();
  const checked = { options, issues, report, rows: new PlacedRows() };
  const place = placerOf(db, checked);
  for await (const sources of readSources(files, checked)) {
    const read = sources.flatMap((source) => readRow(source, checked) ?? []);
    await place(await leaveKnown(db, read, checked));
  }
  await decideRows(db, checked);
  report.faulty = issues.count;
  return checked;
}

/** Yields the bookings of the files, some at a time. */
async function* readSources(
  files: BookingFile[],
  { options: { map }, issues, report }: CheckedImport,
): AsyncGenerator<SourceBooking[]> {
  const sources = new SourceBookings(map, issues);
  for (const file of files)
    for await (const rows of readBookingFile(file, map, issues)) {
      report.rows += rows.length;
      yield rows.flatMap((row) => sources.add(row) ?? []);
    }
  const part: SourceBooking[] = [];
  for (const source of sources.takeGrouped()) {
    part.push(source);
    if (part.length === ROWS_A_PART) yield part.splice(0);
  }
  yield part;
}

/** Reads one booking. Undefined: it is left out, or faulty. */
function readRow(
  source: SourceBooking,
  { options, issues, report }: CheckedImport,
): BookingRow | CancelledRow | undefined {
  const { map, tenant } = options;
  const row = readBookingRow(source, { map, issues, country: tenant.country });
  if (row === 'left out') report.left_out++;
  const isFaulty = issues.refuseTogether(source.places);
  return row === 'left out' || isFaulty ? undefined : row;
}

/**
 * Leaves out the rows whose reference was imported before, and those that are cancelled, and counts them.
 * @rule a row that is cancelled since its import is a changed row: test/cli/booking-import.long.test.ts
 */
async function leaveKnown(
  db: Db,
  rows: (BookingRow | CancelledRow)[],
  { options: { tenant, key }, report }: CheckedImport,
): Promise<BookingRow[]> {
  if (rows.length === 0) return [];
  const known = await findImportedRows(
    db,
    tenant.id,
    rows.map(({ importRef }) => importRef),
    key,
  );
  return rows.flatMap((row) => {
    const digest = known.get(row.importRef);
    if (digest === undefined && row.status !== 'cancelled') return [row];
    if (digest === undefined) {
      report.left_out++;
    } else if (row.status !== 'cancelled' && digest === digestOfRow(row, key)) {
      report.equal++;
    } else {
      report.changed++;
      report.changed_rows.push(namedRow(row));
    }
    return [];
  });
}

/** Returns a function that finds the tour and the departure of rows, each once, and adds the rows to those of the import. */
function placerOf(
  db: Db,
  { options: { tenant, map }, issues, report, rows: placed }: CheckedImport,
): (rows: BookingRow[]) => Promise<void> {
  const tourOf = memoized((slug: string) => getVisibleTour(db, tenant, slug).catch(unlessMissing));
  const choiceOf = memoized((_: string, tourId: string, { departureDate, departureTime }: BookingRow) =>
    findDeparture(db, { tourId, departureDate, departureTime }),
  );
  return async (rows) => {
    for (const row of rows) {
      const tour = await tourOf(row.tour);
      if (!tour) {
        addUnknownTour(row, map, issues);
        continue;
      }
      const { departureDate, departureTime } = row;
      const choice = await choiceOf(`${tour.id} ${departureDate} ${departureTime}`, tour.id, row);
      const isPast = choice.departureId === null && departureDate < todayIn(tour.timeZone);
      if (isPast) report.left_out++;
      else placed.add({ row, tour, choice });
    }
  };
}

/** Adds the issue of a tour that the tenant does not see. Its name is a word that a person may add to the map, unless it is the map's own. */
function addUnknownTour({ tour, places }: BookingRow, map: ImportMap, issues: RowIssues): void {
  const [place] = places;
  const column = columnOf('tour', map);
  if (Object.values(map.tours).includes(tour))
    issues.add(place!, column, 'must be a tour that the tenant sees');
  else issues.addUnknown('tour', tour, place!, column);
  issues.refuseTogether(places);
}

/** Returns the function with its earlier results by the first argument. */
function memoized<Rest extends unknown[], T>(
  find: (key: string, ...rest: Rest) => Promise<T>,
): (key: string, ...rest: Rest) => Promise<T> {
  const found = new Map<string, Promise<T>>();
  return (key, ...rest) => {
    const known = found.get(key) ?? find(key, ...rest);
    found.set(key, known);
    return known;
  };
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof TourNotFoundError)) throw error;
}

/** Decides the rows as the sale does. Keeps those that can be sold. */
async function decideRows(db: Db, { options, issues, report, rows }: CheckedImport): Promise<void> {
  const tally = new Tally(report);
  const sellable = new Set<number>();
  for (const chunk of rows.byDeparture())
    for (const { one, decision } of await decideChunk(db, chunk, options))
      if ('result' in decision) {
        tally.add(one.row, decision.result);
        sellable.add(one.number);
      } else if (decision.refusal instanceof DeparturePastError) report.left_out++;
      else {
        issues.add(one.row.places[0]!, ...describeRefusal(decision.refusal, options.map));
        issues.refuseTogether(one.row.places);
      }
  rows.keep(sellable);
  tally.end();
}

/** A row with the decision about it. */
interface DecidedRow {
  one: NumberedRow;
  decision: ChangeDecision<ImportedBooking>;
}

/** Decides the rows of one statement: first those whose party cannot be sold. */
async function decideChunk(
  db: Db,
  chunk: NumberedRow[],
  options: BookingImportOptions,
): Promise<DecidedRow[]> {
  const built = chunk.map((one) => ({ one, sale: changeOf(one, options, DRY_IMPORT) }));
  const refused = built.flatMap(({ one, sale }) => ('refusal' in sale ? [{ one, decision: sale }] : []));
  const sales = built.flatMap(({ one, sale }) => ('change' in sale ? [{ one, change: sale.change }] : []));
  const decided = await inTransaction(db, (trx) =>
    decideTogether(
      trx,
      sales.map(({ change }) => change),
    ),
  );
  return [...refused, ...sales.map(({ one }, index) => ({ one, decision: decided[index]! }))];
}
