import {
  Body,
  Delete,
  Get,
  Middlewares,
  Patch,
  Path,
  Post,
  Request,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { InvalidInputError } from '../../platform/errors';
import { checkSubscriptionUrl, listSubscriptions } from '../../webhook-queue/subscriptions';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { ReadsBody } from '../http/body-schema';
import { tolerantQuery } from '../http/query-parameters';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { writeChecked } from '../http/write-request';
import { getSubscription, resubscribe, subscribe, unsubscribe } from './manage-subscriptions';
import { eventsOf, type OctoSubscription, toOctoSubscription } from './notification.dto';
import {
  type OctoSubscriptionBody,
  type OctoSubscriptionChangeBody,
  readSubscription,
} from './notification.request';
import { unprocessable } from './octo.errors';
import { octoBody, octoEnvironment } from './octo.router';

@Route('octo/notifications')
@Tags('OCTO')
@Security('apiKey', ['catalog:read'])
@Middlewares(octoEnvironment, tolerantQuery)
export class OctoNotificationsController {
  constructor(private readonly context: ApiContext) {}

  /**
   * Subscribes an address to notifications. Each one is a signed `POST` with `type`, `timestamp` and `data`, which has the ids to read:
   * `{"productId"}` of PRODUCT_UPDATE, `{"productId", "optionId", "localDateStart", "localDateEnd"}` of AVAILABILITY_UPDATE, `{"uuid"}` of
   * BOOKING_UPDATE.
   * @summary Subscribe to notifications
   */
  @Post('subscriptions')
  @Middlewares(quota('booking'), octoBody)
  @ReadsBody(readSubscription)
  async octoCreateSubscription(
    @Request() request: HttpRequest,
    @Body() body: OctoSubscriptionBody,
  ): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    const { url, types, headers = {} } = this.read(body);
    const content = { url: url!, events: eventsOf(types!), headers };
    return writeChecked(request, async (trx, principal) => {
      const { subscription, secret } = await subscribe(trx, principal, this.secretsKey, content);
      return toOctoSubscription(subscription, secret);
    });
  }

  /**
   * Changes the address, the types or the headers of a subscription. Its secret stays. A subscription that has or gets BOOKING_UPDATE needs
   * the scope `booking:read`.
   * @summary Change a subscription
   * @param id The id of the subscription.
   */
  @Patch('subscriptions/{id}')
  @Middlewares(quota('booking'), octoBody)
  @ReadsBody(readSubscription)
  async octoChangeSubscription(
    @Request() request: HttpRequest,
    @Path() id: string,
    @Body() body: OctoSubscriptionChangeBody,
  ): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    const { url, types, headers } = this.read(body);
    const change = { id, url, events: types && eventsOf(types), headers };
    return writeChecked(request, async (trx, principal) =>
      toOctoSubscription(await resubscribe(trx, principal, this.secretsKey, change)),
    );
  }

  /**
   * Removes a subscription. Nothing more is sent to its address. A subscription with BOOKING_UPDATE needs the scope `booking:read`.
   * @summary Delete a subscription
   * @param id The id of the subscription.
   */
  @Delete('subscriptions/{id}')
  @Middlewares(quota('booking'))
  async octoDeleteSubscription(
    @Request() request: HttpRequest,
    @Path() id: string,
  ): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    return writeChecked(request, async (trx, principal) =>
      toOctoSubscription(await unsubscribe(trx, principal, id)),
    );
  }

  /**
   * Returns a subscription, without its secret and the values of its headers.
   * @summary Read a subscription
   * @param id The id of the subscription.
   */
  @Get('subscriptions/{id}')
  @Middlewares(quota('catalog'))
  async octoReadSubscription(@Request() request: HttpRequest, @Path() id: string): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    const { tenant } = apiKeyPrincipalOf(request);
    return toOctoSubscription(await shareOf(request).run(({ db }) => getSubscription(db, tenant.id, id)));
  }

  /**
   * Lists the subscriptions of the tenant, the oldest first.
   * @summary List the subscriptions
   */
  @Get('subscriptions')
  @Middlewares(quota('catalog'))
  async octoListSubscriptions(@Request() request: HttpRequest): Promise<OctoSubscription[]> {
    setCaching(request, NO_STORE);
    const { tenant } = apiKeyPrincipalOf(request);
    const all = await shareOf(request).run(({ db }) => listSubscriptions(db, tenant.id));
    return all.map((one) => toOctoSubscription(one));
  }

  private read(body: OctoSubscriptionChangeBody) {
    const sent = readSubscription(body);
    if (sent.url === undefined) return sent;
    const checked = checkSubscriptionUrl(sent.url, this.context.config.webhooks.allowPrivateTargets);
    if ('refused' in checked) throw new InvalidInputError('body', 'url', `is refused: ${checked.refused}`);
    return { ...sent, url: checked.url };
  }

  private readonly secretsKey = (): string => {
    const { secretsKey } = this.context.secrets;
    if (secretsKey === undefined)
      throw unprocessable(
        'This installation sends no notifications: its operator has not given SECRETS_KEY to the API.',
      );
    return secretsKey;
  };
}
