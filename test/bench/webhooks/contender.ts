/** Names the measured queue. */
export const CONTENDERS = ['ours', 'graphile-worker', 'pg-boss'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** Concurrency of requests or jobs, equal for all contenders. */
export const CONCURRENCY = 64;

/** The payload that other queues store in a job. Our queue reads it from its tables. */
export interface Job {
  url: string;
  body: string;
}

/** Processes due jobs until it is stopped, and then stores every completion. */
export interface Consumer {
  stop(): Promise<void>;
}

/** Reads a clock in milliseconds that all processes of this machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
