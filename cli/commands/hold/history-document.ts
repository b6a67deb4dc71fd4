import type { Screen } from '../../screen';
import { shortTime, table } from '../../table';

interface Moment {
  at: Date;
  event: string;
  by: string | null;
  detail: string | null;
}

export function toHistoryDocument(moments: Moment[]) {
  return moments.map(({ at, event, by, detail }) => ({ at: at.toISOString(), event, by, detail }));
}

export function describeHistory(moments: Moment[], screen: Screen): string {
  const rows = moments.map(({ at, event, by, detail }) => [shortTime(at), event, by, detail]);
  const columns = ['at (utc)', 'what', 'by', { heading: 'detail', least: 12 }];
  return table(columns, rows, 'Nothing happened yet', screen);
}
