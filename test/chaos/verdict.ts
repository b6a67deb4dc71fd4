import type { Db } from '../../services/platform/database/database';
import type { AttemptOutcome } from '../../services/webhook-queue/deliveries/delivery';
import { webhookId } from '../../services/webhook-queue/signing/sign-payload';
import { printTable } from '../bench/table';
import type { LateResult } from './fleet';
import { FAILING, type Kind, kindOf, KINDS } from './kinds';
import type { Seen } from './receiver-process';

/** A delivery with its records in the database and at the receiver. */
export interface DeliveryRecord {
  id: string;
  kind: Kind;
  status: string;
  /** Number of attempts that the row of the delivery contains. */
  attempts: number;
  /** The attempts in order. */
  tries: { number: number; outcome: AttemptOutcome }[];
  requests: Seen[];
}

interface DeliveryRecordRow extends Pick<DeliveryRecord, 'id' | 'status' | 'attempts' | 'tries'> {
  eventId: string;
  url: string;
}

export async function readDeliveryRecords(db: Db, seen: Seen[]): Promise<DeliveryRecord[]> {
  const { rows } = await db.raw<{ rows: DeliveryRecordRow[] }>(
    `select d.id, d.event_id, e.url, d.status, d.attempts,
       coalesce((select json_agg(json_build_object('number', a.number, 'outcome', a.outcome) order by a.number)
         from webhook_attempts a where a.delivery_id = d.id), '[]') as tries
     from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id`,
  );
  const requests = new Map<string, Seen[]>();
  for (const one of seen) {
    const known = requests.get(one.id + one.path);
    if (known) known.push(one);
    else requests.set(one.id + one.path, [one]);
  }
  return rows.map(({ eventId, url, ...row }) => {
    const { pathname } = new URL(url);
    return { ...row, kind: kindOf(pathname), requests: requests.get(webhookId(eventId) + pathname) ?? [] };
  });
}

/** Counts the receiver's 2xx answers. */
function taken({ requests }: DeliveryRecord): number {
  return requests.filter(({ status }) => status !== null && status < 300).length;
}

/** Counts the attempts that are recorded as failed, but which the receiver may have accepted. */
function uncertain({ kind, tries }: DeliveryRecord): number {
  // On a slow machine any endpoint may answer after the worker's time limit.
  const outcomes: AttemptOutcome[] = ['worker_lost', 'interrupted', 'timeout'];
  if (kind === 'dropping') outcomes.push('connection', 'hung_up');
  return tries.filter(({ outcome }) => outcomes.includes(outcome)).length;
}

const BREACHES: Record<string, (record: DeliveryRecord) => boolean> = {
  'not finished': ({ status }) => status !== 'delivered' && status !== 'dead',
  'delivered but never taken': (record) => record.status === 'delivered' && taken(record) === 0,
  'dead though its endpoint answers': ({ status, kind }) => status === 'dead' && !FAILING.includes(kind),
  'numbered with a gap': ({ tries, attempts }) =>
    tries.length !== attempts || tries.some(({ number }, index) => number !== index + 1),
  'delivered by none of its tries, or by two': ({ status, tries }) =>
    tries.filter(({ outcome }) => outcome === 'delivered').length !== Number(status === 'delivered'),
  'more requests than tries': ({ requests, tries }) => requests.length > tries.length,
  'taken twice without a reason': (record) => taken(record) - 1 > uncertain(record),
  'signed wrongly': ({ requests }) => requests.some(({ verified }) => !verified),
  'sent with other bytes': ({ requests }) => new Set(requests.map(({ body }) => body)).size > 1,
};

const TOLD = 5;

/** Returns a line for each broken promise. */
export function breaches(records: DeliveryRecord[]): Record<string, string[]> {
  const found = Object.entries(BREACHES).map(([promise, breaks]) => {
    const broken = records.filter(breaks);
    return [`${promise}: ${broken.length}`, broken.slice(0, TOLD).map(tell)] as const;
  });
  return Object.fromEntries(found.filter(([, lines]) => lines.length > 0));
}

function tell({ id, kind, status, tries, requests }: DeliveryRecord): string {
  const log = tries.map(({ number, outcome }) => `${number} ${outcome}`).join(', ');
  const answers = requests.map(({ status: answered }) => answered ?? 'none').join(', ');
  return `${id} (${kind}) is ${status}; tries: ${log}; answers: ${answers}`;
}

/** Finds late results that have replaced the outcome worker_lost of their attempt. */
export function overwritten(records: DeliveryRecord[], late: LateResult[]): LateResult[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return late.filter(
    ({ delivery_id: id, attempt }) => byId.get(id)?.tries[attempt - 1]?.outcome !== 'worker_lost',
  );
}

export function shareTakenTwice(records: DeliveryRecord[]): number {
  return records.filter((record) => taken(record) > 1).length / records.length;
}

export function printFigures(title: string, records: DeliveryRecord[]): void {
  const head = ['', 'deliveries', 'delivered', 'dead', 'requests', 'tries', 'worker_lost', 'taken twice'];
  const line = (name: string, some: DeliveryRecord[]) => [
    name,
    some.length,
    some.filter(({ status }) => status === 'delivered').length,
    some.filter(({ status }) => status === 'dead').length,
    sum(some, ({ requests }) => requests.length),
    sum(some, ({ tries }) => tries.length),
    sum(some, ({ tries }) => tries.filter(({ outcome }) => outcome === 'worker_lost').length),
    some.filter((record) => taken(record) > 1).length,
  ];
  const byKind = KINDS.map((kind) =>
    line(
      kind,
      records.filter((record) => record.kind === kind),
    ),
  );
  printTable(title, head, [...byKind, line('all', records)]);
}

function sum(records: DeliveryRecord[], count: (record: DeliveryRecord) => number): number {
  return records.reduce((total, record) => total + count(record), 0);
}
