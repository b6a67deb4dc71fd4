import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { AppError } from '../../services/platform/errors';
import { CancelledError, type Io } from '../terminal/io';
import { type ChangeResources, commitAudited, type RunAudited } from './audited-change';
import { describeError } from './failure';

/** The results of a series of changes. */
export interface Series<Item, Done> {
  /** The results of the changes that were made, in the order of the items. */
  done: Done[];
  /** The items whose change was refused, with the refusal. They are as they were before. */
  left: { item: Item; code: string; message: string }[];
}

/** Makes the change of one item. `audited` commits it with its audit row. */
export type ChangeOfItem<Item, Done> = (item: Item, context: { audited: RunAudited }) => Promise<Done>;

/**
 * Makes the changes of a list one after another, each with its audit row in a transaction of its own. A refused change leaves its item, and
 * the series continues. A failure of the database ends the series with its error, and Ctrl-C ends it between two changes. Waits once, at the
 * end, until the changes apply on every API instance.
 * @throws CancelledError, which says how many changes were made
 * @rule what a command over many rows does with a refused one: test/cli/cancel-day.long.test.ts
 */
export async function runAuditedSeries<Item, Done>(
  resources: ChangeResources & { io: Pick<Io, 'interrupted'> },
  items: Item[],
  change: ChangeOfItem<Item, Done>,
): Promise<Series<Item, Done>> {
  const { io, db, output, interruption } = resources;
  const series: Series<Item, Done> = { done: [], left: [] };
  const progress = () =>
    `${series.done.length} of ${items.length} changes were made. The same command makes the others`;
  try {
    for (const item of items) {
      if (io.interrupted?.aborted) throw new CancelledError(`Interrupted: ${progress()}`);
      try {
        series.done.push(
          await change(item, { audited: (entry, work) => commitAudited(resources, entry, work) }),
        );
      } catch (error) {
        series.left.push({ item, ...refusalOf(error) });
      }
    }
    return series;
  } catch (error) {
    if (series.done.length > 0 && !(error instanceof CancelledError)) output.warn(progress());
    throw error;
  } finally {
    if (series.done.length > 0) await awaitInstances(db);
    interruption.resume();
  }
}

/** Returns the refusal of one change: an error of the domain, or a lock that was not free in time. @throws any other error */
function refusalOf(error: unknown): { code: string; message: string } {
  const described = describeError(error);
  if (error instanceof AppError || described.code === 'database_busy') return described;
  throw error;
}
