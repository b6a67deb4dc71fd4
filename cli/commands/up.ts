import type { OfflineVerb } from '../engine/command';

export const up: OfflineVerb = {
  usage: 'up',
  about: 'Run everything on this machine: database, API and webhook queue',
  flags: [{ flags: '--no-demo', about: 'leave the demo catalog and tenant out' }],
  examples: ['up', 'up --no-demo'],
  runOffline: () => (require('./up/run') as typeof import('./up/run')).upCommand,
};
