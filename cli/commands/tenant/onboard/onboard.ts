import { recordChange } from '../../../../services/platform/audit-log';
import type { Context } from '../../../context';
import { askYesNo } from '../../../prompts';
import { NotConfirmedError } from '../../../refusals';
import { withSecretFile } from '../../../secret-file';
import { noteSpelling } from '../../../origin-arguments';
import { askOnboarding } from './ask-onboarding';
import { describeCommand } from './onboard-command-line';
import { secretLines, toOnboardDocument } from './onboard-document';
import type { OnboardOptions } from './onboard-options';
import { type OnboardPlan, toPlan } from './onboard-plan';
import { describeOnboarding } from './onboard-summary';
import { provisionTenant, type Provisioned, rehearse } from './provision-tenant';

export async function onboardTenantCommand(context: Context, options: OnboardOptions): Promise<void> {
  const guided = context.io.isTTY && !context.output.json && !options.yes;
  const plan = toPlan(guided ? await askOnboarding(context, options) : options);
  if (guided) await agree(context, plan);
  else noteSpelling(plan.origin ?? [], plan.dev, context.output);
  const made = await provision(context, plan);
  announce(context, made, plan, guided);
}

/** @throws NotConfirmedError, and whatever the writing itself would refuse */
async function agree(context: Context, plan: OnboardPlan): Promise<void> {
  const { db, io, output } = context;
  const rehearsed = await rehearse(db, (trx) => provisionTenant(context, trx, plan));
  output.note(`\n${describeOnboarding(rehearsed, plan.out)}\n`);
  for (const warning of rehearsed.warnings) output.warn(warning);
  output.note(`The same in one line:\n  ${describeCommand(plan)}\n`);
  if (!(await askYesNo(io, 'Write all of it?', true))) throw new NotConfirmedError();
}

async function provision(context: Context, plan: OnboardPlan): Promise<Provisioned> {
  const { name: actor, host } = context.operator;
  return withSecretFile(plan.out, (keep) =>
    context.audited({ action: 'tenant.onboard' }, async (trx, note) => {
      const made = await provisionTenant(context, trx, plan, (entry) =>
        recordChange(trx, { ...entry, actor, host }),
      );
      // Every part has left its row; the whole is not one change more.
      note(null, null);
      keep(secretLines(made).join('\n'));
      return made;
    }),
  );
}

/** stdout has the secrets, each once; the rest is for the eyes. */
function announce(context: Context, made: Provisioned, { out }: OnboardPlan, guided: boolean): void {
  const { config, output } = context;
  const { slug, origins } = made.tenant;
  const secrets = secretLines(made);
  const hidden = out !== undefined;
  const document = toOnboardDocument(made, !hidden, config.publicBaseUrl);
  if (!guided) {
    output.note(`${describeOnboarding(made, out)}\n`);
    for (const warning of made.warnings) output.warn(warning);
  }
  output.answer(document, () => (hidden ? '' : secrets.join('\n')));
  output.note(`${slug} is ready.${describeSecrets(secrets.length, out)}`);
  if (document.widget?.snippet) {
    const snippet = document.widget.snippet.replaceAll(made.widget!.token, '<WIDGET_TOKEN>');
    output.note(`\nTo paste into a page:\n${snippet}`);
  }
  if (made.key) {
    output.note(`\nTo try the key:\n${tryKey(config.publicBaseUrl)}`);
  }
  if (made.widget && origins.length === 0) {
    output.warn(`no site may show the widget yet: tourctl origins add ${slug} https://…`);
  }
}

function describeSecrets(count: number, out: string | undefined): string {
  if (count === 0) return '';
  return out === undefined ? ' Its secrets are shown this once.' : ` Its secrets are in ${out}`;
}

function tryKey(publicBaseUrl: string): string {
  return `curl -H "Authorization: Bearer <API_KEY>" "${publicBaseUrl}/api/tenant/catalog?limit=1"`;
}
