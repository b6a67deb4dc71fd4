import type { ApiKey, Issued, WidgetToken } from '../../../../services/api/credentials/credential';
import { issueApiKey } from '../../../../services/api/credentials/issue-api-key';
import { issueWidgetToken } from '../../../../services/api/credentials/issue-widget-token';
import { readVisibility, setVisibility } from '../../../../services/api/catalog/set-visibility';
import type { Visibility } from '../../../../services/api/catalog/visibility';
import { addPriceRule } from '../../../../services/api/pricing/add-price-rule';
import { createTenant } from '../../../../services/api/tenants/create-tenant';
import { addOrigins } from '../../../../services/api/tenants/set-origins';
import type { Tenant } from '../../../../services/api/tenants/tenant';
import type { AuditEntry } from '../../../../services/platform/audit-log';
import { type Db, inTransaction, type Trx } from '../../../../services/platform/database';
import { addEndpoint, type AddedEndpoint } from '../../../../services/webhook-queue/operations';
import type { Context } from '../../../context';
import { toKeyDocument } from '../../key/key-document';
import { type PriceRuleDocument, toPriceRuleDocument } from '../../pricing/price-rule-document';
import { rulesOf } from '../../visibility/visibility-document';
import { readTargets } from '../../visibility/visibility-targets';
import { toWidgetDocument } from '../../widget/widget-document';
import type { OnboardPlan } from './onboard-plan';
import { toTenantDocument } from '../tenant-document';
import { toSettings } from '../tenant-options';

/** Everything that a plan makes, the secrets too. */
export interface Provisioned {
  tenant: Tenant;
  visibility: Visibility;
  rule: PriceRuleDocument | null;
  key: Issued<ApiKey> | null;
  widget: Issued<WidgetToken> | null;
  endpoint: AddedEndpoint | null;
  warnings: string[];
}

/** Writes an audit row for a part; rehearsals keep none. */
export type RecordPart = (entry: Omit<AuditEntry, 'actor' | 'host'>) => Promise<void>;

/** What each part needs to be made. */
interface Work {
  context: Context;
  trx: Trx;
  plan: OnboardPlan;
  record(action: string, subject: string, before: unknown, after: unknown): Promise<void>;
  warnings: string[];
}

/** One part at a time, each as its own command does it: with the same use case, and the same audit row. */
export async function provisionTenant(
  context: Context,
  trx: Trx,
  plan: OnboardPlan,
  recordPart: RecordPart = () => Promise.resolve(),
): Promise<Provisioned> {
  const { slug, name } = plan;
  const warnings: string[] = [];
  const created = await createTenant(trx, { ...toSettings(plan), slug, name });
  const record: Work['record'] = (action, subject, before, after) =>
    recordPart({ tenantId: created.id, action, subject, before, after });
  const work = { context, trx, plan, record, warnings };
  await record('tenant.create', slug, null, toTenantDocument(created));
  const visibility = await showTours(work, created);
  const rule = await changePrices(work, created);
  const tenant = await allowOrigins(work, created);
  const key = plan.key ? await issueKey(work, tenant) : null;
  const widget = plan.widget ? await issueWidget(work, tenant) : null;
  const endpoint = await addWebhook(work, tenant);
  return { tenant, visibility, rule, key, widget, endpoint, warnings };
}

/** Does the work and takes it back: what would be refused, is refused now, and nothing is written. */
export async function rehearse<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined;
  const takenBack = new Error('rehearsed');
  await inTransaction(db, async (trx) => {
    done = { result: await work(trx) };
    throw takenBack;
  }).catch((error: unknown) => {
    if (error !== takenBack) throw error;
  });
  return done!.result;
}

async function showTours(
  { context, trx, plan, record, warnings }: Work,
  tenant: Tenant,
): Promise<Visibility> {
  const { tour, continent } = plan;
  const before = await readVisibility(trx, tenant);
  if (!tour && !continent) return before;
  const collected = { ...context.output, warn: (message: string) => void warnings.push(message) };
  const targets = await readTargets(trx, collected, { tour, continent });
  for (const target of targets) await setVisibility(trx, tenant, target, true);
  const after = await readVisibility(trx, tenant);
  await record('visibility.allow', tenant.slug, rulesOf(targets, before), rulesOf(targets, after));
  return after;
}

async function changePrices({ trx, plan, record }: Work, tenant: Tenant): Promise<PriceRuleDocument | null> {
  const { percent, amount, roundTo } = plan;
  const value = percent ?? amount;
  if (value === undefined) return null;
  const change = { kind: percent === undefined ? ('amount' as const) : ('percent' as const), value };
  const rule = toPriceRuleDocument(tenant, await addPriceRule(trx, tenant, { change, roundTo }), null);
  await record('pricing.add', String(rule.id), null, rule);
  return rule;
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
  const { keyPepper } = context.secrets;
  const given = { scopes: scope, website, lifetimeSeconds: keyExpiresIn };
  const issued = await issueApiKey(trx, keyPepper, tenant, given);
  await record('key.issue', issued.credential.id, null, toKeyDocument(issued.credential));
  return issued;
}

async function issueWidget(
  { context, trx, plan, record }: Work,
  tenant: Tenant,
): Promise<Issued<WidgetToken>> {
  const { keyPepper } = context.secrets;
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
  const added = await addEndpoint(trx, context.secrets.secretsKey, given);
  const { secret: _, waiting: __, twins: ___, ...endpoint } = added;
  await record('webhook.add', endpoint.id, null, { ...endpoint, tenant: tenant.slug });
  return added;
}
