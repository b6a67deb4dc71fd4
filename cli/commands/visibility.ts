import { findTour } from '../../services/api/catalog/find-tour';
import { checkContinent, noTourIn } from '../../services/api/catalog/known-continents';
import {
  clearVisibility,
  explainVisibility,
  readVisibility,
  setVisibility,
} from '../../services/api/catalog/manage-visibility';
import type { CatalogTour } from '../../services/api/catalog/tour';
import type { Visibility, VisibilityRule, VisibilityTarget } from '../../services/api/catalog/visibility';
import { findUnsellableTours } from '../../services/api/pricing/exchange-rate.repository';
import { findTenant, findTenantForChange } from '../../services/api/tenants/manage-tenants';
import { mayBeUsed, type Tenant } from '../../services/api/tenants/tenant';
import type { Db, Trx } from '../../services/platform/database/database';
import { type Flag, flag, type Verb } from '../engine/command';
import type { AuditedContext, Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import { continent } from '../engine/values';
import type { Output } from '../terminal/output';
import type { Screen } from '../terminal/screen';
import { paragraph, table } from '../terminal/table';

const TARGETS: Flag[] = [
  flag('--tour <slug>', 'a tour, by slug or id', { repeats: true }),
  flag('--continent <name>', 'all tours of a continent', { parse: continent, repeats: true }),
];

type Step = (trx: Trx, tenant: Tenant, target: VisibilityTarget) => Promise<unknown>;
const allow: Step = (trx, tenant, target) => setVisibility(trx, tenant, target, true);
const deny: Step = (trx, tenant, target) => setVisibility(trx, tenant, target, false);
const clear: Step = async (trx, tenant, target) => {
  if (target.kind !== 'default') await clearVisibility(trx, tenant, target);
};

export const visibilityVerbs: Verb[] = [
  {
    usage: 'show <slug>',
    about: "Show a tenant's default and its rules",
    run: showVisibilityCommand,
  },
  {
    usage: 'allow <slug>',
    about: 'Show tours by a rule, or without a flag by default',
    flags: TARGETS,
    examples: [
      'visibility allow acme --tour dolomites-hut-to-hut',
      'visibility allow acme --continent europe --continent asia',
      'visibility allow acme',
    ],
    audits: true,
    run: changeVisibilityCommand('allow', allow),
  },
  {
    usage: 'deny <slug>',
    about: 'Hide tours by a rule, or without a flag by default',
    flags: TARGETS,
    examples: ['visibility deny acme --continent africa'],
    audits: true,
    run: changeVisibilityCommand('deny', deny),
  },
  {
    usage: 'clear <slug>',
    about: 'Remove rules, so that the next weaker one decides',
    flags: TARGETS,
    check: ({ tour, continent }: TargetOptions) => {
      if (tour || continent) return;
      throw new UsageError('--tour or --continent must be given: allow and deny change the default');
    },
    examples: ['visibility clear acme --tour dolomites-hut-to-hut'],
    audits: true,
    run: changeVisibilityCommand('clear', clear),
  },
  {
    usage: 'explain <slug> <tour>',
    about: 'Explain whether a tenant sees a tour, and which rule decides',
    examples: ['visibility explain acme dolomites-hut-to-hut'],
    run: explainVisibilityCommand,
  },
];

export function toVisibilityDocument(tenant: string, visibility: Visibility) {
  return {
    tenant,
    visibility: visibility.defaultVisible ? 'all' : 'none',
    continents: visibility.continents,
    tours: visibility.tours,
  };
}

/** Returns the rules of these targets for the audit log. Omits the tenant's other rules, because there may be a thousand. */
export function rulesOf(targets: VisibilityTarget[], visibility: Visibility): object {
  const { defaultVisible, continents, tours } = visibility;
  const names = (target: VisibilityTarget) => (target.kind === 'continent' ? target.continent : undefined);
  return {
    ...(targets.some((target) => target.kind === 'default') ? { default: defaultVisible } : {}),
    continents: continents.filter(({ continent }) => targets.some((target) => names(target) === continent)),
    tours: tours
      .filter(({ id }) => targets.some((target) => target.kind === 'tour' && target.tourId === id))
      .map(({ slug, visible }) => ({ slug, visible })),
  };
}

function describeVisibility({ defaultVisible, continents, tours }: Visibility, screen: Screen): string {
  const rows = [
    ...tours.map(({ slug, visible }) => ['tour', slug, shown(visible)]),
    ...continents.map(({ continent, visible }) => ['continent', continent, shown(visible)]),
    ['default', 'everything else', shown(defaultVisible)],
  ];
  return table(['rule', { heading: 'of', least: 14 }, 'result'], rows, '', screen);
}

function shown(visible: boolean): string {
  return visible ? 'shown' : 'hidden';
}

async function showVisibilityCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const visibility = await readVisibility(db, await findTenant(db, slug));
  await output.answer(toVisibilityDocument(slug, visibility), (screen) =>
    describeVisibility(visibility, screen),
  );
}

/** A rule, a status or a missing rate that decides whether the tenant sees the tour. No rule can overrule a status or a missing rate. */
interface Decision {
  kind: VisibilityRule['kind'] | 'tenant' | 'status' | 'rate';
  visible: boolean;
  /** Subject of the decision: a tour's slug, a continent, a status or a currency. Null: the default. */
  of: string | null;
}

