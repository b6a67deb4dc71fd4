import { stat } from 'node:fs/promises';
import {
  type CatalogRecord,
  describePlace,
  type IssueList,
  type Place,
  type WatchImport,
} from './catalog-file';
import { TOUR_OF_DEPARTURE } from './catalog-csv';
import type { OtherList } from './cut-json';
import {
  checkDeparture,
  checkPickupPoint,
  checkResource,
  checkTour,
  checkTourSlug,
  type DepartureEntry,
  type EntryIssue,
} from './catalog-schema';
import type { PricesEntry } from './category-fields';
import { isDeparturesFile, readCatalogFile } from './read-catalog-file';
import { copyRows, type Stage, type StagedRow } from './stage.repository';
import { knownDigests } from './known-digests.repository';

/** The numbers and slugs of the entries that were read from the files of an import. */
export interface StagedFiles {
  /** Number of tours with their own fields. A tour that only a departures file names does not count. */
  tours: number;
  departures: number;
  slugs: string[];
  resources: number;
  pickupPoints: number;
}

/** Copies a chunk when it has this many tours and departures, so that the memory of an import is limited. */
const ROWS_A_CHUNK = 5000;

/**
 * Reads catalog files, checks each entry and stages its correct fields, a chunk at a time, so that memory does not grow with the
 * files. Skips unchanged entries, unless departures have a separate file: an entry is then not the complete tour.
 * @throws the file system's error for a file that cannot be read
 */
export async function stageFiles(
  stage: Stage,
  files: string[],
  prune: boolean,
  issues: IssueList,
  watch: WatchImport,
): Promise<StagedFiles> {
  const hasDeparturesFile = (await Promise.all(files.map(isDeparturesFile))).includes(true);
  const known = hasDeparturesFile ? undefined : knownDigests(stage, prune);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const of = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  const onBytes = (bytes: number) => watch({ phase: 'reading', done: (done += bytes), of });
  async function* readFiles(): AsyncGenerator<CatalogRecord[]> {
    for (const file of files) yield* readCatalogFile(file, issues, onBytes, known);
  }
  return stageRecords(stage, readFiles(), issues, hasDeparturesFile);
}

/** @param hasDeparturesFile true: each tour gets a list of departures, which is empty for a tour without a line in the departures file */
export async function stageRecords(
  stage: Stage,
  chunks: AsyncIterable<CatalogRecord[]> | CatalogRecord[][],
  issues: IssueList,
  hasDeparturesFile = false,
): Promise<StagedFiles> {
  const rows = new EntryRows(issues, hasDeparturesFile);
  let copying: Promise<void> = Promise.resolve();
  const copy = async () => {
    // Waits only until the previous chunk is copied. While the database copies this chunk, the next chunk is read and checked.
    await copying;
    const chunk = rows.take();
    copying = copyRows(stage, 'staged_tours', chunk.tours)
      .then(() => copyRows(stage, 'staged_departures', chunk.departures))
      .then(() => copyRows(stage, 'staged_resources', chunk.resources))
      .then(() => copyRows(stage, 'staged_pickup_points', chunk.pickup_points));
    // Marks the failure as handled; the next await of `copying` throws it.
    copying.catch(() => undefined);
  };
  for await (const records of chunks) {
    for (const record of records) {
      rows.add(record);
      if (rows.count >= ROWS_A_CHUNK) await copy();
    }
  }
  rows.addToursOfLines();
  await copy();
  await copying;
  return rows.found();
}

interface KnownSlug {
  entry: number;
  place: Place;
  /** True: so far, only lines of a departures file have named the slug. */
  isOfLines: boolean;
}

type Chunk = Record<'tours' | 'departures' | OtherList, StagedRow[]>;

function emptyChunk(): Chunk {
  return { tours: [], departures: [], resources: [], pickup_points: [] };
}

/** The checks of the entries that are no tours, with their names in issues. */
const OTHER_LISTS = {
  resources: { check: checkResource, name: 'resource', described: 'resource' },
  pickup_points: { check: checkPickupPoint, name: 'pickup_point', described: 'pickup point' },
} satisfies Record<OtherList, object>;

/** Turns records into rows of the staging tables. Keeps the slugs, so that it finds a second tour with the same slug. */
class EntryRows {
  private chunk: Chunk = emptyChunk();
  /** The places of the codes of each other list. */
  private readonly codes = { resources: new Map<string, Place>(), pickup_points: new Map<string, Place>() };
  private readonly slugs = new Map<string, KnownSlug>();
  private entries = 0;
  private tours = 0;
  private departures = 0;

  constructor(
    private readonly issues: IssueList,
    private readonly hasDeparturesFile: boolean,
  ) {}

  get count(): number {
    return this.chunk.tours.length + this.chunk.departures.length;
  }

  take() {
    const { chunk } = this;
    this.chunk = emptyChunk();
    return chunk;
  }

  found(): StagedFiles {
    return {
      tours: this.tours,
      departures: this.departures,
      slugs: [...this.slugs.keys()],
      resources: this.codes.resources.size,
      pickupPoints: this.codes.pickup_points.size,
    };
  }

