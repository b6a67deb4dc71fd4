import { toIssuedKeyDocument } from '../../key/key-document';
import { toVisibilityDocument } from '../../visibility/visibility-document';
import { toSecretDocument } from '../../webhook/webhook-document';
import { toIssuedWidgetDocument } from '../../widget/widget-document';
import type { Provisioned } from './provision-tenant';
import { toTenantDocument } from '../tenant-document';

/**
 * The answer of onboard: each part as its own command answers, null for a part that was not wanted.
 * @param shown false where the secrets went to a file
 */
export function toOnboardDocument(made: Provisioned, shown: boolean, publicBaseUrl: string) {
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

/** The secrets, each a line of a settings file. */
export function secretLines({ key, widget, endpoint }: Provisioned): string[] {
  return [
    ...(key ? [`API_KEY=${key.token}`] : []),
    ...(widget ? [`WIDGET_TOKEN=${widget.token}`] : []),
    ...(endpoint ? [`WEBHOOK_SECRET=${endpoint.secret}`] : []),
  ];
}
