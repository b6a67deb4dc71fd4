import { createConnections, type Borrower } from './connections';
import { isBrokenConnection } from './explain-failure';
import type { ConnectionRules } from './open-connection';
import { postWebhook, type Answer } from './post-webhook';
import { HungUpError } from './sending.errors';

export interface OutgoingWebhook {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface GuardedAgent {
  /**
   * One POST, to an address that `resolveTarget` let pass; no redirect is followed.
   * @throws what resolveTarget throws, what the connection met, or the signal's reason
   */
  post(webhook: OutgoingWebhook, borrower: Borrower): Promise<Answer>;
  destroy(): Promise<void>;
}

/**
 * A server may close an idle connection in the moment in which we send on it; no time limit of ours prevents that. Such a try
 * says nothing about the endpoint: it ends as `hung_up`, and the next one follows at once. If the first did arrive, the receiver
 * knows the second by its webhook-id.
 */
export function createGuardedAgent(rules: ConnectionRules): GuardedAgent {
  const connections = createConnections(rules);
  return {
    destroy: connections.destroy,
    post: async ({ url, headers, body }, borrower) => {
      const { origin, pathname, search } = new URL(url);
      const post = { path: pathname + search, headers, body };
      const connection = connections.take(origin, borrower);
      try {
        return await postWebhook(connection, post, borrower);
      } catch (error) {
        if (!connection.kept || borrower.signal.aborted || !isBrokenConnection(error)) throw error;
        // Those kept beside it are as old.
        connections.dropKept(origin);
        throw new HungUpError();
      }
    },
  };
}
