import { countVisibleTours } from '../../../services/api/catalog/visibility-rule.repository';
import {
  createTenant,
  findTenant,
  findTenantForChange,
  changeTenantStatus,
  updateTenant,
} from '../../../services/api/tenants/manage-tenants';
import { type Tenant, TENANT_STATUSES, type TenantStatus } from '../../../services/api/tenants/tenant';
import { listTenants } from '../../../services/api/tenants/tenant.repository';
import { findUnsellableTours } from '../../../services/api/pricing/exchange-rate.repository';
import { findLowPriceRules } from '../../../services/api/pricing/find-low-prices';
import type { Db } from '../../../services/platform/database/database';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext, Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../../engine/list';
import { slug } from '../../engine/values';
import type { Output } from '../../terminal/output';
import { properties } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { awaitHidden } from '../visibility';
import { describeLowPrices } from '../pricing/price-rule';
import { onboardTenantCommand } from './onboard';
import { checkOnboarding, ONBOARD_FLAGS } from './onboard-plan';
import {
  BASICS,
  NAME_FLAG,
  SANDBOX_FLAG,
  SETTINGS,
  SLUG_FLAG,
  type TenantOptions,
  toSettings,
  toTenantDocument,
  visibilityOf,
} from './settings';

export const tenantVerbs: Verb[] = [
  {
    usage: 'create',
    about: 'Create a tenant',
    flags: [SLUG_FLAG, NAME_FLAG, SANDBOX_FLAG, ...BASICS, ...SETTINGS],
    examples: [
      'tenant create --slug acme --name "Acme Travel"',
      'tenant create --slug acme-test --name "Acme Travel, tests" --sandbox',
    ],
    audits: true,
    run: createTenantCommand,
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
    run: listOf({
      find: findListedTenants,
      columns: [
        'slug',
        { heading: 'name', least: 10 },
        { heading: 'status', tones: { trial: 'waiting', active: 'good', suspended: 'bad', closed: 'quiet' } },
        { heading: 'kind', aside: true, cell: ({ sandbox }) => (sandbox ? 'sandbox' : 'real') },
        { heading: 'prefix', cell: (tenant) => tenant.booking_prefix },
        { heading: 'currency', aside: true },
        {
          heading: 'sees',
          aside: true,
          cell: ({ sees, visible_tours: visible, published_tours: published }) =>
            sees === 'by rule' ? `by rule: ${visible}/${published}` : sees,
        },
        { heading: 'origins', right: true, aside: true, cell: ({ origins }) => origins.length },
        { heading: 'created', aside: true, cell: (tenant) => tenant.created_at.slice(0, 10) },
      ],
      empty: 'No tenants',
      after: ({ slug }) => slug,
    }),
  },
  {
    usage: 'show <slug>',
    about: 'Show a tenant with its settings',
    run: showTenantCommand,
  },
  {
    usage: 'activate <slug>',
    about: 'Serve a tenant: end its trial, suspension or closure',
    audits: true,
    run: activateTenantCommand,
  },
  {
    usage: 'suspend <slug>',
    asks: () => true,
    about: 'Refuse all keys and tokens of a tenant until it is activated again',
    audits: true,
    run: suspendTenantCommand,
  },
  {
    usage: 'close <slug>',
    asks: () => true,
    about: 'Refuse all keys and tokens of a tenant that has left',
    audits: true,
    run: closeTenantCommand,
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
    examples: ['tenant set acme --payment-window 48h --hold-max 30', 'tenant set acme --link-template none'],
    audits: true,
    run: setTenantCommand,
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
    audits: true,
    run: onboardTenantCommand,
  },
];

/** Finds tenants with the number of tours that each sees. */
async function findListedTenants(db: Db, filter: { status?: TenantStatus; limit: number; after?: string }) {
  const tenants = await listTenants(db, filter);
  const tours = await countVisibleTours(
    db,
    tenants.map(({ id }) => id),
  );
  return tenants.map((tenant) => {
    const { byRule, visible, published } = tours.get(tenant.id)!;
    return {
      ...toTenantDocument(tenant),
      sees: byRule ? 'by rule' : visibilityOf(tenant),
      visible_tours: visible,
      published_tours: published,
    };
  });
}

async function showTenantCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const document = toTenantDocument(await findTenant(db, slug));
  await output.answer(document, () => properties(document));
}

