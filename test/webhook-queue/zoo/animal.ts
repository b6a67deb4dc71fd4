import { createServer as createTcp, type Socket } from 'node:net';
import type { AttemptItem } from '../../../services/webhook-queue/operations';
import { startRawServer, type Answering, type RawServer } from '../raw-server';

/** A receiver as it should not be, and what the log must say of it. */
export interface Animal {
  name: string;
  open(): Promise<RawServer>;
  /** Of where it listens; `http://127.0.0.1:<port>/hook` unless told otherwise. */
  url?: (port: number) => string;
  /** How many events it is sent, one after the other; the last try of the last is judged. */
  events?: number;
  /** How many tries that one takes; 1 unless told otherwise. */
  tries?: number;
  says: Partial<Pick<AttemptItem, 'outcome' | 'status_code' | 'reason'>>;
  also?: (attempt: AttemptItem, server: RawServer) => void;
}

export const OK = 'HTTP/1.1 200 OK\r\n';
export const KEEP = `${OK}content-length: 0\r\n\r\n`;
export const DELIVERED = { outcome: 'delivered', status_code: 200, reason: null } as const;

export const http = (answer: Answering) => () => startRawServer(createTcp(), answer);
export const greeting = (greet: (socket: Socket) => void) => () =>
  startRawServer(createTcp(), undefined, greet);
