import type { DatabaseVerb } from '../../command';

export const migrate: DatabaseVerb = {
  usage: 'migrate',
  about: 'Bring the schema of the database up to date',
  schema: 'as-is',
  run: () => (require('./run') as typeof import('./run')).migrateCommand,
};