async function explainVisibilityCommand(
  { db, output }: Context,
  _: object,
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const tour = await findTour(db, idOrSlug);
  const { decidedBy, beaten, published } = await explainVisibility(db, tenant, tour);
  const rules = [decidedBy, ...beaten].map((rule) => toDecision(rule, tour));
  const unsellable = (await findUnsellableTours(db, tenant.id)).find(
    ({ currency }) => currency === tour.currency,
  );
  const [decided, ...others] = [
    ...(mayBeUsed(tenant) ? [] : [{ kind: 'tenant' as const, visible: false, of: tenant.status }]),
    ...(published ? [] : [{ kind: 'status' as const, visible: false, of: tour.status }]),
    ...(unsellable && decidedBy.visible
      ? [{ kind: 'rate' as const, visible: false, of: unsellable.missing[0]! }]
      : []),
    ...rules,
  ] as [Decision, ...Decision[]];
  const { id, slug: tourSlug, name, continent, status, upcomingDepartures } = tour;
  const document = {
    tenant: slug,
    tour: { id, slug: tourSlug, name, continent, status },
    visible: decided.visible,
    tenant_status: tenant.status,
    decided_by: decided,
    beaten: others.map((rule) => ({ ...rule, reason: explainOverruled(decided, rule, tour) })),
    upcoming_departures: upcomingDepartures,
    commands: commandsFor(decided, tenant, tour),
  };
  const sentences = [
    `${tourSlug} is ${shown(decided.visible)} for ${slug}`,
    `  decided by ${inWords(decided)}`,
    ...document.beaten.map((rule) => `  it overrides ${inWords(rule)}: ${rule.reason}`),
  ];
  await output.answer(document, (screen) => paragraph(sentences.join('\n'), screen));
  if (decided.visible && upcomingDepartures === 0)
    output.note(`The tour has no departure that can be booked: tourctl departure list ${tourSlug}`);
  for (const command of document.commands) output.note(`To show it: ${command}`);
}

function toDecision({ kind, visible }: VisibilityRule, { slug, continent }: CatalogTour): Decision {
  return { kind, visible, of: { tour: slug, continent, default: null }[kind] };
}

function inWords({ kind, visible, of }: Decision): string {
  if (kind === 'tenant') return `the tenant's status: the requests of a ${of} tenant are refused`;
  if (kind === 'status') return `its status: ${of === 'archived' ? 'an' : 'a'} ${of} tour is shown to nobody`;
  if (kind === 'rate') return `a missing exchange rate: that of ${of}`;
  return `the ${kind} rule (${of ?? 'everything'}: ${shown(visible)})`;
}

function explainOverruled(winner: Decision, loser: Decision, { status }: CatalogTour): string {
  if (winner.kind === 'tenant') return 'no rule applies to a tenant whose requests are refused';
  if (winner.kind === 'status') return `no rule can show a tour that is ${status}`;
  if (winner.kind === 'rate') return 'no rule can show a tour whose price cannot be converted';
  return loser.kind === 'default'
    ? 'any rule overrides the default'
    : "a tour's rule overrides a continent's";
}

/** Returns the command that would show the tour; nothing if it is visible. */
function commandsFor({ kind, visible, of }: Decision, tenant: Tenant, tour: CatalogTour): string[] {
  if (visible) return [];
  if (kind === 'tenant') return [`tourctl tenant activate ${tenant.slug}`];
  if (kind === 'status') return [`tourctl catalog import FILE, with "status": "published" for ${tour.slug}`];
  if (kind === 'rate') return [`tourctl rates set ${of} RATE`];
  return [`tourctl visibility allow ${tenant.slug} --tour ${tour.slug}`];
}

/**
 * Returns the action that changes the rules of the targets by `step`. An action that may hide tours waits for the writes that began while the
 * tenant saw them.
 */
function changeVisibilityCommand(verb: 'allow' | 'deny' | 'clear', step: Step) {
  return async (context: AuditedContext, options: TargetOptions, slug: string): Promise<void> => {
    const { audited, db, output } = context;
    const changed = await audited({ action: `visibility.${verb}`, subject: slug }, async (trx, note) => {
      const tenant = await findTenantForChange(trx, slug);
      const before = await readVisibility(trx, tenant);
      const ruled = verb === 'clear' ? before.continents.map(({ continent }) => continent) : [];
      const targets = await readTargets(trx, output, options, ruled);
      for (const target of targets) await step(trx, tenant, target);
      const after = await readVisibility(trx, await findTenantForChange(trx, slug));
      note(rulesOf(targets, before), rulesOf(targets, after), { tenantId: tenant.id });
      return after;
    });
    if (verb !== 'allow') await awaitHidden(context, await findTenant(db, slug));
    await output.answer(toVisibilityDocument(slug, changed), (screen) => describeVisibility(changed, screen));
  };
}

/**
 * Waits for the writes of a tenant that began before tours were hidden from it.
 * @throws WritesInFlightError after five seconds
 */
export async function awaitHidden(
  { awaitWrites }: AuditedContext,
  { id, slug }: Pick<Tenant, 'id' | 'slug'>,
): Promise<void> {
  await awaitWrites({ id, subject: `each tour that ${slug} does not see now` });
}

export interface TargetOptions {
  tour?: string[];
  continent?: string[];
}

/**
 * Returns the targets that the flags name, or the tenant's default if no flag names one.
 * @param ruled continents that are accepted even if no tour is in them
 * @throws UnknownTourError, UnknownContinentError
 */
export async function readTargets(
  db: Db,
  output: Pick<Output, 'warn'>,
  options: TargetOptions,
  ruled: string[] = [],
): Promise<VisibilityTarget[]> {
  const targets: VisibilityTarget[] = [];
  for (const slug of options.tour ?? [])
    targets.push({ kind: 'tour', tourId: (await findTour(db, slug)).id });
  for (const continent of options.continent ?? []) {
    if (!ruled.includes(continent) && !(await checkContinent(db, continent))) {
      output.warn(noTourIn(continent));
    }
    targets.push({ kind: 'continent', continent });
  }
  return targets.length > 0 ? targets : [{ kind: 'default' }];
}
