import { connect } from 'node:net';
import { AppError } from '../../services/platform/errors';
import { START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { isQueueRunning } from '../../services/webhook-queue/inspect-queue';
import { createMonitorLink } from '../../services/webhook-queue/monitor/session';
import type { VerbBody } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import type { Output } from '../terminal/output';
import { reachable } from './up/up';

export const monitorVerb: VerbBody = {
  audits: true,
  run: monitorCommand,
};

/** Signals that no webhook queue serves the monitoring page. */
class QueueNotRunningError extends AppError {
  readonly code = 'queue_not_running';

  constructor(address: string) {
    super(`No webhook queue runs, and nothing answers at ${address}: ${START_WEBHOOK_QUEUE}`);
  }
}

/** Prints a sign-in link. @throws QueueNotRunningError */
async function monitorCommand(context: AuditedContext): Promise<void> {
  const link = await createSignInLink(context);
  const { url, expiresAt } = link;
  await context.output.answer({ url, expires_at: expiresAt.toISOString() }, () => url);
  describeLink(link, context.output);
}

interface SignInLink {
  url: string;
  expiresAt: Date;
  /** The address of the page. */
  address: string;
  /** True: this machine reaches the page. */
  isOpen: boolean;
}

/**
 * Creates a sign-in link. The page and the audit log show the person who uses the link as this operator.
 * @throws QueueNotRunningError if the monitoring page is not served: its port is closed and no worker is alive
 */
export async function createSignInLink({
  audited,
  config,
  db,
  operator,
}: AuditedContext): Promise<SignInLink> {
  const host = reachable(config.host);
  const address = `http://${host}:${config.webhookQueuePort}`;
  const isOpen = await isPortOpen(host.replace(/^\[|\]$/g, ''), config.webhookQueuePort);
  if (!isOpen && !(await isQueueRunning(db))) throw new QueueNotRunningError(address);
  const { token, expiresAt } = await audited({ action: 'monitor.link' }, async (trx, note) => {
    const link = await createMonitorLink(trx, { operator: operator.name, host: operator.host });
    note(null, { expires_at: link.expiresAt.toISOString() }, { subject: link.id });
    return link;
  });
  return { url: `${address}/sign-in/${token}`, expiresAt, address, isOpen };
}

/** Notes how long a printed link is valid, and where. */
export function describeLink({ expiresAt, address, isOpen }: SignInLink, output: Output): void {
  output.note(`Valid once, until ${expiresAt.toISOString()}, in any browser that reaches the webhook queue.`);
  if (isOpen) return;
  output.note(
    `Nothing answers at ${address} from here. If the queue runs on another machine, or behind a proxy, open the path of the link at its address.`,
  );
}

/** Longer than a connection within a data centre takes. */
const CONNECT_MS = 1000;

function isPortOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false)).once('error', () => answer(false));
  });
}
