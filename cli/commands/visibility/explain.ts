import type { CatalogTour } from '../../../services/api/catalog/catalog-tour';
import { explainVisibility } from '../../../services/api/catalog/explain-visibility';
import { findTour } from '../../../services/api/catalog/find-tour';
import type { VisibilityRule } from '../../../services/api/catalog/visibility';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { mayBeUsed, type Tenant } from '../../../services/api/tenants/tenant';
import type { Context } from '../../context';
import { shown } from './visibility-document';

/** What can decide: beside the rules, what no rule can change. */
interface Decision {
  kind: VisibilityRule['kind'] | 'tenant' | 'status';
  visible: boolean;
  /** What it speaks of: a tour's slug, a continent, a status. */
  of: string | null;
}

export async function explainVisibilityCommand(
  { db, output }: Context,
  _: object,
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const tour = await findTour(db, idOrSlug);
  const { decidedBy, beaten, published } = await explainVisibility(db, tenant, tour);
  const rules = [decidedBy, ...beaten].map((rule) => toDecision(rule, tour));
  const [decided, ...others] = [
    ...(mayBeUsed(tenant) ? [] : [{ kind: 'tenant' as const, visible: false, of: tenant.status }]),
    ...(published ? [] : [{ kind: 'status' as const, visible: false, of: tour.status }]),
    ...rules,
  ] as [Decision, ...Decision[]];
  const { id, slug: tourSlug, name, continent, status, upcomingDepartures } = tour;
  const document = {
    tenant: slug,
    tour: { id, slug: tourSlug, name, continent, status },
    visible: decided.visible,
    tenant_status: tenant.status,
    decided_by: decided,
    beaten: others.map((rule) => ({ ...rule, reason: whyItLost(decided, rule, tour) })),
    upcoming_departures: upcomingDepartures,
    commands: commandsFor(decided, tenant, tour),
  };
  output.answer(document, () =>
    [
      `${tourSlug} is ${shown(decided.visible)} for ${slug}`,
      `  decided by ${inWords(decided)}`,
      ...document.beaten.map((rule) => `  it beats ${inWords(rule)}: ${rule.reason}`),
    ].join('\n'),
  );
  if (decided.visible && upcomingDepartures === 0)
    output.note(`No departure of it can be booked: tourctl departure list ${tourSlug}`);
  for (const command of document.commands) output.note(`To show it: ${command}`);
}

function toDecision({ kind, visible }: VisibilityRule, { slug, continent }: CatalogTour): Decision {
  return { kind, visible, of: { tour: slug, continent, default: null }[kind] };
}

function inWords({ kind, visible, of }: Decision): string {
  if (kind === 'tenant') return `the tenant's status: a ${of} tenant is served nothing`;
  if (kind === 'status') return `its status: ${of === 'archived' ? 'an' : 'a'} ${of} tour is shown to nobody`;
  return `the ${kind} rule (${of ?? 'everything'}: ${shown(visible)})`;
}

function whyItLost(winner: Decision, loser: Decision, { status }: CatalogTour): string {
  if (winner.kind === 'tenant') return 'no rule is asked for a tenant that is served nothing';
  if (winner.kind === 'status') return `no rule can show what is ${status}`;
  return loser.kind === 'default' ? 'any rule beats the default' : "a tour's rule beats a continent's";
}

/** What would show it; nothing where it is shown. */
function commandsFor({ kind, visible }: Decision, tenant: Tenant, tour: CatalogTour): string[] {
  if (visible) return [];
  if (kind === 'tenant') return [`tourctl tenant activate ${tenant.slug}`];
  if (kind === 'status') return [`tourctl catalog import FILE, with "status": "published" for ${tour.slug}`];
  return [`tourctl visibility allow ${tenant.slug} --tour ${tour.slug}`];
}
