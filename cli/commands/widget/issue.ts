import { issueWidgetToken } from '../../../services/api/credentials/issue-widget-token';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import type { IssueOptions } from '../../credential-flags';
import { noteSpelling } from '../../origin-arguments';
import { withSecretFile } from '../../secret-file';
import { announceWidget } from './announce-widget';
import { toWidgetDocument } from './widget-document';

export interface IssueWidgetOptions extends IssueOptions {
  origin?: string[];
  dev?: boolean;
}

export async function issueWidgetCommand(
  context: Context,
  { origin = [], dev, expiresIn, out }: IssueWidgetOptions,
  slug: string,
): Promise<void> {
  const { audited, output, secrets } = context;
  noteSpelling(origin, dev, output);
  const given = { origins: origin, dev, lifetimeSeconds: expiresIn };
  const { credential, token } = await withSecretFile(out, (keep) =>
    audited({ action: 'widget.issue' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issueWidgetToken(trx, secrets.keyPepper, tenant, given);
      note(null, toWidgetDocument(issued.credential), { tenantId: tenant.id, subject: issued.credential.id });
      keep(issued.token);
      return issued;
    }),
  );
  announceWidget(context, credential, token, out);
}
