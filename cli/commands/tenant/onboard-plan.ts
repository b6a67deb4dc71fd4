import { foldName } from '../../../services/platform/forms/fold-name';
import type { Scope } from '../../../services/api/credentials/credential';
import { currencyDigits } from '../../../services/api/pricing/currency';
import { currencyOfCountry } from '../../../services/api/tenants/country';
import { isSlug, isUuid } from '../../../services/platform/forms/text-forms';
import type { Format } from '../../../services/webhook-queue/endpoints/endpoint';
import { flag, type Flag, flagName, type Verb, verbName } from '../../engine/command';
import { refuseMistakes, UsageError } from '../../engine/failure';
import { OUT_FLAG } from '../../engine/secrets';
import { formatDuration, webUrl } from '../../engine/values';
import { keyVerbs, WHOLE_SHOP } from '../key/key';
import { EXPIRES_FLAG } from '../key/credentials';
import { checkOrigins, DEV_FLAG } from '../origins';
import { pricingVerbs, type RuleOptions } from '../pricing/pricing';
import {
  BASICS,
  HOLD_SHARE_FLAG,
  LINK_TEMPLATE_FLAG,
  NAME_FLAG,
  SANDBOX_FLAG,
  SLUG_FLAG,
  type TenantOptions,
} from './settings';
import { type TargetOptions, visibilityVerbs } from '../visibility';
import { webhookVerbs } from '../webhook/webhook';
import { widgetVerbs } from '../widget';

/** Defaults that only `tenant onboard` has, as its help shows them. `tenant create` has no default for these flags. */
const DERIVED: Record<string, string> = {
  '--currency': "its country's",
  '--booking-prefix': 'made of the slug',
  '--visibility': 'all, or none with --continent or --tour',
};

/**
 * The flags of `tenant onboard`. Most flags come with their parser from another command, such as `visibility allow`. `about` replaces a
 * help text that would be unclear here.
 */
export const ONBOARD_FLAGS: Flag[] = [
  NAME_FLAG,
  { ...SLUG_FLAG, must: false, otherwise: 'made of the name' },
  SANDBOX_FLAG,
  ...BASICS.map((flag) => ({ ...flag, otherwise: DERIVED[flagName(flag)] ?? flag.otherwise })),
  HOLD_SHARE_FLAG,
  {
    ...flagOf(visibilityVerbs, 'allow', '--continent'),
    about: 'show the tours of this continent, and the tours of other --continent and --tour',
  },
  {
    ...flagOf(visibilityVerbs, 'allow', '--tour'),
    about: 'show this tour, and the tours of other --continent and --tour',
  },
  flagOf(pricingVerbs, 'add', '--percent'),
  flagOf(pricingVerbs, 'add', '--amount'),
  {
    ...flagOf(pricingVerbs, 'add', '--round-to'),
    about: 'round these prices to the nearest multiple of this',
  },
  {
    ...flagOf(widgetVerbs, 'issue', '--origin'),
    about: 'a site that may show its widget',
    otherwise: undefined,
  },
  DEV_FLAG,
  LINK_TEMPLATE_FLAG,
  flag('--no-key', 'issue no API key'),
  {
    ...flagOf(keyVerbs, 'issue', '--scope'),
    about: 'what the key may do',
    must: false,
    otherwise: 'every scope, for a whole shop',
  },
  flagOf(keyVerbs, 'issue', '--website'),
  expiry('--key-expires-in', 'the key'),
  flag('--no-widget', 'issue no widget token'),
  expiry('--widget-expires-in', 'the widget token'),
  flag('--webhook <url>', 'an endpoint that receives its booking events', { parse: webUrl }),
  flagOf(webhookVerbs, 'add', '--event'),
  flagOf(webhookVerbs, 'add', '--format'),
  { ...OUT_FLAG, about: 'write the secrets to a new file (0600), not to stdout' },
];

/** @throws Error for an unknown name, which is a mistake in this file */
export function onboardFlag(name: string): Flag {
  const flag = ONBOARD_FLAGS.find((one) => flagName(one) === name);
  if (!flag) throw new Error(`tourctl tenant onboard has no ${name}`);
  return flag;
}

/** Tests for flags that exclude each other, keyed by the names of the flags in the error. */
const CLASHES: Record<string, (options: OnboardOptions) => boolean> = {
  '--visibility all and --tour or --continent': (given) =>
    given.visibility === 'all' && Boolean(given.tour ?? given.continent),
  '--percent and --amount': ({ percent, amount }) => percent !== undefined && amount !== undefined,
  '--no-key and --scope, --website or --key-expires-in': (given) =>
    !given.key && (given.scope ?? given.website ?? given.keyExpiresIn) !== undefined,
  '--no-widget and --widget-expires-in': (given) => !given.widget && given.widgetExpiresIn !== undefined,
};

/** Flags that have no meaning without another flag. The function `alone` returns true if the flag is given and the needed flag is not. */
const ORPHANS: [flag: string, needed: string, alone: (options: OnboardOptions) => boolean][] = [
  [
    '--round-to',
    '--percent or --amount',
    (given) => Boolean(given.roundTo && !given.percent && !given.amount),
  ],
  ['--event or --format', '--webhook', (given) => Boolean((given.event ?? given.format) && !given.webhook)],
  [
    '--out',
    'a key, a widget token or a webhook',
    (given) => Boolean(given.out && !given.key && !given.widget && !given.webhook),
  ],
];

