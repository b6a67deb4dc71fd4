import { TENANT_STATUSES } from '../../../services/api/tenants/tenant';
import type { Noun } from '../../command';
import { afterFlag } from '../../list-page';
import { UsageError } from '../../usage-error';
import { limit, slug } from '../../values';
import { onboard } from './onboard/onboard-verb';
import { BASICS, NAME_FLAG, SETTINGS, SLUG_FLAG } from './tenant-flags';

export const tenant: Noun = {
  name: 'tenant',
  about: 'Travel websites that sell from the catalog',
  verbs: [
    {
      usage: 'create',
      about: 'Create a tenant',
      flags: [SLUG_FLAG, NAME_FLAG, ...BASICS, ...SETTINGS],
      examples: ['tenant create --slug acme --name "Acme Travel"'],
      run: () => (require('./create') as typeof import('./create')).createTenantCommand,
    },
    {
      usage: 'list',
      about: 'List the tenants by slug',
      flags: [
        { flags: '--status <status>', about: 'only these', choices: TENANT_STATUSES },
        { flags: '--limit <number>', about: 'how many at most', parse: limit, otherwise: '100' },
        afterFlag('slug', slug),
      ],
      examples: ['tenant list --status trial'],
      run: () => (require('./list') as typeof import('./list')).listTenantsCommand,
    },
    {
      usage: 'show <slug>',
      about: 'Show a tenant with its settings',
      run: () => (require('./show') as typeof import('./show')).showTenantCommand,
    },
    {
      usage: 'activate <slug>',
      about: 'Serve it: end its trial, suspension or closure',
      run: () => (require('./change-status') as typeof import('./change-status')).activateTenantCommand,
    },
    {
      usage: 'suspend <slug>',
      asks: () => true,
      about: 'Refuse all its keys and tokens, until it is activated again',
      run: () => (require('./change-status') as typeof import('./change-status')).suspendTenantCommand,
    },
    {
      usage: 'close <slug>',
      asks: () => true,
      about: 'Refuse all its keys and tokens: the tenant has left',
      run: () => (require('./change-status') as typeof import('./change-status')).closeTenantCommand,
    },
    {
      usage: 'set <slug>',
      about: 'Change settings; what is not given stays as it is',
      flags: [
        { ...NAME_FLAG, must: false },
        ...[...BASICS, ...SETTINGS].map(({ otherwise: _, ...flag }) => flag),
      ],
      check: (options: object) => {
        const given = Object.keys(options).filter((key) => !['json', 'yes'].includes(key));
        if (given.length === 0)
          throw new UsageError('tenant set needs at least one flag with a setting to change');
      },
      examples: [
        'tenant set acme --payment-window 48h --hold-max 30',
        'tenant set acme --link-template none',
      ],
      run: () => (require('./set') as typeof import('./set')).setTenantCommand,
    },
    onboard,
  ],
};
