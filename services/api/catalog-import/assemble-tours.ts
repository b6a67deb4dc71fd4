import type { CatalogRecord } from './catalog-record';
import { type CheckedTours, gather } from './check-catalog';
import { checkDepartureLine, checkTogether, checkTour, type DepartureLine, type Entry } from './check-tour';
import type { Fault, Place } from './fault';
import type { FaultList } from './fault-list';
import type { WatchImport } from './import-progress';
import { findLines, type Stage, stageLines } from './stage.repository';
import type { TourInFile } from './tour-in-file';

const TOURS_A_CHUNK = 200;

/**
 * Puts tours and departures together, whatever files they come from and in whatever order: both are staged as they are read,
 * and come back by slug. A departures file is the whole list: a tour without a line in it is given an empty one.
 */
export async function* assembleTours(
  batches: AsyncIterable<CatalogRecord[]>,
  stage: Stage,
  faults: FaultList,
  watch: WatchImport,
): AsyncGenerator<CheckedTours> {
  const places = new Map<string, Place>();
  let count = 0;
  for await (const records of batches) {
    const found: Fault[] = [];
    const strays: Entry[] = [];
    const lines = records.flatMap((record) => {
      const line = record.isDeparture ? checkDepartureLine(record, found) : checkTour(record, places, found);
      const slug = 'departure' in line ? line.tourSlug : line.slug;
      if (slug !== undefined) return [{ slug, body: JSON.stringify(line) }];
      if ('place' in line) strays.push(line);
      return [];
    });
    for (const stray of strays) checkTogether(stray, found);
    faults.add(found);
    count += lines.length;
    await stageLines(stage, lines);
    if (strays.length > 0) yield { ...gather(strays), tours: [] };
  }
  yield* sorted(stage, count, faults, watch);
}

async function* sorted(
  stage: Stage,
  of: number,
  faults: FaultList,
  watch: WatchImport,
): AsyncGenerator<CheckedTours> {
  let done = 0;
  for (let last = ''; ;) {
    const groups = await findLines(stage, last, TOURS_A_CHUNK);
    if (groups.length === 0) return;
    const found: Fault[] = [];
    const tours = groups.map(({ slug, bodies }) => {
      const tour = assemble(slug, JSON.parse(bodies) as (Entry | DepartureLine)[]);
      checkTogether(tour, found);
      done += 1 + tour.departures!.length;
      return tour;
    });
    faults.add(found);
    watch({ phase: 'comparing', done, of: Math.max(of, done) });
    yield gather(tours);
    last = groups.at(-1)!.slug;
  }
}

function assemble(slug: string, lines: (Entry | DepartureLine)[]): TourInFile {
  const own = lines.find((line): line is Entry => 'place' in line);
  const apart = lines.filter((line): line is DepartureLine => 'departure' in line);
  return {
    ...(own ?? { place: apart[0]!.departure.place }),
    slug,
    departures: [...(own?.departures ?? []), ...apart.map((line) => line.departure)],
    faulty: (own?.faulty ?? false) || apart.some((line) => line.faulty),
  };
}
