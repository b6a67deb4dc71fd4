import type { Trx } from '../../../services/platform/database';
import {
  disableByOperator,
  enableEndpoint,
  findEndpoint,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  toEndpointDocument,
  type Endpoint,
} from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

export async function pauseWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'pause', id, pauseEndpoint);
}

export async function resumeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'resume', id, resumeEndpoint);
}

export async function disableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'disable', id, disableByOperator);
}

export async function enableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'enable', id, enableEndpoint);
}

export async function removeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  const { url } = await findEndpoint(context.db, id);
  await context.confirm(`Remove ${url} for good, and cancel what waits for it?`);
  await change(context, 'remove', id, removeEndpoint);
}

async function change(
  { audited, output }: Context,
  verb: string,
  id: string,
  work: (trx: Trx, id: string) => Promise<Endpoint>,
): Promise<void> {
  const document = await audited({ action: `webhook.${verb}`, subject: id }, async (trx, note) => {
    const before = await findEndpoint(trx, id);
    const after = toEndpointDocument(await work(trx, id));
    note(toEndpointDocument(before), after, { tenantId: before.tenantId });
    return after;
  });
  output.answer(document, () => `${document.url} of ${document.tenant} is ${document.status}`);
}
