import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Trx } from '../../platform/database/database';
import type { KnownDigests, UnchangedEntry } from './catalog-file';
import { queryStage, type Stage } from './stage.repository';

/**
 * Recognises entries that an earlier import made equal, or found equal, to their tours. Such entries are neither parsed nor compared.
 * `tour_imports` stores the digest of the entry. The digest is valid while `tour_edits` has no row of the tour: triggers add a row with
 * every write to the tour or its departures. compare.repository.ts decides what differs in all other entries.
 */

/** The versions of the runtime's data, which defines the valid time zones. */
const RUNTIME = `${process.versions.icu} ${process.versions.tz}`;

/** The folder of the services: the sources, or what the build has made of them. */
const CODE = path.join(__dirname, '../..');

/**
 * Digests the code of the services and the versions of its packages: they decide the meaning and the validity of an entry. So the first import
 * after an update parses and compares all entries. 460 files take 30 ms.
 */
function digestCode(): string {
  const files = readdirSync(CODE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /[.][jt]s$/.test(file),
  );
  const hash = createHash('sha256').update(readFileSync(packageFile()));
  for (const file of files.sort()) hash.update(readFileSync(path.join(CODE, file)));
  return hash.digest('hex');
}

/** Returns the path of package.json: beside the sources, or beside the folder of the build. */
function packageFile(): string {
  const [source, built] = ['../package.json', '../../package.json'].map((file) => path.join(CODE, file));
  return existsSync(source!) ? source! : built!;
}

/** The white space of JSON. trim() would also remove other white space, which is an error in JSON. */
const JSON_SPACE = ' \n\r\t';

/** Creates the digests of an import. @param prune true: leaves out entries for which a pruning import may have departures to remove */
export function knownDigests(stage: Stage, prune: boolean): KnownDigests {
  const prefix = `catalog entry, ${digestCode()}, ${RUNTIME}\n`;
  return {
    digestOf(text) {
      let [start, end] = [0, text.length];
      while (start < end && JSON_SPACE.includes(text[start]!)) start++;
      while (end > start && JSON_SPACE.includes(text[end - 1]!)) end--;
      return createHash('sha256').update(prefix).update(text.slice(start, end)).digest('hex');
    },
    findUnchanged: (digests) => findUnchangedEntries(stage, digests, prune),
  };
}

async function findUnchangedEntries(
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
 * Stages the digests, each with the ids of the edits that exist now, before the comparison. storeDigests deletes these edits. An edit that
 * another transaction commits later stays stored, so the next import compares the tour again.
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
 * Stores the digests, at the end of the transaction that writes the import. Does not replace a digest that another import has stored since
 * the comparison. Removes the digest of a changed tour for which the files have no digest.
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
    -- Deletes the edits of this import, because the new digest already contains them. Keeps the edits of other transactions.
    delete from tour_edits e using changed_tours c
    where e.tour_id = c.id and e.transaction = pg_current_xact_id()`);
  // Sets `exact` only if the file lists every stored departure of the tour. A pruning import then has no departure to remove.
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
