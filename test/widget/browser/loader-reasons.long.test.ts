import { describeWith } from '../../support/describe-with';
import { eventually } from '../../webhook-queue/queue-fixture';
import { API } from './two-hosts';
import { ALLOWED, OTHER, SHOP, useWidgetSite } from './widget-site';

describeWith('chromium', 'the reason that the console names where a list does not appear', () => {
  const site = useWidgetSite();
  const { script, visit } = site;
  const expectReason = async (reason: string) => {
    const line = await eventually(reason, () =>
      site.complaints.find((text) => text.startsWith('Tour list:')),
    );
    expect(line).toBe(`Tour list: ${reason}`);
  };
  const doctor = (...origins: string[]) =>
    `tourctl widget doctor --token ${site.token} ${origins.map((origin) => `--origin ${origin}`).join(' ')}`;

  it('the console names an origin that is not listed', async () => {
    await visit(script(), OTHER);
    await expectReason(
      `The platform refuses this page: it does not allow https://${OTHER}, or does not know the token. ` +
        `To see the reason: ${doctor(`https://${OTHER}`)}`,
    );
  });

  it.each([
    ['is away', undefined],
    ['has a proxy that answers 502', { status: 502, contentType: 'text/html', body: '<h1>502</h1>' }],
  ])('the console says that a platform which %s does not answer', async (_title, answer) => {
    let isLoaded = false;
    await site.context.route(`${API}/**`, (route) => {
      if (!isLoaded) return ((isLoaded = true), route.continue());
      return answer ? route.fulfill(answer) : route.abort();
    });
    await visit(script());
    await expectReason(`The platform at ${API} does not answer. The list tries again by itself.`);
  });

  it('the console names the directive of the site’s own policy that refuses the frame', async () => {
    await visit(script(), SHOP, { 'content-security-policy': `script-src ${API}; frame-src 'self'` });
    await expectReason(
      `The Content-Security-Policy of this page refuses the frame. Add ${API} to frame-src.`,
    );
  });

  it('the console names each page around the list', async () => {
    site.hosts.publish(SHOP, `<!doctype html><body>${script()}</body>`);
    await visit(`<iframe src="${ALLOWED}/" style="width: 500px; height: 500px"></iframe>`, OTHER);
    await expectReason(
      `The platform allows ${ALLOWED}, but each page around it must be allowed too: https://${OTHER}. ` +
        `To see the reason: ${doctor(ALLOWED, `https://${OTHER}`)}`,
    );
  });

  it('the console names the sandbox of a page with the origin null', async () => {
    await visit(script(), SHOP, { 'content-security-policy': 'sandbox allow-scripts' });
    await expectReason(
      'This page is in a sandbox or a file, so it has the origin null, which is never allowed. ' +
        'Add allow-same-origin to the sandbox, or serve the page over https.',
    );
  });

  it.each([
    ['is incomplete', (token: string) => token.slice(0, -1)],
    ['has one wrong character', (token: string) => token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))],
  ])('the console says that a token %s', async (_title, spoil) => {
    await visit(script().replace(site.token, spoil(site.token)));
    await expectReason('data-token is mistyped or incomplete. Paste it again as it was issued.');
  });

  it('the console says that the policy of the site hides the reason', async () => {
    await visit(script(), OTHER, { 'content-security-policy': `script-src ${API}; connect-src 'self'` });
    await expectReason(
      `The Content-Security-Policy of this page lacks ${API} in connect-src, so the reason is unknown. ` +
        `To see the reason: ${doctor(`https://${OTHER}`)}`,
    );
  });
});
