import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchStack } from './stack';

const run = promisify(execFile);
const SCRIPT = path.join(__dirname, 'load.lua');

/** The result of a load without a refused request. */
export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export interface LoadOptions {
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  environment?: Record<string, string>;
}

/**
 * Loads the URL with wrk over kept-alive connections, each with one request at a time.
 * @throws Error if a request is refused or fails
 */
export async function load(url: string, options: LoadOptions): Promise<LoadResult> {
  const { connections, seconds, headers = {}, environment } = options;
  const { stdout } = await run(
    'wrk',
    [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--timeout',
      '30s',
      '-s',
      SCRIPT,
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      url,
    ],
    { env: { ...process.env, ...environment } },
  );
  const report = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  const { requests, p50, p99, refused, broken } = report as typeof report & LoadResult;
  if (refused! + broken! > 0)
    throw new Error(`${url}: of ${requests} requests ${refused} were refused, ${broken} failed`);
  return { requests, perSecond: requests / report.seconds!, p50, p99 };
}

export type SaleKind = 'hold' | 'booking';

/** Loads an API with holds or bookings. Each one takes a random departure from the first `departures` of the stack. */
export function sell(
  { apiKey, targetsFile }: BenchStack,
  baseUrl: string,
  { kind, departures, ...options }: LoadOptions & { kind: SaleKind; departures: number },
): Promise<LoadResult> {
  const environment = {
    KIND: kind,
    KEY: apiKey,
    TARGETS: targetsFile(departures),
    SEED: `${Math.floor(Math.random() * 1e9)}`,
  };
  return load(baseUrl, { ...options, environment });
}

/** @throws Error that says how to install a program that is missing */
export async function requireTool(program: string, install: string): Promise<string> {
  try {
    const { stdout } = await run(program, ['--version']).catch(
      (error: { code?: unknown; stdout?: string }) => {
        // wrk prints its version and usage with exit code 1.
        if (error.code !== 'ENOENT') return { stdout: error.stdout ?? '' };
        throw error;
      },
    );
    return /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'unknown';
  } catch {
    throw new Error(`${program} is missing: ${install}`);
  }
}
