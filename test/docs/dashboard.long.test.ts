import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { readNames, readSamples } from '../support/metric-samples';
import { type QueueProcess, startQueueProcess } from '../support/queue-process';

const ROOT = path.join(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

interface Panel {
  type: string;
  title: string;
  description?: string;
  targets?: { expr: string }[];
}

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook?: string };
}

const { panels } = JSON.parse(read('docker/grafana/dashboard.json')) as { panels: Panel[] };
const { groups } = parseYaml(read('docker/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const questions: [where: string, query: string][] = [
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`panel ${title}`, expr]),
  ),
  ...rules.map(({ alert, expr }): [string, string] => [`alert ${alert}`, expr]),
];

/** Metrics that Prometheus adds to a scrape, and one of CloudNativePG's Barman Cloud plugin. */
const OF_PROMETHEUS = {
  names: ['up', 'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp'],
  labels: ['job', 'instance', 'le'],
};
const WORDS = new Set(['and', 'or', 'unless', 'by', 'on', 'without', 'time']);
/** Matches labels outside of braces: by (le, route). */
const LABEL_LIST = /\b(?:by|on|without)\s*\(([^)]*)\)/g;

/** Returns the metrics of a query, each with the labels that it uses. */
function metricsIn(query: string): { name: string; labels: string[] }[] {
  const bare = query
    .replace(LABEL_LIST, ' ')
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]|\boffset \w+/g, ' ');
  const found = bare.matchAll(/([a-z_]\w*)\s*(\{[^}]*\}|\()?/gi);
  return [...found]
    .filter(([, name, next]) => next !== '(' && !WORDS.has(name!))
    .map(([, name, selector = '']) => ({
      name: name!,
      labels: [...selector.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label]) => label!),
    }));
}

function groupedBy(query: string): string[] {
  return [...query.matchAll(LABEL_LIST)].flatMap(([, list]) => list!.match(/\w+/g) ?? []);
}

let database: TestDatabase;
let api: ApiProcess;
let queue: QueueProcess;
let scraped: string;
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url);
  queue = await startQueueProcess(database.url);
  await fetch(`${api.baseUrl}/api/tenant/catalog`);
  scraped = (await api.metrics()) + (await queue.metrics());
});
afterAll(async () => {
  queue.kill();
  await api.stop();
  await database.drop();
});

describe('dashboard and alert rules', () => {
  it('every query uses only metrics that the API or the queue exports', () => {
    const names = new Set([...OF_PROMETHEUS.names, ...readNames(scraped)]);
    const unknown = questions.flatMap(([where, query]) =>
      metricsIn(query)
        .filter(({ name }) => !names.has(name))
        .map(({ name }) => `${where}: ${name}`),
    );
    expect(unknown).toEqual([]);
    const asked = questions.flatMap(([, query]) => metricsIn(query).map(({ name }) => name));
    expect(asked).toEqual(expect.arrayContaining(['http_requests_total', 'webhook_due', 'up']));
  });

  it('every query uses only labels that its metric has', () => {
    const labels = new Map<string, Set<string>>();
    for (const sample of readSamples(scraped))
      labels.set(sample.name, new Set([...OF_PROMETHEUS.labels, ...Object.keys(sample.labels)]));
    const unknown = questions.flatMap(([where, query]) =>
      metricsIn(query)
        .filter(({ name }) => labels.has(name))
        .flatMap(({ name, labels: selected }) =>
          [...selected, ...groupedBy(query)]
            .filter((label) => !labels.get(name)!.has(label))
            .map((label) => `${where}: ${name}{${label}}`),
        ),
    );
    expect(unknown).toEqual([]);
  });

  it('every metric of the product is used in a query', () => {
    const ours = [...scraped.matchAll(/^# TYPE (\w+) /gm)]
      .map(([, name]) => name!)
      .filter((name) => !/^(process|nodejs)_/.test(name));
    const shown = questions.map(([, query]) => query).join('\n');
    expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('docs/watching.md names only existing metrics', () => {
    const types = new Set([...scraped.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
    const [, table = ''] = read('docs/watching.md').split('## Healthy values');
    const named = [...table.split('\n## ')[0]!.matchAll(/`((?:[a-z0-9]+_){2,}[a-z0-9]+)/g)].map(
      ([, name]) => name!,
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !types.has(name))).toEqual([]);
  });

  it('every panel has a description', () => {
    expect(panels.filter(({ type, description }) => type !== 'row' && !description)).toEqual([]);
  });

  it('every alert has a severity, a summary and the steps to take, and its runbook is a section that exists', () => {
    for (const { alert, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
      expect(annotations.summary).not.toBe('');
      expect([alert, annotations.description]).toEqual([alert, expect.stringMatching(/\.$/)]);
    }
    const withRunbook = rules.filter(({ annotations }) => annotations.runbook !== undefined);
    expect(withRunbook.length).toBeGreaterThan(3);
    for (const { alert, annotations } of withRunbook) {
      const [file, anchor] = annotations.runbook!.split('#');
      expect([alert, anchorsOf(read(file!))]).toEqual([alert, expect.arrayContaining([anchor])]);
    }
  });
});

/** Returns the anchors that GitHub creates for headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}
