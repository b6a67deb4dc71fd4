import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Db } from '../../services/platform/database/database';

/** The part of an auto_explain entry that the tests read. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** An executed statement, and the plan nodes that read a table. */
export interface RunStatement {
  text: string;
  scans: { table: string; node: string; rows: number }[];
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
};

/** Makes the server log the plan and the read rows of each statement, on connections that are opened from now on. */
export async function logPlans(db: Db): Promise<void> {
  const database = (db.client as { config: { connection: { connectionString: string } } }).config.connection;
  const name = new URL(database.connectionString).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS))
    await db.raw(`alter database ?? set ${setting} = '${value}'`, [name]);
}

/** Reads the server's log. @returns a function that returns the statements since its last call */
export async function openPlanLog(db: Db): Promise<() => RunStatement[]> {
  const { rows } = await db.raw<{ rows: [{ directory: string }] }>(
    `select current_setting('data_directory') as directory`,
  );
  const file = path.join(rows[0].directory, 'server.log');
  let read = 0;
  const readOn = (): string => {
    const descriptor = openSync(file, 'r');
    const added = Buffer.alloc(fstatSync(descriptor).size - read);
    read += readSync(descriptor, added, 0, added.length, read);
    closeSync(descriptor);
    return added.toString();
  };
  readOn();
  return () => {
    const text = readOn();
    return [...text.matchAll(/plan:\n((?:\t.*\n)+)/g)].map(([, json]) => toStatement(json!));
  };
}

function toStatement(json: string): RunStatement {
  const { 'Query Text': text, Plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
  const scans = nodesOf(Plan).flatMap((node) => {
    const table = node['Relation Name'];
    if (!table || !node['Node Type'].includes('Scan')) return [];
    const index = node['Index Name'] ? ` by ${node['Index Name']}` : '';
    const each =
      (node['Actual Rows'] ?? 0) +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0);
    return [{ table, node: `${node['Node Type']}${index}`, rows: each * (node['Actual Loops'] ?? 0) }];
  });
  return { text, scans };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
