import { TENANT_STATUSES } from '../../services/api/tenants/tenant';
import type { Noun, Verb } from '../engine/command';
import { UsageError } from '../engine/failure';
import { afterFlag } from '../engine/list-page';
import { limit, slug } from '../engine/values';
import { checkOnboarding, ONBOARD_FLAGS } from './tenant/onboard/onboard-flags';
import { BASICS, NAME_FLAG, SETTINGS, SLUG_FLAG } from './tenant/tenant-flags';

const onboard: Verb = {
  usage: 'onboard',
  about: 'Set up a tenant whole, all or nothing; on a terminal it asks for what no flag says, unless --yes',
  flags: ONBOARD_FLAGS,
  check: checkOnboarding,
  examples: [
    'tenant onboard',
    'tenant onboard --name "Acme Travel" --country FR --percent 12.5 --origin https://acme.example --yes',
    'tenant onboard --name Acme --continent europe --scope catalog:read --scope booking:create ' +
      '--webhook https://acme.example/webhooks --out acme.secrets --yes',
  ],
  run: () =>
    (require('./tenant/onboard/onboard') as typeof import('./tenant/onboard/onboard')).onboardTenantCommand,
};

export const tenant: Noun = {
  name: 'tenant',
  about: 'Travel websites that sell from the catalog',
  verbs: [
    {
      usage: 'create',
      about: 'Create a tenant',
      flags: [SLUG_FLAG, NAME_FLAG, ...BASICS, ...SETTINGS],
      examples: ['tenant create --slug acme --name "Acme Travel"'],
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).createTenantCommand,
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
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).listTenantsCommand,
    },
    {
      usage: 'show <slug>',
      about: 'Show a tenant with its settings',
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).showTenantCommand,
    },
    {
      usage: 'activate <slug>',
      about: 'Serve it: end its trial, suspension or closure',
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).activateTenantCommand,
    },
    {
      usage: 'suspend <slug>',
      asks: () => true,
      about: 'Refuse all its keys and tokens, until it is activated again',
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).suspendTenantCommand,
    },
    {
      usage: 'close <slug>',
      asks: () => true,
      about: 'Refuse all its keys and tokens: the tenant has left',
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).closeTenantCommand,
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
      run: () => (require('./tenant/actions') as typeof import('./tenant/actions')).setTenantCommand,
    },
    onboard,
  ],
};
