import { issueApiKey } from '../../../services/api/credentials/issue-api-key';
import type { Scope } from '../../../services/api/credentials/scope';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { mayBeUsed } from '../../../services/api/tenants/tenant';
import type { Context } from '../../context';
import { describeExpiry, type IssueOptions } from '../../credential-flags';
import { withSecretFile } from '../../secret-file';
import { toIssuedKeyDocument, toKeyDocument } from './key-document';

export interface IssueKeyOptions extends IssueOptions {
  scope: Scope[];
  name?: string;
  website?: string;
}

export async function issueKeyCommand(
  { audited, output, secrets }: Context,
  { scope, name, website, expiresIn, out }: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const given = { scopes: scope, name, website, lifetimeSeconds: expiresIn };
  const { tenant, credential, token } = await withSecretFile(out, (keep) =>
    audited({ action: 'key.issue' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issueApiKey(trx, secrets.keyPepper, tenant, given);
      note(null, toKeyDocument(issued.credential), { tenantId: tenant.id, subject: issued.credential.id });
      keep(issued.token);
      return { tenant, ...issued };
    }),
  );
  const document = toIssuedKeyDocument(credential, out === undefined ? token : null);
  output.answer(document, () => document.key ?? '');
  output.note(
    `Key ${document.id} of ${slug}: ${document.scopes.join(', ')}; ${describeExpiry(document.expires_at)}`,
  );
  output.note(
    out === undefined ? 'The secret is shown this once: keep it on a server.' : `The secret is in ${out}`,
  );
  if (!mayBeUsed(tenant))
    output.warn(`${slug} is ${tenant.status}: the key is refused until it is activated`);
}
