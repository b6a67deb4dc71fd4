import { openDatabase, type Db } from '../../services/platform/database/database';
import { migrate } from '../../services/platform/migrate/migrate';
import { listMigrations, readMigration } from '../../services/platform/migrate/migration-files';
import { startTemporaryPostgres } from '../support/temporary-postgres';

/** `npm run lab -- schema`: migrates a temporary database and prints its schema as Markdown. */

const INTRODUCTION = `# The schema of the database

The first sentence of each table's comment in migrations/, and the names of the functions. The files have the rest, with columns and
constraints.`;

/** Returns the schema of a migrated database as Markdown. */
export async function describeSchema(db: Db): Promise<string> {
  const parts = [
    INTRODUCTION,
    '## Relations',
    'A line leads from a table to the tables whose rows name its rows, with the columns that do. Left out: `tenant_id`, which most tables have.',
    ['```mermaid', 'erDiagram', ...(await drawRelations(db)), '```'].join('\n'),
    '## Tables, views and functions',
    ...listByFile(await listTables(db), await listFunctions(db)),
    '## Triggers',
    'The writes that call each function.',
    (await listTriggers(db)).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The relations that the text describes. Leaves out partitions and the tables of Knex. */
const RELATIONS = `
  select c.oid, c.relname as name, c.relkind from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition and c.relname not like 'knex%'`;

/** Draws the foreign keys, except those to tenants, which would hide the others. */
async function drawRelations(db: Db): Promise<string[]> {
  interface Relation {
    parent: string;
    child: string;
    columns: string[];
    isRequired: boolean;
    isUnique: boolean;
  }
  const { rows } = await db.raw<{ rows: Relation[] }>(`
    with relation as (${RELATIONS})
    select p.name as parent, t.name as child, a.columns, a.required as "isRequired",
      exists (select from pg_index i where i.indrelid = t.oid and i.indisunique and i.indpred is null and i.indnatts = i.indnkeyatts
        and string_to_array(i.indkey::text, ' ')::smallint[] <@ k.conkey) as "isUnique"
    from pg_constraint k
      join relation t on t.oid = k.conrelid
      join relation p on p.oid = k.confrelid
      cross join lateral (
        select array_agg(attname::text order by attnum) as columns, bool_and(attnotnull) as required
        from pg_attribute where attrelid = k.conrelid and attnum = any(k.conkey)
      ) a
    where k.contype = 'f' and k.conparentid = 0 and p.name <> 'tenants' order by p.name, t.name, a.columns`);
  return rows.map(({ parent, child, columns, isRequired, isUnique }) => {
    const line = `${isRequired ? '||' : '|o'}--${isUnique ? 'o|' : 'o{'}`;
    return `  ${parent} ${line} ${child} : "${columns.join(', ')}"`;
  });
}

/** A line of a list, and the migration that creates the listed object. */
interface Entry {
  text: string;
  file: string;
}

async function listTables(db: Db): Promise<Entry[]> {
  const comments = readComments('table|view');
  const { rows } = await db.raw<{ rows: { name: string; relkind: string }[] }>(RELATIONS);
  return rows.map(({ name, relkind }) => {
    const { sentence, file } = find(comments, name);
    return { text: `\`${name}\`${relkind === 'v' ? ' (view)' : ''}: ${sentence}`, file };
  });
}

/**
 * Lists the functions except trigger functions. Functions of the same name share one entry. The last file of the entry defines the
 * function that runs today.
 */
async function listFunctions(db: Db): Promise<Entry[]> {
  const comments = readComments('function');
  const { rows } = await db.raw<{ rows: { name: string }[] }>(`
    select distinct p.proname as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`);
  return rows.map(({ name }) => ({ text: `\`${name}\``, file: find(comments, name).file }));
}

/** Returns for each file a heading, a list of its tables and a line with its functions. */
function listByFile(tables: Entry[], functions: Entry[]): string[] {
  return listMigrations().flatMap((file) => {
    const textsOf = (entries: Entry[]) =>
      entries
        .filter((entry) => entry.file === file)
        .map(({ text }) => text)
        .toSorted();
    const lines = textsOf(tables).map((text) => `- ${text}`);
    const names = textsOf(functions);
    if (names.length > 0) lines.push(`- Functions: ${names.join(', ')}`);
    return lines.length === 0 ? [] : [`### ${file}`, lines.join('\n')];
  });
}

/** Returns a line for each function, with the tables whose writes call it. */
async function listTriggers(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string; moment: string; tables: string[] }[] }>(`
    select p.proname as name, array_agg(distinct r.name::text order by r.name::text) as tables,
      case when t.tginitdeferred then 'at COMMIT, after' when t.tgtype & 2 > 0 then 'before' else 'after' end as moment
    from pg_trigger t join (${RELATIONS}) r on r.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal group by 1, 3 order by 1, 3`);
  return rows.map(({ name, moment, tables }) => {
    const names = tables.map((table) => `\`${table}\``);
    return `- \`${name}\` ${moment} writes of ${names.join(', ')}`;
  });
}

interface Comment {
  sentence: string;
  file: string;
}

/** Reads the comment above each `create` of these kinds. If several files create the same object, the last file counts. */
function readComments(kinds: string): Map<string, Comment> {
  const created = new RegExp(
    `((?:^--.*\\n)*)^create (?:or replace )?(?:unlogged )?(?:${kinds}) (\\w+)`,
    'gm',
  );
  const found = new Map<string, Comment>();
  for (const file of listMigrations())
    for (const [, lines, name] of readMigration(file).replaceAll('\\?', '?').matchAll(created))
      found.set(name!, { sentence: firstSentence(lines!), file });
  return found;
}

/** @param lines of a comment, each with `--` */
function firstSentence(lines: string): string {
  const text = lines.replaceAll(/^-- ?/gm, '').trim().replaceAll('\n', ' ');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

function find(comments: Map<string, Comment>, name: string): Comment {
  const found = comments.get(name);
  if (!found?.sentence) throw new Error(`No comment is above the create of ${name} in migrations/`);
  return found;
}

async function main(): Promise<void> {
  const server = await startTemporaryPostgres();
  const db = openDatabase(server.url, { applicationName: 'schema', poolMax: 2 });
  try {
    await migrate(db);
    process.stdout.write(await describeSchema(db));
  } finally {
    await db.destroy();
    await server.stop();
  }
}

if (require.main === module) void main();
