import { HOLD_STATUSES } from '../../../services/api/holds/seat-hold';
import type { Noun } from '../../command';
import { LIMIT_FLAG } from '../../credential-flags';
import { slug, uuid } from '../../values';

export const hold: Noun = {
  name: 'hold',
  about: 'Seats that tenants keep for a while',
  verbs: [
    {
      usage: 'list',
      about: 'List holds, newest first',
      flags: [
        { flags: '--tenant <slug>', about: 'of this tenant only', parse: slug },
        { flags: '--status <status>', about: 'in this status only', choices: HOLD_STATUSES },
        LIMIT_FLAG,
      ],
      examples: ['hold list --tenant acme --status active'],
      run: () => (require('./list') as typeof import('./list')).listHoldsCommand,
    },
    {
      usage: 'release <id>',
      about: 'Give the seats of a hold back',
      args: { id: uuid },
      run: () => (require('./release') as typeof import('./release')).releaseHoldCommand,
    },
  ],
};
