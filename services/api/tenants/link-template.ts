import { isHttpsAddress } from '../../platform/text-forms';
import type { Tenant, TenantStatus } from './tenant';
import { LinkTemplateRefusedError } from './tenant.errors';

/** An address that only development uses, with its port like an origin of development. */
const DEVELOPMENT = /^http:\/\/localhost:[1-9]\d{0,4}\/[^\s\p{Cc}]*$/u;

/** Accepts an address that a tour may link to: https, or http://localhost with a port for a tenant on trial. */
export function isTourAddress(address: string, { onTrial }: { onTrial: boolean }): boolean {
  return isHttpsAddress(address) || (onTrial && DEVELOPMENT.test(address) && URL.canParse(address));
}

/** Returns the address of the tour on the tenant's own site; null where the tenant has none that it may use. */
export function tourLink(
  { linkTemplate, status }: Pick<Tenant, 'linkTemplate' | 'status'>,
  slug: string,
): string | null {
  const address = linkTemplate?.replaceAll('{slug}', encodeURIComponent(slug));
  return address && isTourAddress(address, { onTrial: status === 'trial' }) ? address : null;
}

/**
 * Checks a template that is set. One of development stays when the trial ends: it only links nowhere then, and doctor says so.
 * @throws LinkTemplateRefusedError
 */
export function assertLinkTemplate(template: string | null | undefined, status: TenantStatus): void {
  if (template && status !== 'trial' && template.startsWith('http:'))
    throw new LinkTemplateRefusedError(status);
}
