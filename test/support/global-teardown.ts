import { stopServer } from './global-setup';

/** Setup and teardown run in one process and share its modules, so the server is still known there. */
export default async function globalTeardown(): Promise<void> {
  await stopServer();
}
