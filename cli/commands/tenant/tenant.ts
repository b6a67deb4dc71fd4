import { PAYMENT_METHODS, TENANT_STATUSES, USABLE_STATUSES } from '../../../services/api/tenants/tenant';
import type { Flag, Noun } from '../../command';
import { UsageError } from '../../usage-error';
import {
  bookingPrefix,
  color,
  country,
  currency,
  decimal,
  duration,
  httpsUrl,
  limit,
  line,
  linkTemplate,
  minutes,
  orNone,
  slug,
  wholeNumber,
} from '../../values';

const BASICS: Flag[] = [
  {
    flags: '--status <status>',
    about: 'may it be used at once',
    choices: USABLE_STATUSES,
    otherwise: 'trial',
  },
  {
    flags: '--currency <code>',
    about: 'ISO 4217 currency of its price rules',
    parse: currency,
    otherwise: 'EUR',
  },
  {
    flags: '--country <code>',
    about: 'ISO 3166 country that phone numbers are read by',
    parse: country,
    otherwise: 'DE',
  },
  {
    flags: '--booking-prefix <prefix>',
    about: 'what its booking references begin with',
    parse: bookingPrefix,
  },
  {
    flags: '--visibility <which>',
    about: 'tours it sees without a rule',
    choices: ['all', 'none'],
    otherwise: 'all',
  },
  {
    flags: '--deposit-percent <percent>',
    about: 'share of a booking to pay down',
    parse: decimal(0, 100, 2),
    otherwise: '20',
  },
];

const SETTINGS: Flag[] = [
  {
    flags: '--payment-method <method>',
    about: 'of a booking that names none',
    choices: PAYMENT_METHODS,
    otherwise: 'bank',
  },
  {
    flags: '--payment-window <duration>',
    about: 'how long an unpaid booking keeps its seats, such as 72h, or none',
    parse: orNone(duration()),
    otherwise: '72h',
  },
  {
    flags: '--hold-default <minutes>',
    about: 'length of a hold that names none',
    parse: minutes(1, 60),
    otherwise: '15',
  },
  { flags: '--hold-max <minutes>', about: 'longest hold', parse: minutes(1, 60), otherwise: '60' },
  {
    flags: '--max-holds <number>',
    about: 'live holds at most',
    parse: wholeNumber(1, 1_000_000),
    otherwise: '1000',
  },
  {
    flags: '--max-hold-share <percent>',
    about: "of a departure's seats that its holds may keep",
    parse: wholeNumber(1, 100),
    otherwise: '100',
  },
  {
    flags: '--link-template <address>',
    about: 'where its site shows a tour, with {slug} in it, or none',
    parse: orNone(linkTemplate),
  },
  {
    flags: '--brand-color <color>',
    about: 'of the embedded page, such as #0a7d5c, or none',
    parse: orNone(color),
  },
  {
    flags: '--brand-logo <address>',
    about: 'https:// address of a picture, or none',
    parse: orNone(httpsUrl),
  },
];

export const tenant: Noun = {
  name: 'tenant',
  about: 'Travel websites that sell from the catalog',
  verbs: [
    {
      usage: 'create',
      about: 'Create a tenant',
      flags: [
        { flags: '--slug <slug>', about: 'its name in commands and answers', parse: slug, must: true },
        { flags: '--name <name>', about: 'its name for people', parse: line(200), must: true },
        ...BASICS,
        ...SETTINGS,
      ],
      examples: ['tenant create --slug acme --name "Acme Travel"'],
      run: () => (require('./create') as typeof import('./create')).createTenantCommand,
    },
    {
      usage: 'list',
      about: 'List the tenants by slug',
      flags: [
        { flags: '--status <status>', about: 'only these', choices: TENANT_STATUSES },
        { flags: '--limit <number>', about: 'how many at most', parse: limit, otherwise: '100' },
      ],
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
        { flags: '--name <name>', about: 'its name for people', parse: line(200) },
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
  ],
};
