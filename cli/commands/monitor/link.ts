import { createMonitorLink } from '../../../services/webhook-queue/monitor/sign-in/session';
import type { Context } from '../../engine/context';
import { reachable } from '../up/welcome';

/** Prints a login link; its user acts as this operator, on the page and in the audit log. */
export async function monitorCommand({ audited, config, operator, output }: Context): Promise<void> {
  const { name, host } = operator;
  const { token, expiresAt } = await audited({ action: 'monitor.link' }, async (trx, note) => {
    const link = await createMonitorLink(trx, { operator: name, host });
    note(null, { expires_at: link.expiresAt.toISOString() }, { subject: link.id });
    return link;
  });
  const url = `http://${reachable(config.host)}:${config.webhookQueuePort}/sign-in/${token}`;
  output.answer({ url, expires_at: expiresAt.toISOString() }, () => url);
  output.note(`Good once, until ${expiresAt.toISOString()}, in any browser that reaches the webhook queue.`);
}
