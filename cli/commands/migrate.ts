import type { DatabaseVerb } from '../engine/command';

export const migrate: DatabaseVerb = {
  usage: 'migrate',
  about: 'Bring the schema of the database up to date',
  schema: 'as-is',
  run: () => (require('./migrate/run') as typeof import('./migrate/run')).migrateCommand,
};
