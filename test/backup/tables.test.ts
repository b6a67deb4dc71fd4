import { COPIED_TABLES, LEFT_OUT_TABLES, VIEWS } from '../../services/api/backup/tables';
import { useTestDatabase } from '../support/database';
import { tablesOf } from './installation';

const database = useTestDatabase();

describe('the tables of a backup', () => {
  it('a backup copies every table of the schema, or gives the reason for leaving it out', async () => {
    const known = [...COPIED_TABLES, ...Object.keys(LEFT_OUT_TABLES)].sort();
    expect(await tablesOf(database.db)).toEqual(known);
  });

  it('the views that a restore drops before the tables are all the views of the schema', async () => {
    const views = await database.db('pg_views').where({ schemaname: 'public' }).orderBy('viewname');
    expect(views.map(({ viewname }) => viewname as string)).toEqual([...VIEWS].sort());
  });
});
