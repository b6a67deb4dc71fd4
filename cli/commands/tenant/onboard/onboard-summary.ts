import { describeExpiry } from '../../../credential-flags';
import { describeChange } from '../../pricing/price-rule-document';
import type { Provisioned } from './provision-tenant';

/** Label and lines, as a person reads them over before agreeing; nothing in it is secret. */
export function describeOnboarding(made: Provisioned, out: string | undefined): string {
  const { tenant, rule, key, widget, endpoint } = made;
  const deposit = `${Number(tenant.depositPercent)} % deposit`;
  const rows: [string, string | string[]][] = [
    ['Tenant', `${tenant.slug} (${tenant.name}), ${tenant.status === 'trial' ? 'on trial' : tenant.status}`],
    ['Country', `${tenant.country}, price rules in ${tenant.currency}`],
    ['Bookings', `${tenant.bookingPrefix}-1042 and so on, ${deposit}`],
    ['Tours', describeTours(made)],
    ['Prices', rule ? describePrices(rule) : "the platform's"],
    ['Sites', tenant.origins.length > 0 ? tenant.origins : 'none yet'],
    ['API key', key ? describeKey(key.credential) : 'none'],
    ['Widget token', widget ? `for these sites; ${expiry(widget.credential.expiresAt)}` : 'none'],
    [
      'Webhook',
      endpoint ? [endpoint.url, `${endpoint.events.join(', ')}; format ${endpoint.format}`] : 'none',
    ],
    ['Secrets', out === undefined ? 'shown once, on this screen' : `written to ${out} (0600)`],
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
  return `${describeChange(rule)} on the platform's${rounding}`;
}

function describeKey({
  scopes,
  website,
  expiresAt,
}: NonNullable<Provisioned['key']>['credential']): string[] {
  return [scopes.join(', '), `${website ? `for ${website}; ` : ''}${expiry(expiresAt)}`];
}

function expiry(at: Date | null): string {
  return describeExpiry(at && `${at.toISOString().slice(0, 16)}Z`);
}
