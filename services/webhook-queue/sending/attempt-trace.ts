import type { Phase } from '../deliveries/delivery';

/** Records the phases of one attempt while it runs. */
export interface AttemptTrace {
  /** Whole milliseconds of each phase that was reached, including the one that failed. */
  phases: Partial<Record<Phase, number>>;
  /** The remote address with its port. */
  peer: string | null;
  /** Ends the previous phase and starts this one. */
  enter(phase: Phase): void;
  end(): void;
}

export function startTrace(): AttemptTrace {
  let current: Phase | undefined;
  let since = 0;
  const trace: AttemptTrace = {
    phases: {},
    peer: null,
    enter: (phase) => {
      trace.end();
      current = phase;
      since = performance.now();
    },
    end: () => {
      if (current) trace.phases[current] = Math.round(performance.now() - since);
      current = undefined;
    },
  };
  return trace;
}
