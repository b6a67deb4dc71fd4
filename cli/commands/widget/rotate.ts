import { showWidgetToken } from '../../../services/api/credentials/list-credentials';
import { rotateWidgetToken } from '../../../services/api/credentials/rotate-credential';
import type { Context } from '../../context';
import { toRotation, type RotateOptions } from '../../credential-flags';
import { withSecretFile } from '../../secret-file';
import { announceWidget } from './announce-widget';
import { toWidgetDocument } from './widget-document';

export async function rotateWidgetCommand(
  context: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const { audited, confirm, db, output, secrets } = context;
  const old = await showWidgetToken(db, id);
  if (options.grace === 0) await confirm(`Refuse the widget token ${id} from now on?`);
  const { credential, token, previous } = await withSecretFile(options.out, (keep) =>
    audited({ action: 'widget.rotate', tenantId: old.tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateWidgetToken(trx, secrets.keyPepper, id, toRotation(options));
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
