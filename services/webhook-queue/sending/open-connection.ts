import type { LookupAddress, LookupOptions } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { AttemptError, type AttemptTrace, type Cutoff } from './attempt';
import { resolveTarget, type TargetRules } from './resolve-target';

export interface ConnectionRules extends TargetRules {
  /** Covers TCP and TLS; the name look-up has its own timeout. */
  connectTimeoutMs: number;
}

type Found = (error: null, address: string | LookupAddress[], family?: number) => void;
type Target = Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>;

/**
 * Opens a connection, with TLS for https, to one of the addresses that `resolveTarget` allows.
 * @throws AttemptError, the reason of the cutoff, or an error of Node
 */
export async function openConnection(
  target: Target,
  rules: ConnectionRules,
  trace: AttemptTrace,
  cutoff: Cutoff,
): Promise<Socket> {
  // Skips the dns phase for an IP address.
  if (!isIP(target.hostname)) trace.enter('dns');
  const addresses = await resolveTarget(target.hostname, rules);
  if (cutoff.reason) throw cutoff.reason;
  trace.enter('connect');
  const socket = dial(target, addresses);
  await waitUntilOpen(socket, target.protocol === 'https:', rules.connectTimeoutMs, trace, cutoff);
  return socket;
}

function dial({ hostname, protocol, port }: Target, addresses: LookupAddress[]): Socket {
  const secure = protocol === 'https:';
  const options = {
    host: hostname,
    port: Number(port) || (secure ? 443 : 80),
    lookup: answerWith(addresses),
    noDelay: true,
  };
  if (!secure) return connect(options);
  // Sends SNI for names only, without the final dot of the root.
  const servername = isIP(hostname) ? '' : hostname.replace(/\.$/, '');
  return connectTls({ ...options, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
}

/** Makes Node connect to the addresses that are already resolved and checked, without a second look-up. */
function answerWith(addresses: LookupAddress[]) {
  return (_hostname: string, options: LookupOptions, found: Found) => {
    const [first] = addresses;
    if (options.all) found(null, addresses);
    else found(null, first!.address, first!.family);
  };
}

function waitUntilOpen(
  socket: Socket,
  secure: boolean,
  timeoutMs: number,
  trace: AttemptTrace,
  cutoff: Cutoff,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onCutoff = (reason: Error) => void socket.destroy(reason);
    const late = new AttemptError('timeout', `No connection within ${timeoutMs / 1000} s.`);
    const timer = setTimeout(() => socket.destroy(late), timeoutMs);
    const done = () => {
      clearTimeout(timer);
      cutoff.remove(onCutoff);
    };
    cutoff.add(onCutoff);
    socket.once('connect', () => {
      trace.peer = peerOf(socket);
      if (secure) trace.enter('tls');
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      done();
      resolve();
    });
    // Never removes this listener: an error before the client adds its own listener would otherwise end the process.
    socket.on('error', (error) => {
      done();
      reject(error);
    });
  });
}

function peerOf({ remoteAddress, remotePort }: Socket): string | null {
  if (remoteAddress === undefined) return null;
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
