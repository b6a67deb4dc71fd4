import { stat } from 'node:fs/promises';
import { assembleTours } from './assemble-tours';
import type { CatalogRecord } from './catalog-record';
import { type CheckedTours, gather } from './check-catalog';
import { checkTogether, checkTour, type Entry } from './check-tour';
import { isDeparturesFile } from './csv-head';
import type { Fault, Place } from './fault';
import type { FaultList } from './fault-list';
import type { KnownTour, Recall } from './known-tour';
import type { WatchImport } from './import-progress';
import { readCatalogFile } from './read-catalog-file';
import type { Stage } from './stage.repository';

/** Tours and departures that are handled at once: what an import keeps in memory, whatever the files hold. */
const ROWS_A_CHUNK = 2000;

/**
 * Reads catalog files and checks what files alone can tell, some tours at a time, each with all its departures. Departures
 * that have a file of their own may stand in any order there, so then tours and departures are sorted together in the stage.
 * @param recall undefined: every tour is read and checked
 * @throws what the file system says of a file that cannot be read
 */
export async function* readCatalog(
  files: string[],
  stage: Stage,
  faults: FaultList,
  watch: WatchImport = () => {},
  recall?: Recall,
): AsyncGenerator<CheckedTours> {
  const apart = await Promise.all(files.map(isDeparturesFile));
  // There an entry is not the whole of what the files say of a tour.
  if (apart.includes(true)) yield* assembleTours(readRecords(files, faults, watch), stage, faults, watch);
  else yield* checkTours(readRecords(files, faults, watch, recall), faults);
}

async function* readRecords(
  files: string[],
  faults: FaultList,
  watch: WatchImport,
  recall?: Recall,
): AsyncGenerator<CatalogRecord[]> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const of = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  for (const file of files) {
    const onBytes = (bytes: number) => {
      done += bytes;
      watch({ phase: 'reading', done, of });
    };
    yield* readCatalogFile(file, faults, onBytes, recall);
  }
}

async function* checkTours(
  batches: AsyncIterable<CatalogRecord[]>,
  faults: FaultList,
): AsyncGenerator<CheckedTours> {
  const places = new Map<string, Place>();
  let entries: Entry[] = [];
  let known: KnownTour[] = [];
  let rows = 0;
  for await (const records of batches) {
    for (const record of records) {
      if (record.known && !places.has(record.known.slug)) {
        places.set(record.known.slug, record.place);
        known.push(record.known);
        rows++;
      } else {
        const entry = checkEntry(record, places, faults);
        entries.push(entry);
        rows += 1 + (entry.departures?.length ?? 0);
      }
      if (rows < ROWS_A_CHUNK) continue;
      yield { ...gather(entries), known };
      [entries, known, rows] = [[], [], 0];
    }
  }
  yield { ...gather(entries), known };
}

function checkEntry(record: CatalogRecord, places: Map<string, Place>, faults: FaultList): Entry {
  const found: Fault[] = [];
  const entry = checkTour(record, places, found);
  checkTogether(entry, found);
  faults.add(found);
  return entry;
}
