/*
 * Runs the long form of a suite, or a program for people: `npm run lab -- NAME`. Without a name, lists the names.
 * `npm run test:long` runs the short form of each suite. A variable of the shell, such as KILLS, takes precedence over the value below.
 */
import { spawnSync } from 'node:child_process';
import { serverPrograms } from './chaos/failover/server-programs';
import { installMissing, type SystemPackage } from './support/apt-packages';
import { isInstalled } from './support/describe-with';

interface Suite {
  about: string;
  /** Patterns of the test files. */
  tests: string[];
  env: Record<string, string>;
  /** Programs outside npm. Without them the suite would be skipped. */
  packages?: SystemPackage[];
}

interface Program {
  about: string;
  /** The script of tsx and its first arguments. */
  script: string[];
}

const LABS: Record<string, Suite | Program> = {
  bookings: {
    about: 'kills the API while clients book (15 minutes)',
    tests: ['booking-kills'],
    env: { KILLS: '500', KILL_SECONDS: '900' },
  },
  chaos: {
    about: 'makes faults while clients sell, and kills the API at every statement of its writes (5 minutes)',
    tests: ['mixed-chaos', 'fault-points'],
    env: { KILLS: '50', FAULT_POINTS: 'all' },
  },
  conformance: {
    about: "starts an API for OCTO's validator, until Ctrl-C (port 3000, or the one given)",
    script: ['test/octo/conformance.ts'],
  },
  containers: {
    about: 'builds the images, runs both compose setups on a Docker engine of its own, and fails over (root)',
    tests: ['test/containers/'],
    env: { CONTAINERS: 'required', FAILOVERS: '3' },
  },
  'dead-store': {
    about: 'sells while the shared store hangs, refuses, is slow and sends invalid answers',
    tests: ['dead-store'],
    env: { STORE_SECONDS: '10' },
  },
  failover: {
    about: 'kills, freezes and cuts off the primary, its standby and etcd while clients sell (10 minutes)',
    tests: ['chaos/failover'],
    env: { FAILOVER_EVENTS: 'killed,frozen,isolated,switchover,standby,stuck,etcd,cut' },
    packages: [
      { name: 'patroni', installed: () => isInstalled('patroni') },
      { name: 'python3-etcd', installed: () => isInstalled('patroni') },
      { name: 'etcd-server', installed: () => isInstalled('etcd') },
      { name: 'haproxy', installed: () => isInstalled('haproxy') },
      { name: 'pgbouncer', installed: () => isInstalled('pgbouncer') },
      { name: 'postgresql', installed: () => serverPrograms() !== undefined },
    ],
  },
  fuzz: {
    about: 'sends 50,000 random requests and checks each answer (5 minutes)',
    tests: ['fuzz/'],
    env: { REQUESTS: '50000' },
  },
  lighthouse: {
    about: "prints Lighthouse's scores of the pages, the best of three runs (5 minutes)",
    script: ['test/pages/lighthouse-figures.ts'],
  },
  'lost-commits': {
    about: 'ends 1,000 connections at COMMIT',
    tests: ['lost-commits'],
    env: { CUTS: '1000' },
  },
  model: {
    about: 'compares 1,000 random runs with a model',
    tests: ['test/model/'],
    env: { MODEL_RUNS: '1000' },
  },
  money: {
    about: 'compares every amount of 500 random tenants with a model (15 minutes)',
    tests: ['test/money/'],
    env: { MONEY_RUNS: '500' },
  },
  'octo-truth': {
    about: 'compares every answer of OCTO about 200 random tours with a model (5 minutes)',
    tests: ['octo/truth/'],
    env: { OCTO_TRUTH_RUNS: '200' },
  },
  pictures: {
    about: 'renews the pictures of docs/images',
    script: ['test/pages/pictures.ts'],
  },
  plans: {
    about: 'reads plans of lists with 2,000,000 departures and 1,000,000 bookings (15 minutes)',
    tests: ['many-sales'],
    env: { TOURS: '100000', BOOKINGS: '1000000' },
  },
  'proxy-cost': {
    about: 'prints the CPU time that the proxy of a site adds to a call',
    tests: ['proxy-cost'],
    env: { PROXY_CALLS: '400', PROXY_ROUNDS: '5' },
  },
  'rolling-restart': {
    about: 'restarts two instances behind nginx ten times each while clients sell',
    tests: ['rolling-restart'],
    env: { ROUNDS: '10', CLIENTS: '16' },
  },
  rules: {
    about: 'lists the rules of the product with function and test, or those that contain the given words',
    script: ['test/docs/print-rules.ts'],
  },
  sbom: {
    about: 'writes the bill of materials of the production packages to sbom.cdx.json',
    script: ['test/supply-chain/bill-of-materials.ts'],
  },
  schema: {
    about: 'prints the tables, functions and triggers of the database',
    script: ['test/docs/print-schema.ts'],
  },
  servers: {
    about:
      'migrates, updates, sells, backs up and restores on PostgreSQL 15 to 18, as far as apt and npm have them (5 minutes)',
    tests: ['test/servers/'],
    env: { SERVERS: 'all' },
    packages: [{ name: 'postgresql', installed: () => serverPrograms() !== undefined }],
  },
  soak: {
    about: 'runs a steady load for 30 minutes and checks that memory and latency stay flat',
    script: ['test/bench/main.ts', 'soak'],
  },
  stack: {
    about:
      'runs the processes of docker/compose.yaml without containers, until Ctrl-C (port 8080, or the one given)',
    script: ['test/stack/main.ts'],
  },
  visitors: {
    about: '1,000 visitors of a site with the proxy want 100 seats, and some vanish with a hold (2 minutes)',
    tests: ['proxy-visitors'],
    env: { VISITORS: '1000', SEATS: '100' },
  },
  webhooks: {
    about: 'kills the queue and its database while it delivers 10,000 webhooks',
    tests: ['webhook-kills'],
    env: { DELIVERIES: '10000', KILLS: '50', RESTARTS: '10' },
  },
};

function main([name = '', ...args]: string[]): number {
  const lab = LABS[name];
  if (!lab) {
    const lines = Object.entries(LABS).map(([title, { about }]) => `  ${title.padEnd(17)}${about}`);
    process.stdout.write(`npm run lab -- NAME\n\n${lines.join('\n')}\n`);
    return name === '' ? 0 : 1;
  }
  const problem = 'packages' in lab && lab.packages ? installMissing(lab.packages) : undefined;
  if (problem) {
    process.stderr.write(`${problem}\n`);
    return 1;
  }
  const [program, env] =
    'tests' in lab
      ? [['node_modules/jest/bin/jest.js', '-c', 'jest.long.config.cjs', ...lab.tests], lab.env]
      : [['--import', 'tsx', ...lab.script], {}];
  const child = spawnSync(process.execPath, [...program, ...args], {
    stdio: 'inherit',
    env: { ...env, ...process.env },
  });
  return child.status ?? 1;
}

process.exitCode = main(process.argv.slice(2));
