import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';

/** Reads the CPU time and the memory of a process that runs with `--inspect`, so that the product needs no code for it. */
export interface ProcessInspector {
  /** Milliseconds of CPU that the process has used. */
  cpuMs(): Promise<number>;
  /** Megabytes of the heap after a garbage collection. */
  heapMb(): Promise<number>;
  close(): void;
}

export async function inspectProcess(port: number): Promise<ProcessInspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  const call = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve) => {
      waiting.set(++last, resolve as (result: unknown) => void);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return {
    async cpuMs() {
      const expression = '(({ user, system }) => (user + system) / 1000)(process.cpuUsage())';
      const { result } = await call<{ result: { value: number } }>('Runtime.evaluate', { expression });
      return result.value;
    },
    async heapMb() {
      // The second collection frees the memory that finalizers of the first one released.
      for (let times = 0; times < 2; times++) {
        await call('HeapProfiler.collectGarbage');
        await sleep(100);
      }
      const { usedSize } = await call<{ usedSize: number }>('Runtime.getHeapUsage');
      return usedSize / 2 ** 20;
    },
    close: () => socket.close(),
  };
}
