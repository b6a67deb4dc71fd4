import { inTransaction } from '../../services/platform/database/database';
import { writeImport } from '../../services/api/catalog-import/import-catalog';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { compareFiles, departureEntry, importFiles, tourEntry, write } from './catalog-files';
import { departureOf, insertHold, tourOf } from './catalog-rows';

const database = useTestDatabase();
beforeEach(async () => {
  // Deletes the rows, because a truncate creates new files for every table and index and takes ten times as long.
  for (const table of ['seat_holds', 'departures', 'tours', 'tour_imports', 'tour_edits'])
    await database.db(table).delete();
});

const none = { created: 0, updated: 0, unchanged: 0 };
const first = departureEntry();
const second = departureEntry({ departure_date: '2031-07-01' });
const alps = tourEntry({ slug: 'alps', departures: [first, second] });
const FILES = { 'tours.json': [alps] };

/** Returns the slugs of the tours whose stored digest lets the next import of the same file skip them. */
async function unchangedSlugs(kind: 'any' | 'exact' = 'any'): Promise<string[]> {
  const { rows } = await database.db.raw(
    `select t.slug from tours t join tour_imports i on i.tour_id = t.id
     where i.digest is not null and (i.exact or ?)
       and not exists (select from tour_edits e where e.tour_id = t.id) order by t.slug`,
    [kind === 'any'],
  );
  return rows.map((row: { slug: string }) => row.slug);
}

/** Imports the files. Returns the numbers of updated tours, created departures and updated departures. */
async function updates(contents: Record<string, unknown>, options = {}): Promise<number[]> {
  const { tours, departures } = await importFiles(database.db, contents, options);
  return [tours.updated, departures.created, departures.updated];
}

