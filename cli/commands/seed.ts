import type { DatabaseVerb } from '../engine/command';

export const seed: DatabaseVerb = {
  usage: 'seed',
  about: 'Plant the demo catalog and tenant, or move their departures forward',
  run: () => (require('./seed/plant-demo') as typeof import('./seed/plant-demo')).seedCommand,
};
