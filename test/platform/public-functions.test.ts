import { useTestDatabase } from '../support/database';

const database = useTestDatabase();

interface DatabaseFunction {
  name: string;
  body: string;
  ofOwner: boolean;
  everyone: boolean;
}

const WRITES =
  /\b(insert\s+into|update\s+\w+(\s+(as\s+)?\w+)?\s+set|delete\s+from|truncate|create\s+table|alter\s+table|drop\s+table|grant|revoke)\b/i;

/** Adds the functions that call a function of the list, until no function is added. */
function withCallers(functions: DatabaseFunction[], found: DatabaseFunction[]): DatabaseFunction[] {
  const calls = ({ body }: DatabaseFunction) => found.some(({ name }) => body.includes(`${name}(`));
  const callers = functions.filter((one) => !found.includes(one) && calls(one));
  return callers.length === 0 ? found : withCallers(functions, [...found, ...callers]);
}

describe('the functions of the schema', () => {
  it('no function that writes, or that has the rights of its owner, can be called by everyone', async () => {
    // Leaves out the functions of triggers, which cannot be called, and the functions of extensions.
    const { rows } = await database.db.raw<{ rows: DatabaseFunction[] }>(
      `select p.proname as name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body, p.prosecdef as "ofOwner",
         has_function_privilege('public', p.oid, 'execute') as everyone
       from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.prorettype <> 'trigger'::regtype
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    );
    const writing = withCallers(
      rows,
      rows.filter(({ body }) => WRITES.test(body)),
    ).map(({ name }) => name);
    expect(writing).toEqual(
      expect.arrayContaining(['octo_record_change', 'webhook_make_month', 'octo_notify']),
    );
    const dangerous = rows.filter(({ name, ofOwner }) => ofOwner || writing.includes(name));
    expect(dangerous.filter(({ everyone }) => everyone).map(({ name }) => name)).toEqual([]);
  });

  it('no function that PostgreSQL stores as a parsed query takes a row, because 15 to 17 then refuse changes of its table', async () => {
    const { rows } = await database.db.raw(
      `select p.oid::regprocedure::text as signature from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.prosqlbody is not null
         and exists (select from unnest(p.proargtypes) as argument (type) join pg_type t on t.oid = argument.type where t.typrelid <> 0)`,
    );
    expect(rows).toEqual([]);
  });
});
