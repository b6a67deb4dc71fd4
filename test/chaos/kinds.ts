/** Kinds of endpoints by their behaviour. The last two kinds never answer, so their deliveries end as dead. */
export const KINDS = [
  'fine',
  'slow',
  'flaky',
  'throttling',
  'dropping',
  'hanging',
  'always-dropping',
  'always-hanging',
] as const;
export type Kind = (typeof KINDS)[number];

export const FAILING: readonly Kind[] = ['always-dropping', 'always-hanging'];

export function kindOf(path: string): Kind {
  return path.split('/')[1] as Kind;
}

/** The receiver's reaction to a request. */
export type Reply = 'drop' | 'drop-in-head' | 'hang' | Answer;

export interface Answer {
  status: number;
  afterMs?: number;
  retryAfter?: number;
  /** Closes the connection after the answer, although the answer's headers promise to keep it open. */
  thenDrop?: boolean;
}

const OK: Answer = { status: 204 };

/** The reply to the nth request to the endpoint, from 1. */
const REPLIES: Record<Kind, (nth: number) => Reply> = {
  fine: () => OK,
  slow: () => ({ status: 204, afterMs: 300 }),
  flaky: () => (chance(0.3) ? { status: 500 } : OK),
  throttling: (nth) => (nth % 2 === 1 ? { status: 429, retryAfter: nth % 4 === 1 ? 0 : 1 } : OK),
  dropping: () => {
    if (chance(0.15)) return chance(0.3) ? 'drop-in-head' : 'drop';
    return chance(0.15) ? { status: 204, thenDrop: true } : OK;
  },
  hanging: () => (chance(0.15) ? 'hang' : OK),
  'always-dropping': () => 'drop',
  'always-hanging': () => 'hang',
};

export function replyTo(kind: Kind, nth: number): Reply {
  return REPLIES[kind](nth);
}

function chance(share: number): boolean {
  return Math.random() < share;
}