  add(record: CatalogRecord): void {
    const { isDeparture, unchanged, place } = record;
    if (record.list) return this.addOther(record, record.list);
    if (isDeparture) return this.addLine(record);
    this.tours++;
    if (!unchanged || this.slugs.has(unchanged.slug)) return this.addTour(record);
    this.slugs.set(unchanged.slug, { entry: this.entries++, place, isOfLines: false });
    this.departures += unchanged.departures;
  }

  /** Adds the tours that only lines of a departures file have named. */
  addToursOfLines(): void {
    for (const [slug, { entry, place, isOfLines }] of this.slugs) {
      if (isOfLines) this.pushTour(place, [entry, slug], [null, null, null, true, 0]);
    }
  }

  private addTour({ place, value, digest }: CatalogRecord): void {
    const found: EntryIssue[] = [];
    const { slug, columns, basePrice, departures, schedules } = checkTour(value, found);
    const { entry, ownSlug } = this.claimSlug(slug, place, found);
    this.issues.add(found.map((issue) => ({ ...place, ...issue })));
    const hasList = this.hasDeparturesFile || departures !== undefined;
    // Stores no digest of an entry with schedules, because the schedules add departures that are not in the list of the entry.
    const bytes = digest && schedules.length === 0 ? `\\x${digest}` : null;
    const content = [bytes, columns, basePrice, hasList, departures?.length ?? 0];
    this.pushTour(place, [entry, ownSlug], content);
    departures?.forEach((departure, index) => this.pushDeparture(entry, { index }, departure));
    for (const [index, described] of schedules.entries())
      for (const departure of described) this.pushDeparture(entry, { index }, departure, true);
  }

  /** Returns the entry of a tour, and its slug unless another tour has it. */
  private claimSlug(slug: string | undefined, place: Place, found: EntryIssue[]) {
    const known = this.slugs.get(slug ?? '');
    if (known && !known.isOfLines) {
      const message = `is the slug of a second tour; the first is at ${describePlace(known.place)}`;
      found.unshift({ field: 'slug', message });
      return { entry: this.entries++ };
    }
    const entry = known?.entry ?? this.entries++;
    if (slug !== undefined) this.slugs.set(slug, { entry, place, isOfLines: false });
    return { entry, ownSlug: slug };
  }

  /** Adds an entry of another list than tours. */
  private addOther({ place, value }: CatalogRecord, list: OtherList): void {
    const { check, name, described } = OTHER_LISTS[list];
    const codes = this.codes[list];
    const found: EntryIssue[] = [];
    const { code, columns } = check(value, found);
    const first = code === undefined ? undefined : codes.get(code);
    if (first) {
      const message = `is the code of a second ${described}; the first is at ${describePlace(first)}`;
      found.push({ field: 'code', message });
    }
    const inList = (field: string) => (field === '' ? name : `${name}.${field}`);
    this.issues.add(found.map(({ field, message }) => ({ ...place, field: inList(field), message })));
    if (code === undefined || first) return;
    this.chunk[list].push([codes.size, place.file, place.line, place.index, code, columns]);
    codes.set(code, place);
  }

  private addLine({ place, value }: CatalogRecord): void {
    const { [TOUR_OF_DEPARTURE]: tour, ...fields } = value as Record<string, unknown>;
    const found: EntryIssue[] = [];
    const slug = checkTourSlug(tour, TOUR_OF_DEPARTURE, found);
    const departure = checkDeparture(fields, '', found);
    this.issues.add(found.map((issue) => ({ ...place, ...issue })));
    if (slug === undefined) return;
    const known = this.slugs.get(slug) ?? { entry: this.entries++, place, isOfLines: true };
    this.slugs.set(slug, known);
    this.pushDeparture(known.entry, place, departure);
  }

  private pushTour({ file, line, index }: Place, own: StagedRow, content: StagedRow): void {
    this.chunk.tours.push([...own, file, line, index, ...content, null]);
  }

  /** @param place the line of a departures file, or the index in the list of departures, or of schedules, of a tour */
  private pushDeparture(
    entry: number,
    { index, file, line }: Partial<Place>,
    departure: DepartureEntry,
    isScheduled = false,
  ): void {
    const {
      departure_date,
      start_time,
      seats_total,
      prices,
      return_date,
      status,
      closes_at,
      closes_before,
      uses,
    } = departure;
    const emptied = Object.entries({ return_date, closes_at, closes_before, uses })
      .filter(([, value]) => value === null)
      .map(([name]) => name);
    this.chunk.departures.push([
      entry,
      this.departures++,
      index,
      file,
      line,
      departure_date,
      start_time,
      seats_total,
      toStagedPrices(prices),
      return_date,
      status === null ? 'scheduled' : status,
      closes_at,
      closes_before,
      uses && JSON.stringify(uses),
      emptied.length > 0 ? `{${emptied.join()}}` : null,
      isScheduled,
      null,
    ]);
  }
}

/** Writes amounts as texts, because a number of JSON has lost the last zeros that an amount of a CSV file may have. */
function toStagedPrices(prices: PricesEntry | undefined): string | undefined {
  if (prices === undefined) return undefined;
  const texts = Object.entries(prices).map(([code, amount]) => [
    code,
    amount === null ? null : amount.toString(),
  ]);
  return JSON.stringify(Object.fromEntries(texts));
}
