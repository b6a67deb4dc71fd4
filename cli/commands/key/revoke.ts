import { showApiKey } from '../../../services/api/credentials/list-credentials';
import { revokeApiKey } from '../../../services/api/credentials/revoke-credential';
import type { Context } from '../../context';
import { toKeyDocument } from './key-document';

export async function revokeKeyCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showApiKey(db, id);
  await confirm(`Refuse the key ${id} from now on?`);
  const document = await audited({ action: 'key.revoke', tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeApiKey(trx, id);
    note(toKeyDocument(before), toKeyDocument(after));
    return toKeyDocument(after);
  });
  output.answer(document, () => `The key ${id} of ${document.tenant} is revoked`);
}
