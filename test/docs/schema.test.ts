import { useTestDatabase } from '../support/database';
import { describeSchema } from './print-schema';

const database = useTestDatabase();

describe('the printed schema', () => {
  it('the schema draws foreign keys, and lists each table with its comment, each function and each trigger', async () => {
    const text = await describeSchema(database.db);
    expect(text).toContain('  departures ||--o{ seat_holds : "departure_id"\n');
    expect(text).toContain('- `tours`: The tours, with their content as structured fields.\n');
    expect(text).toMatch(/^- Functions: .*`images_with_safe_addresses`/m);
    expect(text).toMatch(/^- `\w+` after writes of `booking_leads`, `seat_holds`/m);
    const { rows } = await database.db.raw<{ rows: { name: string }[] }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not like 'knex%'",
    );
    const missing = rows.filter(({ name }) => !text.includes(`- \`${name}\`: `));
    expect(missing).toEqual([]);
  });
});
