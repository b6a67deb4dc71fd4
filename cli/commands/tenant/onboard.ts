import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { referencePrefix } from '../../../services/api/bookings/booking-lead';
import type { ApiKey } from '../../../services/api/credentials/credential';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Config } from '../../../services/platform/config/config';
import { recordChange } from '../../../services/platform/audit-log';
import { mayAsk, nobodyToAsk } from '../../engine/confirm';
import type { AuditedContext, Context } from '../../engine/context';
import { NotConfirmedError } from '../../engine/failure';
import { withSecretFile } from '../../engine/secrets';
import { askWithHistory, askYesNo } from '../../terminal/prompts';
import { toIssuedKeyDocument } from '../key/key';
import { describeExpiry } from '../key/credentials';
import { printSpelling } from '../origins';
import { reachable } from '../up/up';
import { describeLowPrices, describePriceChange } from '../pricing/price-rule';
import { askOnboarding } from './ask-onboarding';
import { describeCommand, type OnboardOptions, type OnboardPlan, quote, toPlan } from './onboard-plan';
import { type Provisioned, provisionTenant, rehearse, rehearsePlan } from './provision';
import { toTenantDocument } from './settings';
import { toVisibilityDocument } from '../visibility';
import { toSecretDocument } from '../webhook/webhook';
import { toIssuedWidgetDocument } from '../widget';

export async function onboardTenantCommand(context: AuditedContext, options: OnboardOptions): Promise<void> {
  const guided = mayAsk(context) && !options.yes;
  const plan = guided ? await askForPlan(context, options) : toPlan(options);
  if (!guided) printSpelling(plan.origin ?? [], plan.dev, context.output);
  const made = await provision(context, plan, guided || options.yes === true);
  await announce(context, made, plan, guided);
}

/**
 * Refuses invalid flags before the first question, because no answer can correct them. Then asks for the missing values and for agreement.
 */
async function askForPlan(context: Context, options: OnboardOptions): Promise<OnboardPlan> {
  const { slug = `rehearsal-${randomBytes(4).toString('hex')}` } = options;
  await rehearsePlan(context, { ...options, slug });
  context.output.note(
    'Enter takes the offered answer, Esc goes back one question.\n' +
      'Nothing is written before you have confirmed the summary.',
  );
  return askWithHistory(context.io, [options.name], async (io) => {
    const asking = { ...context, io };
    const plan = toPlan(await askOnboarding(asking, options));
    await agree(asking, plan);
    return plan;
  });
}

/** Rehearses the plan and asks for confirmation. @throws NotConfirmedError, and every error of the use cases */
async function agree(context: Context, plan: OnboardPlan): Promise<void> {
  const { db, io, output } = context;
  const rehearsed = await rehearse(db, (trx) => provisionTenant(context, trx, plan));
  output.note(`\n${describeOnboarding(rehearsed, plan.out, 'will be written')}\n`);
  for (const warning of rehearsed.warnings) output.warn(warning);
  output.note(`The same as one command, for a script:\n  ${describeCommand(plan)}\n`);
  if (!(await askYesNo(io, 'Write all of it?', true))) throw new NotConfirmedError();
}

/**
 * @param agreed true: the person confirmed the summary or gave --yes, which includes any low prices. false: a plan with low prices is
 * refused.
 */
async function provision(context: AuditedContext, plan: OnboardPlan, agreed: boolean): Promise<Provisioned> {
  const { name: actor, host } = context.operator;
  return withSecretFile(plan.out, (keep) =>
    context.audited({ action: 'tenant.onboard' }, async (trx, note) => {
      const made = await provisionTenant(context, trx, plan, (entry) =>
        recordChange(trx, { ...entry, actor, host }),
      );
      if (made.lowPrices && !agreed)
        throw nobodyToAsk(`The price rule ${describeLowPrices(made.lowPrices)}. Add it?`);
      // Writes no further audit row, because each part has written its own.
      note(null, null);
      keep(secretLines(made).join('\n'));
      return made;
    }),
  );
}

/** Writes the secrets to stdout, each once, and everything else to stderr. */
async function announce(
  context: Context,
  made: Provisioned,
  { out }: OnboardPlan,
  guided: boolean,
): Promise<void> {
  const { config, output } = context;
  const { slug, origins } = made.tenant;
  const secrets = secretLines(made);
  const hidden = out !== undefined;
  const document = toOnboardDocument(made, !hidden, config.publicBaseUrl);
  if (!guided) {
    output.note(`${describeOnboarding(made, out, 'written')}\n`);
    for (const warning of made.warnings) output.warn(warning);
  }
  await output.answer(document, () => (hidden ? '' : secrets.join('\n')));
  output.note(`\n${slug} is ready.${describeSecrets(secrets.length, out)}`);
  if (made.key?.credential.scopes.includes('catalog:read'))
    output.note(`\n${describeTrial(made.key.credential, config, out)}`);
  if (document.widget?.snippet) {
    // Prints the widget token: it is public, because every page contains it.
    output.note(`\nTo show its tours, paste this into a page:\n${document.widget.snippet}`);
  }
  if (made.widget && origins.length === 0) output.warn(describeMissingSite(made.tenant));
}

function describeSecrets(count: number, out: string | undefined): string {
  if (count === 0) return '';
  return out === undefined
    ? ' Copy the lines above now: they are shown only once.'
    : ` Its secrets are in ${out}`;
}

