import { QUEUE_LIMITS } from '../../services/api/seats/queue/queue-limits';
import { isFull, type WaitingChange } from '../../services/api/seats/queue/waiting-change';
import type { SeatChange } from '../../services/api/seats/seat-change';

function changeOf(tenant: string, departureId: string): SeatChange {
  return { tenant: { id: tenant }, locks: { departureIds: [departureId] } } as SeatChange;
}

/** Returns waiting changes of one tenant, each on a departure of its own unless all have one. */
function waiting(count: number, tenant: string, departureId?: string): WaitingChange[] {
  return Array.from(
    { length: count },
    (_, n) => ({ change: changeOf(tenant, departureId ?? `${tenant}-${n}`) }) as WaitingChange,
  );
}

const { partMax, waitingMax } = QUEUE_LIMITS;

describe('the queue of changes', () => {
  it('is full for a tenant with the most waiting changes, and not for others', () => {
    const all = waiting(partMax, 'a');
    expect(isFull(all, 0, changeOf('a', 'free'))).toBe(true);
    expect(isFull(all, 0, changeOf('b', 'free'))).toBe(false);
    expect(isFull(all.slice(1), 0, changeOf('a', 'free'))).toBe(false);
  });

  it('is full for a departure with the most waiting changes, and not for others', () => {
    const all = [...waiting(partMax / 2, 'a', 'rush'), ...waiting(partMax / 2, 'b', 'rush')];
    expect(isFull(all, 0, changeOf('c', 'rush'))).toBe(true);
    expect(isFull(all, 0, changeOf('c', 'free'))).toBe(false);
  });

  it('is full for all when it has the most changes, those that are written alone included', () => {
    const all = [...waiting(partMax - 1, 'a'), ...waiting(partMax - 1, 'b')];
    expect(isFull(all, 1, changeOf('c', 'free'))).toBe(false);
    expect(isFull(all, waitingMax - all.length, changeOf('c', 'free'))).toBe(true);
  });
});
