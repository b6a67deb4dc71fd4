import { isHttpsAddress } from '../../platform/forms/text-forms';
import type { Tenant, TenantStatus } from './tenant';
import { LinkTemplateRefusedError } from './tenant.errors';

/** Matches an address for development: http://localhost with a port. */
const DEVELOPMENT = /^http:\/\/localhost:[1-9]\d{0,4}\/[^\s\p{Cc}]*$/u;

/** Returns whether a tour may link to the address: https, or for a tenant on trial http://localhost with a port. */
export function isTourAddress(address: string, { onTrial }: { onTrial: boolean }): boolean {
  return isHttpsAddress(address) || (onTrial && DEVELOPMENT.test(address) && URL.canParse(address));
}

/**
 * Returns the address of the tour on the tenant's own site. Null: the tenant has no link template, or the template is for development and
 * the tenant is not on trial.
 */
export function tourLink(
  { linkTemplate, status }: Pick<Tenant, 'linkTemplate' | 'status'>,
  slug: string,
): string | null {
  const address = linkTemplate?.replaceAll('{slug}', encodeURIComponent(slug));
  return address && isTourAddress(address, { onTrial: status === 'trial' }) ? address : null;
}

/**
 * Checks a new link template. When the trial ends, a template for development stays stored. The tours then have no link, and
 * `tourctl doctor` reports the template.
 * @throws LinkTemplateRefusedError
 */
export function assertLinkTemplate(template: string | null | undefined, status: TenantStatus): void {
  if (template && status !== 'trial' && template.startsWith('http:'))
    throw new LinkTemplateRefusedError(status);
}
