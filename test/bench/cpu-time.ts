import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of a tick in /proc: USER_HZ is 100 on every Linux. */
const TICK_MS = 10;

interface ProcessTimes {
  parent: number;
  ownMs: number;
  /** CPU time of children that ended. */
  endedMs: number;
}

/** Reads the CPU time of a PostgreSQL server in milliseconds. Counts all of its processes, also the ended ones. Linux only. */
export function serverCpuMs(postmaster: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const server = readTimes(postmaster);
  const children = pids.map((pid) => readTimes(Number(pid))).filter((times) => times?.parent === postmaster);
  return [server, ...children].reduce((sum, times) => sum + (times?.ownMs ?? 0), server?.endedMs ?? 0);
}

/** @returns undefined when the process has ended */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    // Skips the name in brackets, which may contain spaces. Fields: proc_pid_stat(5), from the third one on.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    return {
      parent: fields[1]!,
      ownMs: (fields[11]! + fields[12]!) * TICK_MS,
      endedMs: (fields[13]! + fields[14]!) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/** Reads the CPU time of a process of this machine, in milliseconds. */
export function cpuMs(pid: number): number {
  const times = readTimes(pid);
  if (!times) throw new Error(`process ${pid} has ended`);
  return times.ownMs;
}

/** Reads the resident memory of a process of this machine. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
