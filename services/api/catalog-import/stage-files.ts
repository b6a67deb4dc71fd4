import { stat } from 'node:fs/promises';
import type { CatalogRecord, FindUnchanged, WatchImport } from './catalog-file';
import { checkDeparture, checkTour, checkTourSlug, type DepartureEntry } from './check-entry';
import { isDeparturesFile, TOUR_OF_DEPARTURE } from './csv-columns';
import { describePlace, type IssueList, type Place } from './issue';
import { readCatalogFile } from './read-catalog-file';
import { copyRows, type Stage } from './stage.repository';
import { findUnchangedEntries } from './unchanged-entries.repository';

/** The content of the files of an import. */
export interface StagedFiles {
  /** Tours with their own fields; a file of departures only names its tours. */
  tours: number;
  departures: number;
  slugs: string[];
}

/** Number of tours and departures that are staged together: an import never keeps more in memory. */
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
  const findUnchanged: FindUnchanged = (digests) => findUnchangedEntries(stage, digests, prune);
  const records = readFiles(files, issues, watch, hasDeparturesFile ? undefined : findUnchanged);
  return stageRecords(stage, records, issues, hasDeparturesFile);
}

async function* readFiles(
  files: string[],
  issues: IssueList,
  watch: WatchImport,
  findUnchanged: FindUnchanged | undefined,
): AsyncGenerator<CatalogRecord[]> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const of = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  for (const file of files) {
    const onBytes = (bytes: number) => watch({ phase: 'reading', done: (done += bytes), of });
    yield* readCatalogFile(file, issues, onBytes, findUnchanged);
  }
}

/** @param hasDeparturesFile each tour has a list, which is empty for a tour without a line in that file */
export async function stageRecords(
  stage: Stage,
  chunks: AsyncIterable<CatalogRecord[]>,
  issues: IssueList,
  hasDeparturesFile = false,
): Promise<StagedFiles> {
  const rows = new EntryRows(issues, hasDeparturesFile);
  let copying: Promise<void> = Promise.resolve();
  const copy = async () => {
    // Checks the next chunk while the database reads this one on another processor.
    await copying;
    copying = copyChunk(stage, rows.take());
    // The next await reports the failure.
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

type Row = (string | number | boolean | null | undefined)[];

interface Chunk {
  tours: Row[];
  departures: Row[];
}

async function copyChunk(stage: Stage, { tours, departures }: Chunk): Promise<void> {
  const tourColumns = 'entry, slug, file, line, index, digest, columns, base_price, has_list, departures';
  await copyRows(stage, `staged_tours (${tourColumns})`, tours);
  await copyRows(
    stage,
    `staged_departures (entry, position, index, file, line, departure_date, seats_total, adult, child, single_supplement,
       return_date, status, closes_at, emptied)`,
    departures,
  );
}

interface TourCells {
  entry: number;
  slug: string | undefined;
  digest?: string;
  /** JSON; undefined: the files have only departures of the tour. */
  columns?: string;
  basePrice?: number;
  hasList: boolean;
  departures?: number;
}

interface KnownSlug {
  entry: number;
  place: Place;
  /** Only lines of a departures file named it so far. */
  isOfLines: boolean;
}

/** Turns records into rows of the staging tables. Keeps the slugs, to find a second tour with the same one. */
class EntryRows {
  count = 0;
  private chunk: Chunk = { tours: [], departures: [] };
  private readonly slugs = new Map<string, KnownSlug>();
  private entries = 0;
  private tours = 0;
  private departures = 0;

  constructor(
    private readonly issues: IssueList,
    private readonly hasDeparturesFile: boolean,
  ) {}

  add(record: CatalogRecord): void {
    const { isDeparture, unchanged, place } = record;
    if (isDeparture) return this.addLine(record);
    if (!unchanged || this.slugs.has(unchanged.slug)) return this.addTour(record);
    this.slugs.set(unchanged.slug, { entry: this.entries++, place, isOfLines: false });
    this.tours++;
    this.departures += unchanged.departures;
  }

  take(): Chunk {
    const { chunk } = this;
    this.chunk = { tours: [], departures: [] };
    this.count = 0;
    return chunk;
  }

  found(): StagedFiles {
    return { tours: this.tours, departures: this.departures, slugs: [...this.slugs.keys()] };
  }

  /** Adds the tours of which only lines of departures were found. */
  addToursOfLines(): void {
    for (const [slug, { entry, place, isOfLines }] of this.slugs) {
      if (isOfLines) this.pushTour(place, { entry, slug, hasList: true });
    }
  }

  private addTour({ place, value, digest }: CatalogRecord): void {
    const found: { field: string; message: string }[] = [];
    const { slug, columns, basePrice, departures } = checkTour(value, found);
    const known = slug === undefined ? undefined : this.slugs.get(slug);
    const isSecond = known !== undefined && !known.isOfLines;
    if (isSecond) {
      const message = `is the slug of a second tour; the first is at ${describePlace(known.place)}`;
      found.unshift({ field: 'slug', message });
    }
    const entry = known && !isSecond ? known.entry : this.entries++;
    const ownSlug = isSecond ? undefined : slug;
    if (ownSlug !== undefined) this.slugs.set(ownSlug, { entry, place, isOfLines: false });
    this.issues.add(found.map((issue) => ({ ...place, ...issue })));
    this.pushTour(place, {
      ...{ entry, slug: ownSlug, digest, basePrice, columns: JSON.stringify(columns) },
      hasList: this.hasDeparturesFile || departures !== undefined,
      departures: departures?.length,
    });
    departures?.forEach((departure, at) => this.pushDeparture(entry, { index: at }, departure));
    this.tours++;
  }

  private addLine({ place, value }: CatalogRecord): void {
    const { [TOUR_OF_DEPARTURE]: tour, ...fields } = value as Record<string, unknown>;
    const found: { field: string; message: string }[] = [];
    const slug = checkTourSlug(tour, TOUR_OF_DEPARTURE, found);
    const departure = checkDeparture(fields, '', found);
    this.issues.add(found.map((issue) => ({ ...place, ...issue })));
    if (slug === undefined) return;
    const known = this.slugs.get(slug) ?? { entry: this.entries++, place, isOfLines: true };
    this.slugs.set(slug, known);
    this.pushDeparture(known.entry, place, departure);
  }

  private pushTour({ file, line, index }: Place, tour: TourCells): void {
    const { entry, slug, digest, columns, basePrice, hasList, departures = 0 } = tour;
    const bytes = digest && `\\x${digest}`;
    this.chunk.tours.push([
      ...[entry, slug, file, line, index, bytes, columns, basePrice, hasList, departures],
    ]);
    this.count++;
  }

  /** @param place the line of a departures file, or the index in the list of a tour */
  private pushDeparture(
    entry: number,
    { index, file, line }: Partial<Place>,
    { departure_date, seats_total, prices = {}, return_date, status, closes_at }: DepartureEntry,
  ): void {
    const { adult, child, single_supplement } = prices;
    const emptied = Object.entries({ child, single_supplement, return_date, closes_at })
      .filter(([, value]) => value === null)
      .map(([name]) => name);
    this.chunk.departures.push([
      ...[entry, this.departures, index, file, line],
      ...[departure_date, seats_total, adult, child, single_supplement],
      ...[return_date, status === null ? 'scheduled' : status, closes_at],
      emptied.length > 0 ? `{${emptied.join()}}` : null,
    ]);
    this.departures++;
    this.count++;
  }
}
