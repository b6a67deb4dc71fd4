import { showWidgetToken } from '../../../services/api/credentials/list-credentials';
import { revokeWidgetToken } from '../../../services/api/credentials/revoke-credential';
import type { Context } from '../../context';
import { toWidgetDocument } from './widget-document';

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
