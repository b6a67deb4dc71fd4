/** Whose queue is measured. */
export const CONTENDERS = ['ours', 'graphile-worker', 'pg-boss'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** A no-op job costs nothing but its queue; a POST goes to a sink in a process of its own. */
export type JobKind = 'no-op' | 'POST';

/** Requests or jobs at once, the same for each. */
export const CONCURRENCY = 64;

/** What a job carries, where it is not ours: ours has it in its own tables. */
export interface Job {
  url: string;
  body: string;
}

export interface Consumption {
  databaseUrl: string;
  kind: JobKind;
  /** A job has begun. */
  onJob: () => void;
}

/** Works on what is due until it is stopped; then every completion is written down. */
export interface Consumer {
  stop(): Promise<void>;
}

/** Milliseconds by a clock that all processes of this machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
