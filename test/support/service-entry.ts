import path from 'node:path';

const SERVICES = path.resolve(__dirname, '../../dist/services');

/**
 * The compiled services, as production runs them. A start takes 1.1 s of CPU; with the TypeScript loader it takes 2.5 s.
 * test/support/global-setup.ts builds the services; outside Jest, `node build.cjs --if-stale` builds them.
 */
export const SERVICE_ENTRY = {
  api: path.join(SERVICES, 'api/main.js'),
  'webhook-queue': path.join(SERVICES, 'webhook-queue/main.js'),
};

/** Arguments of Node for a process that runs a TypeScript file of the tests. */
export const LOAD_TYPESCRIPT = ['--require', path.join(__dirname, 'load-typescript.cjs')];
