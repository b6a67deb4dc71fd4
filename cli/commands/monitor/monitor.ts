import type { DatabaseVerb } from '../../command';

export const monitor: DatabaseVerb = {
  usage: 'monitor',
  about: 'Print a link to the monitoring page of the webhook queue: good once, for five minutes',
  run: () => (require('./link') as typeof import('./link')).monitorCommand,
};
