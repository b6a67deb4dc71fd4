import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CHROMIUM } from '../support/browsers';
import type { DemoSite } from '../support/demo-site';

const run = promisify(execFile);
const PROGRAM = require.resolve('lighthouse/cli/index.js');
/** Lighthouse's audits of the three categories take 20 to 40 s on a busy machine. */
const TIMEOUT_MS = 240_000;

/** Lighthouse's figures of a page, as a phone with a slow network sees it (simulated). Scores are 0 to 100. */
export interface PageFigures {
  performance: number;
  accessibility: number;
  bestPractices: number;
  /** Transferred bytes of the page and all that it loads. */
  bytes: number;
  /** The addresses that the page has requested. */
  requests: string[];
  /** The addresses of files that the browser needs before the first paint. */
  renderBlocking: string[];
  /** Cumulative layout shift. */
  layoutShift: number;
  /** The sum of the parts over 50 ms of tasks between first paint and interactivity. */
  blockingMs: number;
  /** The audits of accessibility and best practices that the page does not pass. */
  failed: string[];
}

/** Returns the pages that visitors and developers see first, with their addresses. */
export function pagesOf({ api, shop, embed }: DemoSite): [name: string, address: string][] {
  return [
    ['the embed page', embed],
    ['/docs', `${api}/docs`],
    ['/docs/guide/selling', `${api}/docs/guide/selling`],
    ['the list of the shop', shop],
    ['a tour of the shop', `${shop}/trips/ha-long-bay-cruise`],
  ];
}

interface Audit {
  score: number | null;
  /** `error`: the audit could not be made. */
  scoreDisplayMode: string;
  errorMessage?: string;
  numericValue?: number;
  details?: { items?: { url: string }[] };
}

interface Report {
  categories: Record<string, { score: number; auditRefs: { id: string }[] }>;
  audits: Record<string, Audit>;
}

/** Measures a page. Runs Lighthouse once more if Lighthouse itself fails, as happens on a busy machine. A low score is no failure. */
export async function measurePage(address: string): Promise<PageFigures> {
  const measure = async () => figuresOf(await runLighthouse(address));
  return measure().catch(measure);
}

/**
 * Runs Lighthouse, which starts its own Chromium.
 * @throws Error if Lighthouse itself fails: the program, or an audit, for example because the trace has no start of the page (NO_NAVSTART)
 */
async function runLighthouse(address: string): Promise<Report> {
  const options = [
    '--output=json',
    '--quiet',
    '--only-categories=performance,accessibility,best-practices',
    '--no-enable-error-reporting',
    '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
  ];
  const { stdout } = await run(process.execPath, [PROGRAM, address, ...options], {
    env: { ...process.env, CHROME_PATH: CHROMIUM },
    maxBuffer: 64 * 1024 * 1024,
    timeout: TIMEOUT_MS,
  });
  const report = JSON.parse(stdout) as Report;
  const broken = Object.values(report.audits).find(({ scoreDisplayMode }) => scoreDisplayMode === 'error');
  if (broken) throw new Error(`Lighthouse failed: ${broken.errorMessage}`);
  return report;
}

function figuresOf({ categories, audits }: Report): PageFigures {
  const scoreOf = (category: string) => Math.round(categories[category]!.score * 100);
  const addressesOf = (audit: string) => audits[audit]!.details?.items?.map(({ url }) => url) ?? [];
  const refs = ['accessibility', 'best-practices'].flatMap((name) => categories[name]!.auditRefs);
  return {
    performance: scoreOf('performance'),
    accessibility: scoreOf('accessibility'),
    bestPractices: scoreOf('best-practices'),
    bytes: audits['total-byte-weight']!.numericValue!,
    requests: addressesOf('network-requests'),
    renderBlocking: addressesOf('render-blocking-resources'),
    layoutShift: audits['cumulative-layout-shift']!.numericValue!,
    blockingMs: audits['total-blocking-time']!.numericValue!,
    failed: refs.map(({ id }) => id).filter((id) => audits[id]!.score === 0),
  };
}
