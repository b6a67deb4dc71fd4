import { isCalendarDate } from '../../../services/platform/forms/days';
import { instant } from '../../engine/values';

/** Parses a day in the zone of the resource, or an instant. Returns `YYYY-MM-DD`, or an instant of RFC 3339. */
export function dateOrInstant(text: string, name: string): string {
  return isCalendarDate(text) ? text : instant(text, name).toISOString();
}