/** @throws UsageError */
export function checkOnboarding(options: OnboardOptions): void {
  const clashes = Object.entries(CLASHES).filter(([, clash]) => clash(options));
  const orphans = ORPHANS.filter(([, , alone]) => alone(options));
  refuseMistakes([
    ...clashes.map(([flags]) => `${flags} cannot be given together`),
    ...orphans.map(([flag, needed]) => `${flag} must not be given without ${needed}`),
  ]);
  checkOrigins(options.origin ?? [], options.dev, '--origin');
}

/** Returns a flag of another command, so that it means the same here. */
function flagOf(verbs: Verb[], verb: string, flag: string): Flag {
  const { flags = [] } = verbs.find((one) => verbName(one) === verb) ?? {};
  const found = flags.find((one) => flagName(one) === flag);
  if (!found) throw new Error(`The verb ${verb} has no ${flag}`);
  return found;
}

function expiry(flag: string, what: string): Flag {
  return {
    ...EXPIRES_FLAG,
    flags: `${flag} <duration>`,
    about: `when ${what} expires, such as 90d, or none for never`,
  };
}

type Decided = 'slug' | 'sandbox' | 'status' | 'country' | 'currency' | 'visibility' | 'scope';

/** The options with all derived values. */
export type OnboardPlan = OnboardOptions & Required<Pick<OnboardOptions, Decided>>;

/** @throws UsageError if no slug is given and the name yields none */
export function toPlan(options: OnboardOptions): OnboardPlan {
  const { name, slug = slugOf(name), country = 'DE', tour, continent } = options;
  if (slug === undefined)
    throw new UsageError(`--slug is missing: the name "${name}" has fewer than two Latin letters or digits`);
  return {
    ...options,
    slug,
    sandbox: options.sandbox ?? false,
    country,
    status: options.status ?? 'trial',
    currency: options.currency ?? defaultCurrency(country),
    visibility: options.visibility ?? (tour || continent ? 'none' : 'all'),
    scope: options.scope ?? [...WHOLE_SHOP],
  };
}

/** Returns acme-travel for "Acme Travel"; undefined for a name with fewer than two Latin letters or digits. */
export function slugOf(name: string): string | undefined {
  const slug = foldName(name)
    .replace(/'/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return isSlug(slug) && !isUuid(slug) ? slug : undefined;
}

export function defaultCurrency(country: string): { code: string; digits: number } {
  const code = currencyOfCountry(country);
  return { code, digits: currencyDigits(code)! };
}

type TenantOption =
  | 'status'
  | 'currency'
  | 'country'
  | 'bookingPrefix'
  | 'visibility'
  | 'depositPercent'
  | 'maxHoldShare'
  | 'linkTemplate';

/** Holds the parsed flags of `tenant onboard`; the questions fill in the same fields. */
export interface OnboardOptions
  extends
    Pick<TenantOptions, TenantOption>,
    TargetOptions,
    Pick<RuleOptions, 'percent' | 'amount' | 'roundTo'> {
  name: string;
  slug?: string;
  sandbox?: boolean;
  origin?: string[];
  dev?: boolean;
  /** False with --no-key. */
  key: boolean;
  scope?: Scope[];
  website?: string;
  /** Seconds; null: no expiry. */
  keyExpiresIn?: number | null;
  /** False with --no-widget. */
  widget: boolean;
  /** Seconds; null: no expiry. */
  widgetExpiresIn?: number | null;
  webhook?: string;
  event?: string[];
  format?: Format;
  out?: string;
  yes?: boolean;
}

const WIDTH = 76;

/** Returns the equivalent command line, wrapped so that a shell accepts it when pasted. */
export function describeCommand(plan: OnboardPlan): string {
  const given: [string, string | readonly string[] | null | undefined][] = [
    ['--name', plan.name],
    ['--slug', plan.slug],
    ['--status', plan.status],
    ['--country', plan.country],
    ['--currency', plan.currency.code],
    ['--booking-prefix', plan.bookingPrefix],
    ['--visibility', plan.tour || plan.continent ? undefined : plan.visibility],
    ['--continent', plan.continent],
    ['--tour', plan.tour],
    ['--deposit-percent', plan.depositPercent],
    ['--max-hold-share', plan.maxHoldShare?.toString()],
    ['--percent', plan.percent],
    ['--amount', plan.amount],
    ['--round-to', plan.roundTo],
    ['--origin', plan.origin],
    ['--link-template', plan.linkTemplate],
    ['--scope', plan.key ? plan.scope : undefined],
    ['--website', plan.website],
    ['--key-expires-in', inWords(plan.keyExpiresIn)],
    ['--widget-expires-in', inWords(plan.widgetExpiresIn)],
    ['--webhook', plan.webhook],
    ['--event', plan.event],
    ['--format', plan.format],
    ['--out', plan.out],
  ];
  const switches = {
    '--sandbox': plan.sandbox,
    '--dev': plan.dev === true,
    '--no-key': !plan.key,
    '--no-widget': !plan.widget,
  };
  const words = [
    'tourctl tenant onboard',
    ...given.flatMap(([flag, value]) => [value ?? []].flat().map((one) => `${flag} ${quote(one)}`)),
    ...Object.entries(switches).flatMap(([flag, on]) => (on ? [flag] : [])),
    '--yes',
  ];
  return inLines(words).join(' \\\n    ');
}

function inLines(words: string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < WIDTH - 4)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function inWords(seconds: number | null | undefined): string | undefined {
  return seconds == null ? undefined : formatDuration(seconds, 'd');
}

/** Quotes a word for a shell if needed. */
export function quote(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
