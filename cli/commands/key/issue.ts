import { issueApiKey } from '../../../services/api/credentials/issue-api-key';
import type { Scope } from '../../../services/api/credentials/scope';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { mayBeUsed } from '../../../services/api/tenants/tenant';
import { withContext, type Context, type Terminal } from '../../context';
import { describeExpiry, type IssueOptions } from '../../credential-flags';
import { withSecretFile } from '../../secret-file';
import { completeRights, type Rights } from './ask-rights';
import { toIssuedKeyDocument, toKeyDocument } from './key-document';

export interface IssueKeyOptions extends IssueOptions {
  scope?: Scope[];
  name?: string;
  website?: string;
}

export async function issueKeyCommand(
  terminal: Terminal,
  options: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const rights = await completeRights(terminal, options);
  await withContext(terminal, 'up-to-date', (context) => issue(context, rights, options, slug));
}

async function issue(
  { audited, output, secrets }: Context,
  { scopes, lifetimeSeconds }: Rights,
  { name, website, out }: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const given = { scopes: [...scopes], name, website, lifetimeSeconds };
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
  if (lifetimeSeconds === undefined)
    output.note('With --expires-in 90d it would end by itself, if forgotten.');
  if (!mayBeUsed(tenant))
    output.warn(`${slug} is ${tenant.status}: the key is refused until it is activated`);
}
