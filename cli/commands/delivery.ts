import type { DeliveryStatus } from '../../services/webhook-queue/deliveries/delivery';
import { type Flag, flag, type Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { afterFlag, LIST_FLAGS, sinceFlag, TENANT_FLAG } from '../engine/flags';
import { uuid } from '../engine/values';
import { EVENTS } from './webhook/events';

const FILTERS: Flag[] = [
  TENANT_FLAG,
  flag('--endpoint <id>', 'only to this endpoint', { parse: uuid }),
  sinceFlag('created'),
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
const actions = () => require('./delivery/actions') as typeof import('./delivery/actions');

export const delivery: Noun = {
  name: 'delivery',
  about: 'Show, retry and replay webhook deliveries',
  verbs: [
    {
      usage: 'list',
      about: 'List deliveries, newest first',
      flags: [
        ...FILTERS,
        flag('--status <status>', 'only in this status', { choices: STATUSES }),
        ...LIST_FLAGS,
        afterFlag('id', uuid),
      ],
      examples: [
        'delivery list --tenant acme --status dead --since 7d',
        `delivery list --endpoint ${ID} --limit 20`,
      ],
      run: () => actions().listDeliveriesCommand,
    },
    {
      usage: 'show <id>',
      args: { id: uuid },
      about: 'Show a delivery with all its attempts',
      flags: [flag('--reveal', 'show the bodies, which contain personal data; leaves an audit row')],
      examples: [`delivery show ${ID}`, `delivery show ${ID} --reveal`],
      run: () => actions().showDeliveryCommand,
    },
    {
      usage: 'retry <id>',
      args: { id: uuid },
      about: 'Send a delivery now',
      examples: [`delivery retry ${ID}`],
      run: () => actions().retryDeliveryCommand,
    },
    {
      usage: 'replay',
      about: 'Send finished deliveries again, except those of paused or disabled endpoints',
      flags: [
        ...FILTERS,
        flag('--status <status>', 'only in this status', {
          choices: ['delivered', 'dead', 'cancelled'],
          otherwise: 'dead',
        }),
        flag('--event <event>', 'only of this event', { choices: EVENTS }),
        flag('--dry-run', 'only count them, and those of paused or disabled endpoints'),
      ],
      check: ({ tenant, endpoint, since }: { tenant?: string; endpoint?: string; since?: Date }) => {
        if (tenant ?? endpoint ?? since) return;
        throw new UsageError(
          'delivery replay needs --tenant, --endpoint or --since: without them it would send all deliveries again',
        );
      },
      examples: [
        'delivery replay --tenant acme --since 24h --dry-run',
        'delivery replay --tenant acme --event booking.created --since 24h',
        `delivery replay --endpoint ${ID} --status delivered --since 2027-06-01T08:00:00Z`,
      ],
      run: () => actions().replayDeliveriesCommand,
    },
  ],
};
