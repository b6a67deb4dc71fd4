import { TENANT_STATUSES } from '../../services/api/tenants/tenant';
import { flag, type Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { afterFlag, LIST_FLAGS } from '../engine/flags';
import { slug } from '../engine/values';
import { checkOnboarding, ONBOARD_FLAGS } from './tenant/onboard/onboard-flags';
import { BASICS, NAME_FLAG, SANDBOX_FLAG, SETTINGS, SLUG_FLAG } from './tenant/tenant-flags';

const actions = () => require('./tenant/actions') as typeof import('./tenant/actions');

export const tenant: Noun = {
  name: 'tenant',
  about: 'Create and change tenants: the travel websites that sell from the catalog',
  verbs: [
    {
      usage: 'create',
      about: 'Create a tenant',
      flags: [SLUG_FLAG, NAME_FLAG, SANDBOX_FLAG, ...BASICS, ...SETTINGS],
      examples: [
        'tenant create --slug acme --name "Acme Travel"',
        'tenant create --slug acme-test --name "Acme Travel, tests" --sandbox',
      ],
      run: () => actions().createTenantCommand,
    },
    {
      usage: 'list',
      about: 'List the tenants by slug',
      flags: [
        flag('--status <status>', 'only in this status', { choices: TENANT_STATUSES }),
        ...LIST_FLAGS,
        afterFlag('slug', slug),
      ],
      examples: ['tenant list --status trial'],
      run: () => actions().listTenantsCommand,
    },
    {
      usage: 'show <slug>',
      about: 'Show a tenant with its settings',
      run: () => actions().showTenantCommand,
    },
    {
      usage: 'activate <slug>',
      about: 'Serve a tenant: end its trial, suspension or closure',
      run: () => actions().activateTenantCommand,
    },
    {
      usage: 'suspend <slug>',
      asks: () => true,
      about: 'Refuse all keys and tokens of a tenant until it is activated again',
      run: () => actions().suspendTenantCommand,
    },
    {
      usage: 'close <slug>',
      asks: () => true,
      about: 'Refuse all keys and tokens of a tenant that has left',
      run: () => actions().closeTenantCommand,
    },
    {
      usage: 'set <slug>',
      about: 'Change settings; a setting without a flag stays as it is',
      flags: [
        { ...NAME_FLAG, must: false },
        ...[...BASICS, ...SETTINGS].map(({ otherwise: _, ...one }) => one),
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
      run: () => actions().setTenantCommand,
    },
    {
      usage: 'onboard',
      about:
        'Create a tenant with keys, tours, prices and webhook, all or nothing; on a terminal it asks for missing values, unless --yes is given',
      flags: ONBOARD_FLAGS,
      check: checkOnboarding,
      examples: [
        'tenant onboard',
        'tenant onboard --name "Acme Travel" --country FR --percent 12.5 --origin https://acme.example --yes',
        'tenant onboard --name Acme --continent europe --scope catalog:read --scope booking:create ' +
          '--webhook https://acme.example/webhooks --out acme.secrets --yes',
      ],
      run: () =>
        (require('./tenant/onboard/onboard') as typeof import('./tenant/onboard/onboard'))
          .onboardTenantCommand,
    },
  ],
};
