import { showEndpoint } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toWebhookDetail } from './webhook-document';

export async function showWebhookCommand({ db, output }: Context, _: object, id: string): Promise<void> {
  const document = toWebhookDetail(await showEndpoint(db, id));
  output.answer(document, (screen) => {
    const { secrets, recent_deliveries: recent, last_failure: failure, ...facts } = document;
    const ends = secrets.flatMap((secret) => secret.expires_at ?? []);
    const { counted, ...counts } = recent;
    const seen = Object.entries(counts).filter(([, count]) => count > 0);
    const shown = {
      ...facts,
      secrets: `${secrets.length} sign${ends.length > 0 ? `; until ${ends.join(', ')}` : ''}`,
      recent:
        counted === 0 ? null : `of ${counted}: ${seen.map(([name, count]) => `${count} ${name}`).join(', ')}`,
      last_failure: failure && `${failure.delivery} (${failure.status}): ${failure.error}`,
    };
    return properties(shown, screen);
  });
}