describe('an import of a tour with a stored digest', () => {
  it('an import skips an equal entry, and counts it with its departures as unchanged', async () => {
    await importFiles(database.db, FILES);
    expect(await unchangedSlugs('exact')).toEqual(['alps']);
    // Changes the tour without the triggers that record an edit. An import that finds the change has read the entry.
    await behindTheBack("update tours set summary = 'Unseen'");
    const text = { 'tours.json': [{ ...alps, summary: null }] };
    expect(await importFiles(database.db, FILES)).toEqual({
      tours: { ...none, unchanged: 1 },
      departures: { ...none, unchanged: 2 },
      errors: [],
    });
    expect(await updates(text)).toEqual([1, 0, 0]);
  });

  it('an import recognises an unchanged entry in JSON lines and between other white space', async () => {
    await importFiles(database.db, FILES);
    await behindTheBack('update departures set seats_total = 99');
    expect(await updates({ 'a.jsonl': `\n${JSON.stringify(alps)}\r\n` })).toEqual([0, 0, 0]);
    expect(await updates({ 'a.json': `{"tours": [\n ${JSON.stringify(alps)} \n]}` })).toEqual([0, 0, 0]);
    expect(await updates({ 'a.json': JSON.stringify([alps], null, 1) })).toEqual([0, 0, 2]);
  });

  const FIRST = "departure_date = '2031-06-01'";
  const SECOND = "departure_date = '2031-07-01'";
  it.each([
    ['a departure is cancelled', `update departures set status = 'cancelled' where ${FIRST}`, 0],
    ['a departure has other seats', `update departures set seats_total = 9 where ${FIRST}`, 1],
    [
      'a departure has another price',
      `update departures set prices_minor = '{"adult": 1}' where ${SECOND}`,
      1,
    ],
    [
      'a departure closes at another time',
      `update departures set closes_at = '2031-05-01' where ${FIRST}`,
      0,
    ],
    ['a departure is deleted', `delete from departures where ${SECOND}`, 1],
    ['the tour has another price', 'update tours set base_price_minor = 1', 1],
    ['the tour has another slug', "update tours set slug = 'elsewhere'", 1],
    ['the tour is deleted', 'delete from departures; delete from tours', 1],
    ['departures are truncated', 'truncate departures cascade', 1],
  ])('an import reads an unchanged entry again if %s', async (_, sql, differs) => {
    await importFiles(database.db, FILES);
    expect(await unchangedSlugs()).toEqual(['alps']);
    await database.db.raw(sql);
    expect(await unchangedSlugs()).toEqual([]);
    const { tours, departures } = await importFiles(database.db, FILES);
    const written = tours.created + tours.updated + departures.created + departures.updated;
    expect(written > 0).toBe(differs > 0);
    expect(await unchangedSlugs()).toEqual(expect.arrayContaining(['alps']));
    expect(await updates(FILES)).toEqual([0, 0, 0]);
  });

  it('an import reopens a cancelled departure that the file lists as scheduled', async () => {
    const files = { 'f.json': [{ ...alps, departures: [{ ...first, status: 'scheduled' }, second] }] };
    await importFiles(database.db, files);
    const set = (status: string) =>
      database.db('departures').where('departure_date', '2031-06-01').update({ status });
    await set('cancelled');
    expect(await updates(files, { dryRun: true })).toEqual([0, 0, 1]);
    await set('scheduled');
    expect(await updates(files)).toEqual([0, 0, 0]);
    expect(await unchangedSlugs()).toEqual(['alps']);
    await set('cancelled');
    expect(await updates(files)).toEqual([0, 0, 1]);
  });

  it('the digest stays valid while seats are held', async () => {
    await importFiles(database.db, FILES);
    const tenantId = (await givenTenant(database.db, { slug: 'seller' })).id;
    const departure = await departureOf(database.db, 'alps', '2031-06-01');
    await insertHold(database.db, tenantId, departure.id, 2);
    expect(await unchangedSlugs()).toEqual(['alps']);
  });

  it('an edit or import that is rolled back does not change the stored digest of the tour', async () => {
    await importFiles(database.db, FILES);
    const undone = new Error('undone');
    await expect(
      inTransaction(database.db, async (trx) => {
        await trx('departures').update({ seats_total: 3 });
        throw undone;
      }),
    ).rejects.toBe(undone);
    expect(await unchangedSlugs()).toEqual(['alps']);
    const other = { 'f.json': [{ ...alps, name: 'Other' }] };
    await compareFiles(database.db, other, async (staged) => {
      await expect(
        inTransaction(database.db, async (trx) => {
          await writeImport(trx, staged);
          throw undone;
        }),
      ).rejects.toBe(undone);
    });
    expect(await tourOf(database.db, 'alps')).toMatchObject({ name: alps.name });
    expect(await updates(FILES)).toEqual([0, 0, 0]);
    expect(await updates(other)).toEqual([1, 0, 0]);
    expect(await updates(FILES)).toEqual([1, 0, 0]);
  });

  it('an import reads an unchanged entry again after another file has changed the tour', async () => {
    await importFiles(database.db, FILES);
    const csv = 'tour_slug,departure_date,seats_total,prices.adult\nalps,2031-06-01,7,1290\n';
    await importFiles(database.db, { 'departures.csv': csv });
    expect(await unchangedSlugs()).toEqual([]);
    expect(await updates(FILES)).toEqual([0, 0, 1]);
    await importFiles(database.db, { 'f.json': [{ ...alps, departures: [second], name: 'Less' }] });
    expect(await updates(FILES)).toEqual([1, 0, 0]);
  });

  it('an import stores no digest for a tour that another import writes after the comparison', async () => {
    await importFiles(database.db, FILES);
    const reformatted = { 'f.json': JSON.stringify([alps], null, 1) };
    const renamed = { 'f.json': [{ ...alps, name: 'Renamed' }] };
    await compareFiles(database.db, reformatted, async (staged) => {
      expect(staged.hasChanges).toBe(false);
      await importFiles(database.db, renamed);
    });
    // The first import compared its entry with the earlier tour, so it must not have stored a digest for the changed tour.
    expect(await updates(reformatted, { dryRun: true })).toEqual([1, 0, 0]);
    expect(await updates(renamed)).toEqual([0, 0, 0]);
  });

  it.each([
    ['unchanged', 'before'],
    ['unchanged', 'after'],
    ['changed', 'before'],
    ['changed', 'after'],
  ])(
    'an edit during the import invalidates the digest (tour %s, edit committed %s the write)',
    async (kind, when) => {
      await importFiles(database.db, FILES);
      const text = JSON.stringify([kind === 'changed' ? { ...alps, name: 'Renamed' } : alps], null, 1);
      const terminal = await database.db.transaction();
      await compareFiles(database.db, { 'f.json': text }, async (staged) => {
        await terminal('departures').where('departure_date', '2031-07-01').update({ seats_total: 5 });
        if (when === 'before') await terminal.commit();
        if (staged.hasChanges) await write(database.db, staged);
      });
      if (when === 'after') await terminal.commit();
      expect(await unchangedSlugs()).toEqual([]);
      expect(await updates({ 'f.json': text })).toEqual([0, 0, 1]);
    },
  );

  it('an import refuses a second tour with the same slug, with or without the same text', async () => {
    await importFiles(database.db, FILES);
    const message = expect.stringMatching('is the slug of a second tour') as string;
    for (const pair of [
      [alps, alps],
      [alps, { ...alps, name: 'Other' }],
      [{ ...alps, name: 'Other' }, alps],
    ]) {
      const { errors } = await importFiles(database.db, { 'f.json': pair });
      expect(errors).toEqual([{ file: 'f.json', index: 1, field: 'slug', message }]);
    }
    const csv = 'slug,name\nalps,Other\n';
    const { errors } = await importFiles(database.db, { 'f.json': [alps], 'g.csv': csv });
    expect(errors).toContainEqual(expect.objectContaining({ file: 'g.csv', field: 'slug', message }));
  });

  it('an import stores no digest when it is refused', async () => {
    await importFiles(database.db, FILES);
    const faulty = { ...alps, slug: 'faulty', country: 'XX' };
    const sound = { ...alps, slug: 'sound' };
    const { errors, tours } = await importFiles(database.db, { 'f.json': [alps, sound, faulty] });
    expect([errors.length, tours]).toEqual([1, none]);
    expect(await unchangedSlugs()).toEqual(['alps']);
    expect((await importFiles(database.db, { 'f.json': [faulty] })).errors).toHaveLength(1);
  });

  it('an import reads an unchanged entry when its departures are in a separate file', async () => {
    await importFiles(database.db, FILES);
    const csv = 'tour_slug,departure_date,seats_total,prices.adult\nalps,2031-08-01,7,1290\n';
    expect(await updates({ ...FILES, 'departures.csv': csv })).toEqual([0, 1, 0]);
  });

  it('an import changes neither the tour nor the change version when it stores a missing digest', async () => {
    await importFiles(database.db, FILES);
    await database.db('tour_imports').delete();
    const version = async () => (await database.db('change_version').first()).version;
    const before = [await version(), await tourOf(database.db, 'alps')];
    expect(await updates(FILES, { dryRun: true })).toEqual([0, 0, 0]);
    expect(await unchangedSlugs()).toEqual([]);
    expect((await importFiles(database.db, FILES)).tours).toEqual({ ...none, unchanged: 1 });
    expect(await unchangedSlugs()).toEqual(['alps']);
    expect([await version(), await tourOf(database.db, 'alps')]).toEqual(before);
  });
});

