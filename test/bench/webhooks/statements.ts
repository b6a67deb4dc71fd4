import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../services/platform/database/database';
import { printTable } from '../table';

/** Turns on statement statistics. Restarts the server, because the server loads the library only at its start. */
export async function countStatements(db: Db, restart: () => Promise<void>): Promise<void> {
  await db.raw(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await db.raw('alter system set track_io_timing = on');
  await restart();
  for (let tries = 0; ; tries++) {
    try {
      await db.raw('create extension pg_stat_statements');
      // Settings of a library are unknown until it is loaded.
      await db.raw('alter system set pg_stat_statements.track_planning = on');
      await db.raw('select pg_reload_conf()');
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(200);
    }
  }
}

export async function forgetStatements(db: Db): Promise<void> {
  await db.raw('select pg_stat_statements_reset()');
}

/** Reads where the server spent its time in the database of `db` since the last reset. */
export async function printStatements(db: Db, title: string): Promise<void> {
  const { rows } = await db.raw<{ rows: Record<string, number | string>[] }>(
    `select calls, round(total_plan_time::numeric) as plan_ms, round(total_exec_time::numeric) as run_ms,
       round(mean_exec_time::numeric, 2) as mean_ms, round(max_exec_time::numeric, 1) as max_ms, rows, round(wal_bytes / greatest(rows, 1)) as wal_a_row,
       left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as statement
     from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and toplevel
     order by total_plan_time + total_exec_time desc limit 8`,
  );
  const head = Object.keys(rows[0] ?? {});
  printTable(
    title,
    head,
    rows.map((row) => Object.values(row)),
  );
}
