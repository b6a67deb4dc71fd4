/** What the parent does with a queue while no consumer runs. */
export interface Queue {
  /** Of its database, for the consumer. */
  url: string;
  /** As many jobs as `each` for each of the targets, in turn, all due. */
  add(urls: string[], each: number, body: string): Promise<void>;
  /** Forgets all jobs, finished ones too, and leaves the tables as fresh as they were. */
  clear(): Promise<void>;
  /** Jobs that are not done. */
  left(): Promise<number>;
  close(): Promise<void>;
}
