import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openDatabase, type Db } from '../../services/platform/database';
import { migrate } from '../../services/platform/migrate';
import { listMigrations, readMigration } from '../../services/platform/migrate/migration-files';
import { startTemporaryPostgres } from '../support/temporary-postgres';

/** `npm run lab -- schema`: migrates a temporary database and describes it in docs/schema.md. */

export const SCHEMA_PAGE = path.resolve(__dirname, '../../docs/schema.md');

const INTRODUCTION = `# The schema of the database

Each file of [migrations/](../migrations) that begins with 01 is one topic, and says what its tables, triggers and functions are. This page
lists them; the columns and their constraints are in the files. \`npm run lab -- schema\` writes it from a migrated database and from the
comments in the files, and a test compares it with both.`;

/** Returns the text of docs/schema.md for a migrated database. */
export async function describeSchema(db: Db): Promise<string> {
  const parts = [
    INTRODUCTION,
    '## Relations',
    'A line leads from a table to the tables whose rows name its rows, with the columns that do. Tables without a line have no foreign key.',
    ['```mermaid', 'erDiagram', ...(await drawRelations(db)), '```'].join('\n'),
    '## Tables and views',
    toTable(['Table', 'Rows', 'File'], await listTables(db)),
    '## Triggers',
    toTable(['Table', 'Trigger', 'Runs', 'Calls'], await listTriggers(db)),
    '## Functions',
    toTable(['Function', 'Work', 'File'], await listFunctions(db)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The relations of the schema that are documented: not the partitions, and not the tables of Knex. */
const RELATIONS = `
  select c.oid, c.relname as name, c.relkind from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition and c.relname not like 'knex%'`;

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
    where k.contype = 'f' and k.conparentid = 0 order by p.name, t.name, a.columns`);
  return rows.map(({ parent, child, columns, isRequired, isUnique }) => {
    const line = `${isRequired ? '||' : '|o'}--${isUnique ? 'o|' : 'o{'}`;
    return `  ${parent} ${line} ${child} : "${columns.join(', ')}"`;
  });
}

async function listTables(db: Db): Promise<string[][]> {
  const comments = readComments('table|view');
  const { rows } = await db.raw<{ rows: { name: string; relkind: string }[] }>(RELATIONS);
  return inOrder(
    rows.map(({ name, relkind }) => {
      const { comment, file } = find(comments, name);
      return [`\`${name}\`${relkind === 'v' ? ' (view)' : ''}`, comment, linkTo(file)];
    }),
  );
}

async function listTriggers(db: Db): Promise<string[][]> {
  const { rows } = await db.raw<{ rows: { table: string; name: string; definition: string }[] }>(`
    select r.name as table, t.tgname as name, pg_get_triggerdef(t.oid, true) as definition
    from pg_trigger t join (${RELATIONS}) r on r.oid = t.tgrelid
    where not t.tgisinternal order by r.name, t.tgname`);
  return rows.map(({ table, name, definition }) => {
    const [, runs] = /TRIGGER \S+ (.+?) ON /.exec(definition)!;
    const [, calls] = /EXECUTE FUNCTION (\w+)/.exec(definition)!;
    const each = definition.includes('FOR EACH ROW') ? 'each row' : 'each statement';
    const deferred = definition.includes('INITIALLY DEFERRED') ? ', at COMMIT' : '';
    return [`\`${table}\``, `\`${name}\``, `${runs!.toLowerCase()}, for ${each}${deferred}`, `\`${calls}\``];
  });
}

async function listFunctions(db: Db): Promise<string[][]> {
  const comments = readComments('function');
  const { rows } = await db.raw<{ rows: { name: string; arguments: string }[] }>(`
    select p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`);
  return inOrder(
    rows.map((row) => {
      const { comment, file } = find(comments, row.name);
      return [`\`${row.name}(${row.arguments})\``, comment, linkTo(file)];
    }),
  );
}

interface Comment {
  comment: string;
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
      found.set(name!, { comment: lines!.replaceAll(/^-- ?/gm, '').trim().replaceAll('\n', ' '), file });
  return found;
}

function find(comments: Map<string, Comment>, name: string): Comment {
  const found = comments.get(name);
  if (!found?.comment) throw new Error(`No comment is above the create of ${name} in migrations/`);
  return found;
}

function linkTo(file: string): string {
  return `[${file.slice(0, 4)}](../migrations/${file}.sql)`;
}

/** Sorts by file, then by name. */
function inOrder(rows: string[][]): string[][] {
  const keyOf = ([name, , file]: string[]) => `${file} ${name!.replaceAll('`', '')}`;
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns a Markdown table in the form of Prettier: the cells of a column are equally wide. */
function toTable(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const [first, ...others] = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)));
  const lines = [first!, widths.map((width) => '-'.repeat(width)), ...others];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

async function main(): Promise<void> {
  const server = await startTemporaryPostgres();
  const db = openDatabase(server.url, { applicationName: 'schema', poolMax: 2 });
  try {
    await migrate(db);
    writeFileSync(SCHEMA_PAGE, await describeSchema(db));
  } finally {
    await db.destroy();
    await server.stop();
  }
}

if (require.main === module) void main();
