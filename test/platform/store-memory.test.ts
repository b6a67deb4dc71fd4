import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';

describe('quotas in memory', () => {
  it('a full quota store evicts the address that was idle for longest', async () => {
    const quotas = createMemoryQuotaStore(Date.now, 50);
    await quotas.consume('website', 10);
    for (let n = 0; n < 40; n++) await quotas.consume(`address ${n}`, 60);
    expect((await quotas.consume('website', 10)).remaining).toBe(8);
    for (let n = 40; n < 89; n++) await quotas.consume(`address ${n}`, 60);
    expect((await quotas.consume('website', 10)).remaining).toBe(7);
    expect((await quotas.consume('address 88', 60)).remaining).toBe(58);
    expect((await quotas.consume('address 0', 60)).remaining).toBe(59);
  });
});
