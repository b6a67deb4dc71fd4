import type { Flag, Noun } from '../../command';
import { LIMIT_FLAG } from '../../credential-flags';
import { deliveryStatus, moment, slug, uuid } from '../../values';
import { UsageError } from '../../usage-error';

const FILTERS: Flag[] = [
  { flags: '--tenant <slug>', about: 'only of this tenant', parse: slug },
  { flags: '--endpoint <id>', about: 'only to this endpoint', parse: uuid },
  {
    flags: '--since <time>',
    about: 'only from then on: a date, a time, or 24h for a day ago',
    parse: moment,
  },
];

export const delivery: Noun = {
  name: 'delivery',
  about: 'What was sent to webhook endpoints, and what waits',
  verbs: [
    {
      usage: 'list',
      about: 'List deliveries, newest first',
      flags: [
        ...FILTERS,
        {
          flags: '--status <status>',
          about: 'only pending, delivering, delivered, retrying, …',
          parse: deliveryStatus,
        },
        LIMIT_FLAG,
      ],
      examples: ['delivery list --tenant acme --status dead --since 7d'],
      run: () => (require('./list') as typeof import('./list')).listDeliveriesCommand,
    },
    {
      usage: 'show <id>',
      args: { id: uuid },
      about: 'Show a delivery with every try',
      flags: [{ flags: '--reveal', about: 'show the bodies, which hold personal data' }],
      run: () => (require('./show') as typeof import('./show')).showDeliveryCommand,
    },
    {
      usage: 'retry <id>',
      args: { id: uuid },
      about: 'Send it now',
      run: () => (require('./retry') as typeof import('./retry')).retryDeliveryCommand,
    },
    {
      usage: 'replay',
      about: 'Send finished deliveries again, but those of paused or disabled endpoints',
      flags: [
        ...FILTERS,
        {
          flags: '--status <status>',
          about: 'which',
          choices: ['delivered', 'dead', 'cancelled'],
          otherwise: 'dead',
        },
        { flags: '--dry-run', about: 'only count them, and those of paused or disabled endpoints' },
      ],
      check: ({ tenant, endpoint, since }: { tenant?: string; endpoint?: string; since?: Date }) => {
        if (tenant ?? endpoint ?? since) return;
        throw new UsageError(
          'delivery replay needs --tenant, --endpoint or --since: it would send everything again',
        );
      },
      examples: ['delivery replay --tenant acme --since 24h --dry-run'],
      run: () => (require('./replay') as typeof import('./replay')).replayDeliveriesCommand,
    },
  ],
};