/** Describes how to try the key. The commands work when pasted, though they do not show the key again. */
function describeTrial(
  { scopes }: ApiKey,
  { publicBaseUrl, host, apiPort }: Config,
  out: string | undefined,
): string {
  const address = new URL(publicBaseUrl);
  const lines = [
    out === undefined
      ? 'To try the key, paste its line API_KEY=… into your shell, and then:'
      : `To try the key, in a shell that may read the file:\n. ${quote(path.resolve(out))}`,
    tryKey(publicBaseUrl),
  ];
  if (address.protocol === 'https:') {
    lines.push(`Until ${address.host} has DNS and TLS, on the server of the API:`);
    lines.push(tryKey(`http://${reachable(host)}:${apiPort}`));
  }
  if (scopes.includes('booking:create'))
    lines.push(`Next, its first booking: ${publicBaseUrl}/docs/guide/first-booking`);
  return lines.join('\n');
}

function tryKey(baseUrl: string): string {
  return `curl -sS -H "Authorization: Bearer $API_KEY" "${baseUrl}/api/tenant/catalog?limit=1"`;
}

function describeMissingSite({ slug, status }: Tenant): string {
  const local =
    status === 'trial' ? `, or on trial: tourctl origins add ${slug} http://localhost:8080 --dev` : '';
  return `no site may show the widget yet: tourctl origins add ${slug} https://SITE${local}`;
}

/**
 * Returns the documents of the commands that create each part alone. Null for a part that was not wanted.
 * @param shown false if the secrets were written to a file
 */
function toOnboardDocument(made: Provisioned, shown: boolean, publicBaseUrl: string) {
  const { tenant, visibility, rule, key, widget, endpoint } = made;
  return {
    tenant: toTenantDocument(tenant),
    visibility: toVisibilityDocument(tenant.slug, visibility),
    price_rule: rule,
    key: key && toIssuedKeyDocument(key.credential, shown ? key.token : null),
    widget: widget && toIssuedWidgetDocument(widget.credential, shown ? widget.token : null, publicBaseUrl),
    webhook:
      endpoint && toSecretDocument({ ...endpoint, tenant: tenant.slug }, shown ? endpoint.secret : null),
  };
}

/** Returns the secrets as lines of a settings file. */
function secretLines({ key, widget, endpoint }: Provisioned): string[] {
  return [
    ...(key ? [`API_KEY=${key.token}`] : []),
    ...(widget ? [`WIDGET_TOKEN=${widget.token}`] : []),
    ...(endpoint ? [`WEBHOOK_SECRET=${endpoint.secret}`] : []),
  ];
}

/** Formats the summary that a person reads before agreeing; it contains no secret. */
function describeOnboarding(made: Provisioned, out: string | undefined, written: string): string {
  const { tenant, rule, key, widget, endpoint } = made;
  const deposit = `${Number(tenant.depositPercent)} % deposit`;
  const rows: [string, string | string[]][] = [
    ['Tenant', `${tenant.slug} (${tenant.name}), ${tenant.status === 'trial' ? 'on trial' : tenant.status}`],
    ['Country', `${tenant.country}, for phone numbers without a country code`],
    ['Currency', `${tenant.currency}, for price rules`],
    [
      'Bookings',
      `${referencePrefix(tenant)}-1042 and so on, ${deposit}${tenant.sandbox ? '; tests that take no real seat' : ''}`,
    ],
    ['Unpaid seats', `at most ${tenant.maxHoldShare} % of a departure`],
    ['Tours', describeTours(made)],
    ['Prices', rule ? describePrices(rule) : "the platform's"],
    ['Sites', tenant.origins.length > 0 ? tenant.origins : 'none yet, so no page shows the widget'],
    ['API key', key ? describeKey(key.credential) : 'none'],
    ['Widget token', widget ? `for the sites above; ${expiry(widget.credential.expiresAt)}` : 'none'],
    ['Tour links', tenant.linkTemplate ?? 'none: the tours of the widget have no links'],
    [
      'Webhook',
      endpoint
        ? [endpoint.url, `${endpoint.events.join(', ')}; format ${endpoint.format}`]
        : 'none: no server is told of a booking',
    ],
    ['Secrets', out === undefined ? 'shown once, on this screen' : `${written} to ${out} (0600)`],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows
    .flatMap(([label, lines]) => [lines].flat().map((line, i) => [i === 0 ? label : '', line] as const))
    .map(([label, line]) => `  ${label.padEnd(width)}  ${line}`)
    .join('\n');
}

function describeTours({
  visibility: { defaultVisible, continents, tours },
}: Provisioned): string | string[] {
  if (defaultVisible) return 'all of them';
  const shown = [
    ...continents.map(({ continent }) => `all of ${continent}`),
    ...tours.map(({ slug }) => slug),
  ];
  return shown.length > 0 ? shown : 'none yet';
}

function describePrices(rule: NonNullable<Provisioned['rule']>): string {
  const rounding = rule.round_to === null ? '' : `, rounded to a multiple of ${rule.round_to}`;
  return `${describePriceChange(rule)} on the platform's${rounding}`;
}

function describeKey({ scopes, website, expiresAt }: ApiKey): string[] {
  const limit = scopes.includes('booking:create') ? '' : ' (it cannot hold or book)';
  return [`${scopes.join(', ')}${limit}`, `${website ? `for ${website}; ` : ''}${expiry(expiresAt)}`];
}

function expiry(at: Date | null): string {
  return describeExpiry(at && `${at.toISOString().slice(0, 16)}Z`);
}
