import { Counter, Gauge, Histogram } from 'prom-client';

const waiting = new Gauge({
  name: 'sales_waiting',
  help: 'Holds and bookings that wait in this process to be written',
});

const waitSeconds = new Histogram({
  name: 'sale_wait_seconds',
  help: 'Time from the arrival of a hold or booking to the start of the transaction that writes it; at most 2 s',
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2],
});

const transactions = new Counter({
  name: 'sale_transactions_total',
  help: 'Transactions that write holds and bookings, by outcome: committed; rolled_back, written again in halves; unknown',
  labelNames: ['outcome'] as const,
});

const transactionSales = new Histogram({
  name: 'sale_transaction_sales',
  help: 'Holds and bookings of one transaction',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128],
});

export function measureWaiting(sales: number): void {
  waiting.set(sales);
}

/** @param waits milliseconds that each sale of the transaction waited */
export function measureTransaction(outcome: 'committed' | 'rolled_back' | 'unknown', waits: number[]): void {
  transactions.inc({ outcome });
  transactionSales.observe(waits.length);
  for (const wait of waits) waitSeconds.observe(wait / 1000);
}
