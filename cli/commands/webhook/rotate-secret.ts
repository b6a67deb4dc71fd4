import { findEndpoint, rotateSecret, showEndpoint } from '../../../services/webhook-queue/operations';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../context';
import { withSecretFile } from '../../secret-file';
import { toSecretDocument, toWebhookDetail } from './webhook-document';

export async function rotateSecretCommand(
  { audited, confirm, db, output, secrets }: Context,
  { grace, out }: { grace?: number; out?: string },
  id: string,
): Promise<void> {
  const endpoint = await findEndpoint(db, id);
  if (grace === 0)
    await confirm(
      `Sign with the new secret alone from now on, so that ${endpoint.url} must know it at once?`,
    );
  const { secret } = await withSecretFile(out, (keep) =>
    audited(
      { action: 'webhook.rotate-secret', tenantId: endpoint.tenantId, subject: id },
      async (trx, note) => {
        const before = await signing(trx, id);
        const rotated = await rotateSecret(trx, secrets.secretsKey, id, grace);
        note(before, await signing(trx, id));
        keep(rotated.secret);
        return rotated;
      },
    ),
  );
  const document = toSecretDocument(endpoint, out === undefined ? secret : null);
  output.answer(document, () => document.secret ?? '');
  output.note(
    out === undefined ? 'The signing secret is shown this once.' : `The signing secret is in ${out}`,
  );
}

/** Since when and until when which secrets sign, never the secrets themselves. */
async function signing(trx: Trx, id: string) {
  const { secrets } = toWebhookDetail(await showEndpoint(trx, id));
  return { secrets };
}
