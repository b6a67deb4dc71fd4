import { HOLD_STATUSES } from '../../services/api/holds/seat-hold';
import { flag, type Noun } from '../engine/command';
import {
  afterFlag,
  EXTERNAL_REF_FLAG,
  LIST_FLAGS,
  REVEAL_FLAG,
  sinceFlag,
  TENANT_FLAG,
} from '../engine/flags';
import { uuid } from '../engine/values';

export const hold: Noun = {
  name: 'hold',
  about: 'Show and release the seats that tenants hold',
  verbs: [
    {
      usage: 'list',
      about: 'List holds, newest first',
      flags: [
        TENANT_FLAG,
        flag('--status <status>', 'only in this status', { choices: HOLD_STATUSES }),
        sinceFlag('placed'),
        EXTERNAL_REF_FLAG,
        ...LIST_FLAGS,
        afterFlag('id', uuid),
      ],
      examples: ['hold list --tenant acme --status active'],
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).listHoldsCommand,
    },
    {
      usage: 'show <id>',
      about: 'Show a hold, its history, and the result that a booking with it would have',
      args: { id: uuid },
      flags: [REVEAL_FLAG],
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).showHoldCommand,
    },
    {
      usage: 'release <id>',
      about: 'Release a hold, so that its seats are free again',
      args: { id: uuid },
      asks: () => true,
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).releaseHoldCommand,
    },
  ],
};
