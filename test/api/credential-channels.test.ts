import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';
import { withAnotherSecret } from '../support/forged-token';
import { givenWidgetToken } from '../widget/given-widget';

const SERVER = '/api/tenant/catalog';
const ROUTES = { server: SERVER, list: '/api/widget/tours', page: '/embed/tours' };
const CHANNELS = ['Authorization', 'api_key', 'token', 'x-svc-widget-token', 'pass'] as const;
type Channel = (typeof CHANNELS)[number];

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let widget: { id: string; token: string };
beforeAll(async () => {
  widget = await givenWidgetToken(api.db, reader.tenant);
});
// Resets the count of failed attempts, because all tests use one address.
beforeEach(() => {
  api.context.quotas = createMemoryQuotaStore();
});

const send = (path: string, channels: Channel[], credential: string) => {
  const request = api.http.get(path);
  for (const channel of channels) {
    if (channel === 'Authorization') void request.set({ authorization: `Bearer ${credential}` });
    else if (channel === 'x-svc-widget-token') void request.set(channel, credential);
    else void request.query({ [channel]: credential });
  }
  return request;
};

/** Lists the outcome for a credential in each channel: served, or the code of the refusal. */
async function outcomes(path: string, credential: string): Promise<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const channel of CHANNELS) {
    const { status, body } = await send(path, [channel], credential);
    entries.push([channel, status === 200 ? 'served' : `${status} ${body.code}`]);
  }
  return Object.fromEntries(entries);
}

const WRONG = '401 wrong_credential_type';
const allOf = (outcome: string) => Object.fromEntries(CHANNELS.map((channel) => [channel, outcome]));

describe.each(['server', 'list', 'page'] as const)('the channels of a credential on a %s route', (kind) => {
  const path = ROUTES[kind];
  const isServer = kind === 'server';
  const own: readonly Channel[] = isServer ? ['Authorization', 'api_key'] : ['token', 'x-svc-widget-token'];
  const unproven = isServer ? 'invalid_api_key' : 'invalid_widget_token';
  const served = Object.fromEntries(own.map((channel) => [channel, 'served']));
  /** On a widget route the parameter `pass` accepts only a pass. */
  const inPass = isServer ? WRONG : `401 ${unproven}`;

  it('an API key is accepted only on server routes, and only in the channels of an API key', async () => {
    const expected = { ...allOf(WRONG), pass: inPass, ...(isServer && served) };
    expect(await outcomes(path, reader.key)).toEqual(expected);
  });

  it('a widget token is accepted only on widget routes, and only in the channels of a widget token', async () => {
    const expected = { ...allOf(WRONG), pass: inPass, ...(!isServer && served) };
    expect(await outcomes(path, widget.token)).toEqual(expected);
  });

  it('an embed pass is accepted only on widget routes, and only in the parameter `pass`', async () => {
    const pass = mintEmbedPass(api.context.secrets.cursorKey, widget.id);
    const expected = { ...allOf(`401 ${unproven}`), ...(!isServer && { pass: 'served' }) };
    expect(await outcomes(path, pass)).toEqual(expected);
  });

  it('a caller without a valid secret gets the same answer in every channel', async () => {
    for (const channel of CHANNELS) {
      for (const token of [withAnotherSecret(reader.key), withAnotherSecret(widget.token)]) {
        expectProblem(await send(path, [channel], token), 401, unproven);
      }
    }
  });

  it('the API accepts the same credential in two channels if one of them is allowed for it', async () => {
    const credential = isServer ? reader.key : widget.token;
    // A server route has no parameter `token`.
    const strange: readonly Channel[] = isServer ? ['pass', 'token'] : ['pass'];
    for (const channel of CHANNELS.filter((one) => !strange.includes(one))) {
      expect((await send(path, [channel, own[1]!], credential)).status).toBe(200);
    }
    const others = CHANNELS.filter((one) => one !== 'pass' && !own.includes(one));
    expectProblem(await send(path, others, credential), 401, 'wrong_credential_type');
  });
});

it('a refusal of a credential in the wrong channel names the channels of the call', async () => {
  const server = await send(SERVER, ['x-svc-widget-token'], reader.key);
  expect(server.body.detail).toBe('This call takes an API key, in Authorization: Bearer or in api_key.');
  const list = await send(ROUTES.list, ['api_key'], widget.token);
  expect(list.body.detail).toBe('This call takes a widget token, in token or in x-svc-widget-token.');
});
