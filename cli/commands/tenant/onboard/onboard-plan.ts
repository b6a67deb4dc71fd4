import { foldName } from '../../../../services/api/catalog/fold-name';
import type { Scope } from '../../../../services/api/credentials/credential';
import { currencyDigits } from '../../../../services/api/pricing/currency';
import { currencyOfCountry } from '../../../../services/api/tenants/country';
import { isSlug, isUuid } from '../../../../services/platform/text-forms';
import type { Format } from '../../../../services/webhook-queue/endpoints/endpoint';
import { UsageError } from '../../../engine/failure';
import { formatDuration } from '../../../engine/values';
import type { RuleOptions } from '../../pricing/actions';
import type { TargetOptions } from '../../visibility/actions';
import type { TenantOptions } from '../actions';

type Decided = 'slug' | 'sandbox' | 'status' | 'country' | 'currency' | 'visibility' | 'scope';

/** Adds all derived values to the options. */
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
    scope: options.scope ?? ['catalog:read'],
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
  /** Seconds. */
  keyExpiresIn?: number | null;
  /** False with --no-widget. */
  widget: boolean;
  /** Seconds. */
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
function quote(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
