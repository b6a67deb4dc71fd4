import type { DatabaseVerb } from '../../command';

export const seed: DatabaseVerb = {
  usage: 'seed',
  about: 'Plant the demo catalog and tenant, or move their departures forward',
  run: () => (require('./run') as typeof import('./run')).seedCommand,
};
