import { createOutageLog } from '../../services/platform/logger';

const refused = Object.assign(new Error('select 1 - connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('the log of an outage of the database', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('the log of an outage of the database writes a line for the first failure, and then one a second with the numbers of failures', () => {
    const lines: unknown[] = [];
    const record = createOutageLog((line) => lines.push(line));
    const line = (failures: object) => ({ code: 'ECONNREFUSED', reason: 'connect ECONNREFUSED', failures });
    record(refused, 'internal_error');
    expect(lines).toEqual([line({ internal_error: 1 })]);
    for (let n = 0; n < 30; n++) record(refused, 'internal_error');
    record(refused, 'sweep failed');
    jest.advanceTimersByTime(999);
    expect(lines).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(lines.slice(1)).toEqual([line({ internal_error: 30, 'sweep failed': 1 })]);

    jest.advanceTimersByTime(5000);
    expect(lines).toHaveLength(2);
    record(refused, 'sweep failed');
    expect(lines.slice(2)).toEqual([line({ 'sweep failed': 1 })]);
  });

  it('the log of an outage of the database names the reason where a host has several addresses', () => {
    const lines: { reason: string }[] = [];
    createOutageLog((line) => lines.push(line))(new AggregateError([refused]), 'internal_error');
    expect(lines.map(({ reason }) => reason)).toEqual(['connect ECONNREFUSED']);
  });
});
