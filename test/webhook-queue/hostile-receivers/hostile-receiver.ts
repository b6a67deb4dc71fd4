import { createServer as createTcp, type Socket } from 'node:net';
import type { AttemptItem } from '../../../services/webhook-queue/deliveries/find-deliveries';
import { type Answering, type RawServer, startRawServer } from '../raw-server';

/** A faulty receiver and the attempt that the log must contain. */
export interface HostileReceiver {
  name: string;
  open(): Promise<RawServer>;
  /** URL of the receiver; `http://127.0.0.1:<port>/hook` by default. */
  url?: (port: number) => string;
  /** Number of events to send, one after another; the last attempt of the last event is checked. */
  events?: number;
  /** Number of attempts of the last event; 1 by default. */
  tries?: number;
  says: Partial<Pick<AttemptItem, 'outcome' | 'statusCode' | 'reason'>>;
  also?: (attempt: AttemptItem, server: RawServer) => void;
}

export const OK = 'HTTP/1.1 200 OK\r\n';
export const KEEP = `${OK}content-length: 0\r\n\r\n`;
export const DELIVERED = { outcome: 'delivered', statusCode: 200, reason: null } as const;

export const http = (answer: Answering) => () => startRawServer(createTcp(), answer);
export const onConnection = (greet: (socket: Socket) => void) => () =>
  startRawServer(createTcp(), undefined, greet);
