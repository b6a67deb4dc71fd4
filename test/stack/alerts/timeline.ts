import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { readSamples } from '../../support/metric-samples';

const RULES = path.resolve(__dirname, '../../../docker/prometheus/alerts.yaml');

/** Gauges that grow by one second a second while nothing changes. */
const AGES = new Set([
  'webhook_oldest_due_seconds',
  'webhook_snapshot_age_seconds',
  'database_backup_age_seconds',
  'database_archive_failing_seconds',
  'database_replication_lag_seconds',
]);

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: { summary: string };
}

/** The rules of docker/prometheus/alerts.yaml. */
export const ALERTS = (
  parseYaml(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules);

/** A process with metrics, with the labels that Prometheus gives it. */
export interface Target {
  job: 'api' | 'webhook-queue' | 'cloudnative-pg';
  instance: string;
  metrics(): Promise<string>;
}

/** The samples of one scrape, keyed by the series: `up{job="api",instance="api-1"}`. */
export type Scrape = Map<string, number>;

/** Scrapes the targets as Prometheus does: a target that does not answer has only the series `up`. */
export async function scrape(targets: Target[]): Promise<Scrape> {
  const samples: Scrape = new Map();
  for (const { job, instance, metrics } of targets) {
    const text = await metrics().catch(() => undefined);
    samples.set(seriesOf('up', { job, instance }), text === undefined ? 0 : 1);
    for (const { name, labels, value } of readSamples(text ?? ''))
      samples.set(seriesOf(name, { ...labels, job, instance }), value);
  }
  return samples;
}

function seriesOf(name: string, labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(',')}}`;
}

export interface Timeline {
  /** Real scrapes. The timeline has one of them every step, then goes on as the last two have begun. */
  scrapes: Scrape[];
  /** Repeats the increase of each counter between the last two scrapes in every later step: the same load goes on. */
  repeat?: boolean;
  /** Minutes between two scrapes; 1 unless given. */
  stepMinutes?: number;
  /** The time at which the alerts are compared. */
  atMinutes: number;
}

/** The labels of an alert without its severity. */
export type Firing = Record<string, string> & { alertname: string };

/**
 * Evaluates the rules on the timeline with promtool.
 * @param firing the alerts of these names that must fire at the time `atMinutes`, and no others
 * @throws Error with the output of promtool
 */
export async function expectAlerts(names: string[], timeline: Timeline, firing: Firing[]): Promise<void> {
  const { atMinutes, stepMinutes = 1 } = timeline;
  for (const { alertname, ...labels } of firing) refuseUnknownLabels(alertname, labels);
  const selector = `ALERTS{alertstate="firing",alertname=~"${names.join('|')}"}`;
  const samples = firing.map(({ alertname, ...labels }) => ({
    labels: seriesOf('ALERTS', {
      ...labels,
      alertname,
      alertstate: 'firing',
      severity: ruleOf(alertname).labels.severity,
    }),
    value: 1,
  }));
  await runPromtool({
    rule_files: [RULES],
    evaluation_interval: `${stepMinutes}m`,
    tests: [
      {
        interval: `${stepMinutes}m`,
        input_series: seriesIn(timeline),
        promql_expr_test: [{ expr: selector, eval_time: `${atMinutes}m`, exp_samples: samples }],
      },
    ],
  });
}

function ruleOf(name: string): Rule {
  const rule = ALERTS.find(({ alert }) => alert === name);
  if (!rule) throw new Error(`alerts.yaml has no rule ${name}`);
  return rule;
}

/** Refuses a summary with a label that the alert does not have: Prometheus would show an empty text. */
function refuseUnknownLabels(name: string, labels: Record<string, string>): void {
  const { summary } = ruleOf(name).annotations;
  for (const [, label] of summary.matchAll(/\$labels\.(\w+)/g))
    if (!(label! in labels))
      throw new Error(`the summary of ${name} has the label ${label}, and the alert has not`);
}

function seriesIn({ scrapes, repeat = false, stepMinutes = 1, atMinutes }: Timeline) {
  const names = new Set(scrapes.flatMap((samples) => [...samples.keys()]));
  const later = Math.ceil(atMinutes / stepMinutes) - scrapes.length + 1;
  return [...names].map((series) => {
    const values = scrapes.map((samples) => samples.get(series));
    const growth = growthOf(series, values, { repeat, stepMinutes });
    const last = values.at(-1);
    for (let n = 1; n <= later; n++) values.push(last === undefined ? undefined : last + n * growth);
    return { series, values: values.map(promtoolNumber).join(' ') };
  });
}

/** Returns how much the series grows in each step after the last scrape. */
function growthOf(
  series: string,
  values: (number | undefined)[],
  { repeat, stepMinutes }: { repeat: boolean; stepMinutes: number },
): number {
  const last = values.at(-1);
  if (values.length < 2 || last === undefined) return 0;
  // A series that was not in the scrape before begins at 0.
  const before = values.at(-2) ?? 0;
  const name = series.slice(0, series.indexOf('{'));
  if (AGES.has(name)) return last > before ? stepMinutes * 60 : 0;
  const counts = /_(total|bucket|count|sum)$/.test(name);
  return repeat && counts ? last - before : 0;
}

function promtoolNumber(value: number | undefined): string {
  if (value === undefined) return '_';
  return Number.isNaN(value) ? 'NaN' : `${value}`;
}

async function runPromtool(test: object): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-alerts-'));
  const file = path.join(folder, 'test.yaml');
  try {
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(test));
    await promisify(execFile)('promtool', ['test', 'rules', file]);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}${stderr}`.replace(/input_series.*/g, ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
