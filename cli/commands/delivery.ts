import type { DeliveryStatus } from '../../services/webhook-queue/deliveries/delivery';
import type { Flag, Noun } from '../engine/command';
import { LIMIT_FLAG } from '../engine/credential-flags';
import { UsageError } from '../engine/failure';
import { afterFlag } from '../engine/list-page';
import { REVEAL_FLAG } from '../engine/personal-data';
import { moment, slug, uuid } from '../engine/values';

const FILTERS: Flag[] = [
  { flags: '--tenant <slug>', about: 'only of this tenant', parse: slug },
  { flags: '--endpoint <id>', about: 'only to this endpoint', parse: uuid },
  {
    flags: '--since <time>',
    about: 'only from then on: a date, a time, or 24h for a day ago',
    parse: moment,
  },
];

/** Repeats the queue's list, because the queue is slow to load; the type checks that it is complete. */
const STATUSES = Object.keys({
  pending: true,
  delivering: true,
  delivered: true,
  retrying: true,
  dead: true,
  cancelled: true,
} satisfies Record<DeliveryStatus, true>);

const ID = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';

export const delivery: Noun = {
  name: 'delivery',
  about: 'What was sent to webhook endpoints, and what waits',
  verbs: [
    {
      usage: 'list',
      about: 'List deliveries, newest first',
      flags: [
        ...FILTERS,
        { flags: '--status <status>', about: 'only these', choices: STATUSES },
        LIMIT_FLAG,
        afterFlag('id', uuid),
      ],
      examples: [
        'delivery list --tenant acme --status dead --since 7d',
        `delivery list --endpoint ${ID} --limit 20`,
      ],
      run: () => (require('./delivery/actions') as typeof import('./delivery/actions')).listDeliveriesCommand,
    },
    {
      usage: 'show <id>',
      args: { id: uuid },
      about: 'Show a delivery with every try',
      flags: [{ ...REVEAL_FLAG, about: 'show the bodies, which hold personal data; leaves an audit row' }],
      examples: [`delivery show ${ID}`, `delivery show ${ID} --reveal`],
      run: () => (require('./delivery/actions') as typeof import('./delivery/actions')).showDeliveryCommand,
    },
    {
      usage: 'retry <id>',
      args: { id: uuid },
      about: 'Send it now',
      examples: [`delivery retry ${ID}`],
      run: () => (require('./delivery/actions') as typeof import('./delivery/actions')).retryDeliveryCommand,
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
      examples: [
        'delivery replay --tenant acme --since 24h --dry-run',
        `delivery replay --endpoint ${ID} --status delivered --since 2027-06-01T08:00:00Z`,
      ],
      run: () =>
        (require('./delivery/actions') as typeof import('./delivery/actions')).replayDeliveriesCommand,
    },
  ],
};
