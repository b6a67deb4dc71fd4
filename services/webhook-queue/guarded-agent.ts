import type { LookupAddress, LookupOptions } from 'node:dns';
import { Agent, buildConnector } from 'undici';
import { resolveTarget, type TargetRules } from './resolve-target';

export interface AgentRules extends TargetRules {
  connectTimeoutMs: number;
}

type Found = (error: null, address: string | LookupAddress[], family?: number) => void;

/** An HTTP client that connects only to addresses that `resolveTarget` let pass. It follows no redirect. */
export function createGuardedAgent(rules: AgentRules): Agent {
  return new Agent({
    connect: (options, callback) => {
      resolveTarget(options.hostname, rules).then(
        // The name stays in TLS and Host; a literal is never looked up, and was judged as it stands.
        (addresses) =>
          buildConnector({ timeout: rules.connectTimeoutMs, lookup: answerWith(addresses) })(
            options,
            callback,
          ),
        (error: Error) => callback(error, null),
      );
    },
  });
}

function answerWith(addresses: LookupAddress[]) {
  return (_hostname: string, options: LookupOptions, found: Found) => {
    const [first] = addresses;
    if (options.all) found(null, addresses);
    else found(null, first!.address, first!.family);
  };
}