async function createTenantCommand(
  { audited, db, output }: AuditedContext,
  options: TenantOptions & { slug: string; name: string; sandbox?: boolean },
): Promise<void> {
  const { slug, name, sandbox } = options;
  const document = await audited({ action: 'tenant.create', subject: slug }, async (trx, note) => {
    const tenant = await createTenant(trx, { ...toSettings(options), slug, name, sandbox });
    const created = toTenantDocument(tenant);
    note(null, created, { tenantId: tenant.id });
    return created;
  });
  await output.answer(document, () => properties(document));
  if (options.sellIn) await warnOfUnsellableTours(db, output, document);
  output.note(`Created. Next: tourctl key issue ${slug} --scope catalog:read`);
}

async function setTenantCommand(
  context: AuditedContext,
  options: TenantOptions,
  slug: string,
): Promise<void> {
  const { audited, db, output } = context;
  const changed = await audited({ action: 'tenant.set', subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const updated = await updateTenant(trx, tenant, toSettings(options));
    note(toTenantDocument(tenant), toTenantDocument(updated), { tenantId: tenant.id });
    return updated;
  });
  if (options.visibility === 'none') await awaitHidden(context, changed);
  const document = toTenantDocument(changed);
  await output.answer(document, () => properties(document));
  if (options.sellIn) await warnOfUnsellableTours(db, output, changed);
  if (options.sellIn !== undefined) await warnOfLowPrices(db, output, changed);
  if ((options.paymentWindow ?? options.paymentReminder) !== undefined) noteMissingReminder(output, changed);
}

/** Warns of the tours that the tenant does not see, because a rate is missing. */
async function warnOfUnsellableTours(
  db: Db,
  output: Output,
  { id, slug }: Pick<Tenant, 'id' | 'slug'>,
): Promise<void> {
  const unsellable = await findUnsellableTours(db, id);
  if (unsellable.length === 0) return;
  const named = unsellable.map(({ tours, currency }) => `${countOf(tours, 'tour')} in ${currency}`);
  const missing = [...new Set(unsellable.flatMap((one) => one.missing))];
  const command = `tourctl rates set ${missing.map((code) => `${code} RATE`).join(' ')}`;
  output.warn(`${slug} does not see ${named.join(', ')}, because no rate is known: ${command}`);
}

/** The most rules that a warning describes. */
const DESCRIBED = 3;

/** Warns of the price rules that make prices low in the present selling currency. */
async function warnOfLowPrices(db: Db, output: Output, { id, slug }: Tenant): Promise<void> {
  const found = await findLowPriceRules(db, { tenantId: id });
  for (const low of found.slice(0, DESCRIBED))
    output.warn(`price rule ${low.rule.id} ${describeLowPrices(low)}: tourctl pricing show ${slug}`);
  const more = found.length - DESCRIBED;
  if (more > 0) output.warn(`low prices come from ${countOf(more, 'more price rule')}: tourctl doctor`);
}

/** Notes that no booking of the tenant gets a reminder, if its payment window is too short for one. */
function noteMissingReminder(output: Output, tenant: Tenant): void {
  const { paymentWindowMinutes: window, paymentReminderMinutes: reminder } = tenant;
  if (window === null || reminder === null || window >= 2 * reminder) return;
  output.note(
    'booking.payment_due is not sent: --payment-window must be at least twice --payment-reminder for that',
  );
}

async function suspendTenantCommand(context: AuditedContext, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Refuse every key and widget token of ${slug} from now on?`);
  await end(context, 'suspend', slug, 'suspended');
}

async function closeTenantCommand(context: AuditedContext, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Close ${slug}, and refuse all its keys and widget tokens from now on?`);
  await end(context, 'close', slug, 'closed');
}

async function activateTenantCommand(context: AuditedContext, _: object, slug: string): Promise<void> {
  await answerStatus(context, await changeStatus(context, 'activate', slug, 'active'));
}

/** Gives the tenant a status in which its keys are refused, and waits for the writes that they began. */
async function end(context: AuditedContext, verb: string, slug: string, status: TenantStatus): Promise<void> {
  const tenant = await changeStatus(context, verb, slug, status);
  await context.awaitWrites({ id: tenant.id, subject: `each key of ${slug}` });
  await answerStatus(context, tenant);
}

function changeStatus(
  { audited }: AuditedContext,
  verb: string,
  slug: string,
  status: TenantStatus,
): Promise<Tenant> {
  return audited({ action: `tenant.${verb}`, subject: slug }, async (trx, note) => {
    const { before, after } = await changeTenantStatus(trx, slug, status);
    note({ status: before.status }, { status: after.status }, { tenantId: before.id });
    return after;
  });
}

function answerStatus({ output }: Context, tenant: Tenant): Promise<void> {
  return output.answer(toTenantDocument(tenant), () => `${tenant.slug} is ${tenant.status}`);
}
