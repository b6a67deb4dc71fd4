import type { DatabaseVerb } from '../engine/command';

export const monitor: DatabaseVerb = {
  usage: 'monitor',
  about: 'Print a link to the monitoring page of the webhook queue: good once, for five minutes',
  run: () => (require('./monitor/link') as typeof import('./monitor/link')).monitorCommand,
};
