import type { ApiContext } from '../http/api-context';
import type { AvailabilityCache } from './availability-cache';

/** What a request may use that reads or changes seats. */
export interface SeatsContext extends ApiContext {
  availability: AvailabilityCache;
}
