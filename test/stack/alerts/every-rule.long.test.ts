import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ALERTS } from './timeline';

describe('the rules of alerts.yaml', () => {
  it('a test lets every rule fire', () => {
    const files = readdirSync(__dirname).filter((file) => file.endsWith('-alerts.long.test.ts'));
    const tests = files.map((file) => readFileSync(path.join(__dirname, file), 'utf8')).join('\n');
    const fired = new Set([...tests.matchAll(/alertname: '(\w+)'/g)].map(([, name]) => name));
    expect([...fired].sort()).toEqual(ALERTS.map(({ alert }) => alert).sort());
  });
});
