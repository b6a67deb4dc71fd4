import type { AvailabilityCache } from './departures/availability-cache';
import type { DepartureIds } from './departures/find-departures';
import type { DepartureQueue } from './departures/departure-queue';
import type { ApiContext } from './http/api-context';
import type { SaleQueue } from './seats/queue/sale-queue';
import type { RefusalLog } from './refusals/refusal-log';

/** The objects that controllers use to read and sell seats. Created in main.ts, or by a test. */
export interface SalesContext extends ApiContext {
  availability: AvailabilityCache;
  departureQueue: DepartureQueue;
  departureIds: DepartureIds;
  sales: SaleQueue;
  refusals: RefusalLog;
}