describe('a pruning import', () => {
  const prune = (contents: Record<string, unknown>) => importFiles(database.db, contents, { prune: true });

  it('a pruning import does not use the digests of an import without --prune', async () => {
    await importFiles(database.db, FILES);
    const fewer = { 'f.json': [{ ...alps, departures: [first] }] };
    await importFiles(database.db, fewer);
    expect([await unchangedSlugs(), await unchangedSlugs('exact')]).toEqual([['alps'], []]);
    expect((await prune(fewer)).pruned).toMatchObject({ departures_deleted: 1 });
    // The import compared all changes under the locks. The tour equals its entry, also where bookings affected the result.
    expect(await unchangedSlugs('exact')).toEqual(['alps']);
    expect((await prune(fewer)).pruned).toMatchObject({ departures_deleted: 0, tours_archived: 0 });
    expect(await unchangedSlugs('exact')).toEqual(['alps']);
  });

  it('a second pruning import deletes the cancelled departure after the hold on it is gone', async () => {
    await importFiles(database.db, FILES);
    const tenantId = (await givenTenant(database.db, { slug: 'pruner' })).id;
    const departure = await departureOf(database.db, 'alps', '2031-07-01');
    await insertHold(database.db, tenantId, departure.id, 1, { status: 'released' });
    const fewer = { 'f.json': [{ ...alps, departures: [first] }] };
    expect((await prune(fewer)).pruned).toMatchObject({ departures_cancelled: 1 });
    expect((await prune(fewer)).pruned).toMatchObject({ departures_cancelled: 0, departures_deleted: 0 });
    expect(await unchangedSlugs('exact')).toEqual([]);
    await database.db('seat_holds').delete();
    expect((await prune(fewer)).pruned).toMatchObject({ departures_deleted: 1 });
  });

  it('a pruning import publishes an archived tour although its entry is unchanged', async () => {
    const other = tourEntry({ slug: 'other' });
    await importFiles(database.db, { 'f.json': [alps, other] });
    expect((await prune(FILES)).pruned).toMatchObject({ tours_archived: 1 });
    expect((await prune({ 'f.json': [alps, other] })).tours).toEqual({ ...none, updated: 1, unchanged: 1 });
    expect((await tourOf(database.db, 'other')).status).toBe('published');
    await prune(FILES);
    await importFiles(database.db, { 'f.json': [alps, other] });
    expect((await tourOf(database.db, 'other')).status).toBe('archived');
    expect((await prune({ 'f.json': [alps, other] })).tours.updated).toBe(1);
  });
});

async function behindTheBack(sql: string): Promise<void> {
  await inTransaction(database.db, async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx.raw(sql);
  });
}
