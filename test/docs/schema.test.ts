import { readFileSync } from 'node:fs';
import { useTestDatabase } from '../support/database';
import { describeSchema, SCHEMA_PAGE } from './write-schema';

const database = useTestDatabase();

describe('docs/schema.md', () => {
  it('docs/schema.md equals what `npm run lab -- schema` writes', async () => {
    expect(readFileSync(SCHEMA_PAGE, 'utf8')).toBe(await describeSchema(database.db));
  });
});
