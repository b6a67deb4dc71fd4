import { readVisibility, setVisibility } from '../../../services/api/catalog/manage-visibility';
import type { Visibility } from '../../../services/api/catalog/visibility';
import type { ApiKey, Issued, WidgetToken } from '../../../services/api/credentials/credential';
import { issueApiKey, issueWidgetToken } from '../../../services/api/credentials/manage-credentials';
import { addPriceRule } from '../../../services/api/pricing/change-price-rules';
import { findLowPricesOf, type LowPrices } from '../../../services/api/pricing/find-low-prices';
import { createTenant } from '../../../services/api/tenants/manage-tenants';
import { addOrigins } from '../../../services/api/tenants/origins';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { AuditEntry } from '../../../services/platform/audit-log';
import { type Db, inTransaction, type Trx } from '../../../services/platform/database/database';
import { type AddedEndpoint, addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import type { Context } from '../../engine/context';
import { toKeyDocument } from '../key/key';
import { describeLowPrices, type PriceRuleDocument, toPriceRuleDocument } from '../pricing/price-rule';
import { type OnboardOptions, type OnboardPlan, toPlan } from './onboard-plan';
import { toSettings, toTenantDocument } from './settings';
import { readTargets, rulesOf } from '../visibility';
import { toWidgetDocument } from '../widget';

/** Holds everything that a plan creates, including secrets. */
export interface Provisioned {
  tenant: Tenant;
  visibility: Visibility;
  rule: PriceRuleDocument | null;
  /** Prices that the rule makes 0, or less than half of the platform's. */
  lowPrices: LowPrices | undefined;
  key: Issued<ApiKey> | null;
  widget: Issued<WidgetToken> | null;
  endpoint: AddedEndpoint | null;
  warnings: string[];
}

/** Writes the audit row of one created part. A rehearsal uses a function that writes nothing. */
type RecordPart = (entry: Omit<AuditEntry, 'actor' | 'host'>) => Promise<void>;

/** Resources for creating each part. */
interface Work {
  context: Context;
  trx: Trx;
  plan: OnboardPlan;
  record(action: string, subject: string, before: unknown, after: unknown): Promise<void>;
  warnings: string[];
}

/** Creates each part as its own command does, with the same use case and audit row. */
export async function provisionTenant(
  context: Context,
  trx: Trx,
  plan: OnboardPlan,
  recordPart: RecordPart = () => Promise.resolve(),
): Promise<Provisioned> {
  const { slug, name, sandbox } = plan;
  const warnings: string[] = [];
  const created = await createTenant(trx, { ...toSettings(plan), slug, name, sandbox });
  const record: Work['record'] = (action, subject, before, after) =>
    recordPart({ tenantId: created.id, action, subject, before, after });
  const work = { context, trx, plan, record, warnings };
  await record('tenant.create', slug, null, toTenantDocument(created));
  const visibility = await showTours(work, created);
  const { rule, lowPrices } = await changePrices(work, created);
  const tenant = await allowOrigins(work, created);
  const key = plan.key ? await issueKey(work, tenant) : null;
  const widget = plan.widget ? await issueWidget(work, tenant) : null;
  const endpoint = await addWebhook(work, tenant);
  return { tenant, visibility, rule, lowPrices, key, widget, endpoint, warnings };
}

/** Runs the work and rolls it back: reports errors early and writes nothing. */
export async function rehearse<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined;
  const rolledBack = new Error('rehearsed');
  await inTransaction(db, async (trx) => {
    done = { result: await work(trx) };
    throw rolledBack;
  }).catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return done!.result;
}

/** Creates all parts that the answers so far describe, and rolls them back. */
export function rehearsePlan(context: Context, answers: OnboardOptions): Promise<Provisioned> {
  const plan = toPlan(answers);
  return rehearse(context.db, (trx) => provisionTenant(context, trx, plan));
}

async function showTours({ trx, plan, record, warnings }: Work, tenant: Tenant): Promise<Visibility> {
  const { tour, continent } = plan;
  const before = await readVisibility(trx, tenant);
  if (!tour && !continent) return before;
  const collected = { warn: (message: string) => void warnings.push(message) };
  const targets = await readTargets(trx, collected, { tour, continent });
  for (const target of targets) await setVisibility(trx, tenant, target, true);
  const after = await readVisibility(trx, tenant);
  await record('visibility.allow', tenant.slug, rulesOf(targets, before), rulesOf(targets, after));
  return after;
}

async function changePrices({ trx, plan, record, warnings }: Work, tenant: Tenant) {
  const { percent, amount, roundTo } = plan;
  const value = percent ?? amount;
  if (value === undefined) return { rule: null, lowPrices: undefined };
  const change = { kind: percent === undefined ? ('amount' as const) : ('percent' as const), value };
  const lowPrices = await findLowPricesOf(trx, tenant, { change, roundTo });
  if (lowPrices) warnings.push(`the price rule ${describeLowPrices(lowPrices)}`);
  const rule = toPriceRuleDocument(tenant, await addPriceRule(trx, tenant, { change, roundTo }), null);
  await record('pricing.add', String(rule.id), null, rule);
  return { rule, lowPrices };
}

async function allowOrigins({ trx, plan, record }: Work, tenant: Tenant): Promise<Tenant> {
  const { origin, dev } = plan;
  if (!origin) return tenant;
  const changed = await addOrigins(trx, tenant, origin, dev);
  await record('origins.add', tenant.slug, { origins: tenant.origins }, { origins: changed.origins });
  return changed;
}

async function issueKey({ context, trx, plan, record }: Work, tenant: Tenant): Promise<Issued<ApiKey>> {
  const { scope, website, keyExpiresIn } = plan;
  const { keyPepper } = await context.secrets('keyPepper');
  const given = { scopes: scope, website, lifetimeSeconds: keyExpiresIn };
  const issued = await issueApiKey(trx, keyPepper, tenant, given);
  await record('key.issue', issued.credential.id, null, toKeyDocument(issued.credential));
  return issued;
}

async function issueWidget(
  { context, trx, plan, record }: Work,
  tenant: Tenant,
): Promise<Issued<WidgetToken>> {
  const { keyPepper } = await context.secrets('keyPepper');
  const given = { lifetimeSeconds: plan.widgetExpiresIn };
  const issued = await issueWidgetToken(trx, keyPepper, tenant, given);
  await record('widget.issue', issued.credential.id, null, toWidgetDocument(issued.credential));
  return issued;
}

async function addWebhook(
  { context, trx, plan, record }: Work,
  tenant: Tenant,
): Promise<AddedEndpoint | null> {
  const { webhook, event, format } = plan;
  if (webhook === undefined) return null;
  const { allowPrivateTargets } = context.config.webhooks;
  const given = { tenantId: tenant.id, url: webhook, events: event, format, allowPrivateTargets };
  const { secretsKey } = await context.secrets('secretsKey');
  const added = await addEndpoint(trx, secretsKey, given);
  const { secret: _, waiting: __, twins: ___, ...endpoint } = added;
  await record('webhook.add', endpoint.id, null, { ...endpoint, tenant: tenant.slug });
  return added;
}
