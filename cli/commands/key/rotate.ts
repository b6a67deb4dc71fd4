import { showApiKey } from '../../../services/api/credentials/list-credentials';
import { rotateApiKey } from '../../../services/api/credentials/rotate-credential';
import type { Context } from '../../context';
import { describeExpiry, toRotation, type RotateOptions } from '../../credential-flags';
import { withSecretFile } from '../../secret-file';
import { toIssuedKeyDocument, toKeyDocument } from './key-document';

export async function rotateKeyCommand(
  { audited, confirm, db, output, secrets }: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const old = await showApiKey(db, id);
  if (options.grace === 0) await confirm(`Refuse the key ${id} from now on?`);
  const { credential, token, previous } = await withSecretFile(options.out, (keep) =>
    audited({ action: 'key.rotate', tenantId: old.tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateApiKey(trx, secrets.keyPepper, id, toRotation(options));
      const successor = toKeyDocument(rotated.credential);
      note(toKeyDocument(rotated.before), { ...toKeyDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
  const document = toIssuedKeyDocument(credential, options.out === undefined ? token : null);
  output.answer(document, () => document.key ?? '');
  output.note(`Key ${document.id} of ${document.tenant} ${describeExpiry(document.expires_at)}`);
  output.note(
    previous.status === 'revoked'
      ? `The key ${id} was revoked`
      : `The key ${id} serves until ${previous.expiresAt?.toISOString()}`,
  );
  if (options.out !== undefined) output.note(`The secret is in ${options.out}`);
}
