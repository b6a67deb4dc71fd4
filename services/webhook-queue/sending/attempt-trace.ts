import type { Phase } from '../deliveries/delivery';

/** How one attempt went, written down while it goes. */
export interface AttemptTrace {
  /** Whole milliseconds, as far as it came. The phase in which it broke off is there with the time it lasted. */
  phases: Partial<Record<Phase, number>>;
  /** The address connected to, with its port. */
  peer: string | null;
  /** Ends the phase before. */
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
