import type { WidgetToken } from '../../../services/api/credentials/credential';
import { issueWidgetToken } from '../../../services/api/credentials/issue-credential';
import { showWidgetToken } from '../../../services/api/credentials/list-credentials';
import { revokeWidgetToken } from '../../../services/api/credentials/revoke-credential';
import { rotateWidgetToken } from '../../../services/api/credentials/rotate-credential';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../engine/context';
import {
  describeExpiry,
  type IssueOptions,
  printSpelling,
  type RotateOptions,
  toRotation,
} from '../../engine/credential-flags';
import { withSecretFile } from '../../engine/secret-file';
import { toIssuedWidgetDocument, toWidgetDocument } from './read';

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
  printSpelling(origin, dev, output);
  const given = { origins: origin, dev, lifetimeSeconds: expiresIn };
  const { keyPepper } = await secrets('keyPepper');
  const { credential, token } = await withSecretFile(out, (keep) =>
    audited({ action: 'widget.issue' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issueWidgetToken(trx, keyPepper, tenant, given);
      note(null, toWidgetDocument(issued.credential), { tenantId: tenant.id, subject: issued.credential.id });
      keep(issued.token);
      return issued;
    }),
  );
  announceWidget(context, credential, token, out);
}

/** Answers with a new token, as issue and rotate both do. */
export function announceWidget(
  { config, output }: Context,
  token: WidgetToken,
  secret: string,
  out: string | undefined,
): void {
  const document = toIssuedWidgetDocument(token, out === undefined ? secret : null, config.publicBaseUrl);
  output.answer(document, () => document.token ?? '');
  const origins = document.origins.join(', ') || 'no site';
  output.note(`Token ${token.id} of ${token.tenant} for ${origins}; ${describeExpiry(document.expires_at)}`);
  // stdout already shows the secret.
  if (document.snippet)
    output.note(`To paste into a page:\n${document.snippet.replaceAll(secret, '<the token>')}`);
  else output.note(`The token is in ${out}`);
  if (document.origins.length === 0) {
    output.warn(`no site may show it yet: tourctl origins add ${token.tenant} https://…`);
  }
}

export async function rotateWidgetCommand(
  context: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const { audited, confirm, db, output, secrets } = context;
  const old = await showWidgetToken(db, id);
  if (options.grace === 0) await confirm(`Refuse the widget token ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  const { credential, token, previous } = await withSecretFile(options.out, (keep) =>
    audited({ action: 'widget.rotate', tenantId: old.tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateWidgetToken(trx, keyPepper, id, toRotation(options));
      const successor = toWidgetDocument(rotated.credential);
      note(toWidgetDocument(rotated.before), { ...toWidgetDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
  announceWidget(context, credential, token, options.out);
  const until = previous.expiresAt?.toISOString();
  output.note(
    previous.status === 'revoked' ? `The token ${id} was revoked` : `The token ${id} serves until ${until}`,
  );
}

export async function revokeWidgetCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showWidgetToken(db, id);
  await confirm(`Refuse the widget token ${id} from now on?`);
  const document = await audited({ action: 'widget.revoke', tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeWidgetToken(trx, id);
    note(toWidgetDocument(before), toWidgetDocument(after));
    return toWidgetDocument(after);
  });
  output.answer(document, () => `The widget token ${id} of ${document.tenant} is revoked`);
}
