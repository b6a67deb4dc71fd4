import { HOLD_STATUSES } from '../../services/api/holds/seat-hold';
import type { Noun } from '../engine/command';
import { LIMIT_FLAG } from '../engine/credential-flags';
import { afterFlag } from '../engine/list-page';
import { REVEAL_FLAG } from '../engine/personal-data';
import { line, moment, slug, uuid } from '../engine/values';

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
        { flags: '--since <time>', about: 'placed at or after', parse: moment },
        { flags: '--external-ref <ref>', about: "with this reference of the tenant's own", parse: line(128) },
        LIMIT_FLAG,
        afterFlag('id', uuid),
      ],
      examples: ['hold list --tenant acme --status active'],
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).listHoldsCommand,
    },
    {
      usage: 'show <id>',
      about: 'Show a hold, all that happened to it, and what a booking with it is answered',
      args: { id: uuid },
      flags: [REVEAL_FLAG],
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).showHoldCommand,
    },
    {
      usage: 'release <id>',
      about: 'Give the seats of a hold back',
      args: { id: uuid },
      asks: () => true,
      run: () => (require('./hold/actions') as typeof import('./hold/actions')).releaseHoldCommand,
    },
  ],
};
