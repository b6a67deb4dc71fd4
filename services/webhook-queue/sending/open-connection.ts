import type { LookupAddress, LookupOptions } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AttemptTrace } from './attempt-trace';
import { ConnectTimeoutError } from './sending.errors';
import { resolveTarget, type TargetRules } from './resolve-target';

export interface ConnectionRules extends TargetRules {
  /** For TCP and TLS together; the look-up has its own. */
  connectTimeoutMs: number;
}

type Found = (error: null, address: string | LookupAddress[], family?: number) => void;
type Target = Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>;

/**
 * A connection, with TLS where the address has it, to one of the addresses that `resolveTarget` let pass.
 * @throws BlockedTargetError, UnresolvedTargetError, ConnectTimeoutError, the signal's reason, or what Node says
 */
export async function openConnection(
  target: Target,
  rules: ConnectionRules,
  trace: AttemptTrace,
  signal: AbortSignal,
): Promise<Socket> {
  // A literal is judged as it stands, so it has no time to look up.
  if (!isIP(target.hostname)) trace.enter('dns');
  const addresses = await resolveTarget(target.hostname, rules);
  signal.throwIfAborted();
  trace.enter('connect');
  const socket = dial(target, addresses);
  await whenOpen(socket, target.protocol === 'https:', rules.connectTimeoutMs, trace, signal);
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
  // The name stays in TLS, where it is neither an address nor written with the dot of the root.
  const servername = isIP(hostname) ? '' : hostname.replace(/\.$/, '');
  return connectTls({ ...options, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
}

/** Node asks for the addresses of a name that was looked up already; it never asks for those of a literal. */
function answerWith(addresses: LookupAddress[]) {
  return (_hostname: string, options: LookupOptions, found: Found) => {
    const [first] = addresses;
    if (options.all) found(null, addresses);
    else found(null, first!.address, first!.family);
  };
}

function whenOpen(
  socket: Socket,
  secure: boolean,
  timeoutMs: number,
  trace: AttemptTrace,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cutOff = () => socket.destroy(signal.reason as Error);
    const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError(timeoutMs)), timeoutMs);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cutOff);
    };
    signal.addEventListener('abort', cutOff);
    socket.once('connect', () => {
      trace.peer = peerOf(socket);
      if (secure) trace.enter('tls');
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      done();
      resolve();
    });
    // It stays: an error between this and the first listener of the client would end the process.
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
