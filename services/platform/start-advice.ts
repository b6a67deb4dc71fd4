/** The section that has the commands for a checkout, systemd, Docker and Kubernetes. */
const PAGE = 'docs/install.md#start-the-services';

/**
 * Says how to start the API. Names no program, because not every installation has npm.
 * @rule how a message tells an operator to start a service: test/docs/start-advice.test.ts
 */
export const START_API = `start the API (${PAGE})`;
/** Says how to start the webhook queue. */
export const START_WEBHOOK_QUEUE = `start the webhook queue (${PAGE})`;
