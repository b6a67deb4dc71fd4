/** Operations on a queue while no consumer runs. */
export interface Queue {
  /** Database URL for the consumer. */
  url: string;
  /** Adds `each` due jobs for each target, alternating between targets. */
  add(urls: string[], each: number, body: string): Promise<void>;
  /** Deletes all jobs and restores fresh tables. */
  clear(): Promise<void>;
  /** Counts unfinished jobs. */
  left(): Promise<number>;
  close(): Promise<void>;
}
