import { createHash } from 'node:crypto';
import type { Trx } from '../../platform/database';
import type { UnchangedEntry } from './catalog-file';
import { queryStage, type Stage } from './stage.repository';

/**
 * Recognises entries that an earlier import found or made equal to their tours, so that they are neither parsed nor compared.
 * `tour_imports` keeps the digest of the entry. It is valid while `tour_edits` has no row of the tour: triggers add one with
 * every write to the tour or its departures. compare.repository.ts decides what differs in all other entries.
 */

/**
 * Increment it with every change to the meaning or the validity of an entry (catalog-schema.ts, the lists of currencies and
 * countries): entries of earlier imports are then parsed and compared again.
 */
const RULES = 2;
/** The runtime defines the valid time zones. */
const RUNTIME = `${process.versions.icu} ${process.versions.tz}`;
const PREFIX = `catalog entry, rules ${RULES}, ${RUNTIME}\n`;

/** trim() would also remove white space that is an error in JSON. */
const JSON_SPACE = ' \n\r\t';

/** Digests the text of one tour in a JSON file, without the white space around it; hexadecimal. */
export function digestEntry(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && JSON_SPACE.includes(text[start]!)) start++;
  while (end > start && JSON_SPACE.includes(text[end - 1]!)) end--;
  return createHash('sha256').update(PREFIX).update(text.slice(start, end)).digest('hex');
}

/** @param prune a pruning import must have nothing to do either */
export async function findUnchangedEntries(
  stage: Stage,
  digests: string[],
  prune: boolean,
): Promise<Map<string, UnchangedEntry>> {
  const rows: (UnchangedEntry & { digest: string })[] = await queryStage(
    stage,
    `select encode(i.digest, 'hex') as digest, t.slug, i.departures
     from tour_imports i join tours t on t.id = i.tour_id
     where i.digest = any(array(select decode(given.hex, 'hex') from unnest(?::text[]) as given(hex)))
       and (i.exact or not ?) and not exists (select from tour_edits e where e.tour_id = i.tour_id)`,
    [digests, prune],
  );
  return new Map(rows.map(({ digest, slug, departures }) => [digest, { slug, departures }]));
}

/**
 * Stages the digests with the edits that exist before the comparison. An edit that is committed later is not among them and
 * stays, so that its tour is compared again.
 * @returns the number of digests
 */
export async function stageDigests(stage: Stage): Promise<number> {
  const [row] = await queryStage<{ count: number }>(
    stage,
    `with staged as (
       insert into staged_digests
       select s.slug, s.digest, s.has_list, s.departures, t.id, i.stamp,
              array(select e.id from tour_edits e where e.tour_id = t.id)
       from staged_tours s left join tours t on t.slug = s.slug left join tour_imports i on i.tour_id = t.id
       where s.slug is not null and s.digest is not null
       returning 1)
     select count(*) from staged`,
  );
  return row!.count;
}

/**
 * Stores the digests, at the end of the transaction that writes the import. Keeps digests that another import has stored since. Removes
 * the digest of a changed tour that has no entry with one.
 */
export async function storeDigests(trx: Trx, prune: boolean): Promise<void> {
  await trx.raw(`
    -- Skips a tour that was created since the comparison: it was not compared.
    delete from staged_digests s using tours t
    where t.slug = s.slug and s.tour_id is distinct from t.id
      and not exists (select from changed_tours c where c.id = t.id and c.action = 'insert');
    update staged_digests s set tour_id = t.id from tours t where t.slug = s.slug and s.tour_id is null;
    delete from staged_digests s using tour_imports i where i.tour_id = s.tour_id and i.stamp is distinct from s.stamp;
    delete from tour_edits e using staged_digests s where e.tour_id = s.tour_id and e.id = any(s.edits);
    -- Deletes the import's own edits, which its digest includes. Those of other transactions stay.
    delete from tour_edits e using changed_tours c
    where e.tour_id = c.id and e.transaction = pg_current_xact_id()`);
  // Exact: a pruning import has nothing to do, because no departure is stored that the list lacks.
  await trx.raw(
    `insert into tour_imports (tour_id, digest, exact, departures)
     select tour_id, s.digest,
            s.digest is not null and (? or coalesce(c.action = 'insert', false)) and (not s.has_list or s.departures =
              (select count(*) from departures d where d.tour_id = s.tour_id)),
            coalesce(s.departures, 0)
     from (select id as tour_id, action from changed_tours) c full join staged_digests s using (tour_id)
     where tour_id is not null
     on conflict (tour_id) do update set digest = excluded.digest, exact = excluded.exact,
       departures = excluded.departures, stamp = default`,
    [prune],
  );
}
