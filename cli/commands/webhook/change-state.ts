import { changeEndpoint, findEndpoint, type EndpointVerb } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

export async function pauseWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'pause', id);
}

export async function resumeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'resume', id);
}

export async function disableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'disable', id);
}

export async function enableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'enable', id);
}

export async function removeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  const { url, tenant } = await findEndpoint(context.db, id);
  await context.confirm(`Remove ${url} of ${tenant} (${id}) for good, and cancel what waits for it?`);
  await change(context, 'remove', id);
}

async function change({ audited, output }: Context, verb: EndpointVerb, id: string): Promise<void> {
  const document = await audited({ action: `webhook.${verb}`, subject: id }, async (trx, note) => {
    const { before, after, tenantId } = await changeEndpoint(trx, verb, id);
    note(before, after, { tenantId });
    return after;
  });
  output.answer(document, () => `${document.url} of ${document.tenant} is ${document.status}`);
}
