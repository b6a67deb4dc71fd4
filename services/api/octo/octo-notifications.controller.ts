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
import { inTransaction, type Trx } from '../../platform/database';
import { InvalidInputError } from '../../platform/errors';
import { isUuid } from '../../platform/text-forms';
import {
  addSubscription,
  changeSubscription,
  changeSubscriptionHeaders,
  checkSubscriptionUrl,
  listSubscriptions,
  removeSubscription,
  type Subscription,
} from '../../webhook-queue/subscriptions';
import { assertScope } from '../credentials/verify-credential';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { readsBody } from '../http/json-body';
import { tolerantQuery } from '../http/query-parameters';
import { quota } from '../http/quota';
import { EVENTS_OF, eventsOf, type OctoSubscription, toOctoSubscription } from './notification.dto';
import {
  type OctoSubscriptionBody,
  type OctoSubscriptionChangeBody,
  readSubscription,
} from './notification.request';
import { beginCatalogReads } from './notify-of-catalog';
import { invalidId, unprocessable } from './octo.errors';
import { octoBody, octoEnvironment } from './octo.router';

const SUBSCRIPTIONS_MAX = 10;

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
  @Middlewares(quota('booking'), octoBody, readsBody(readSubscription))
  async octoCreateSubscription(
    @Request() request: HttpRequest,
    @Body() body: OctoSubscriptionBody,
  ): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    const { tenant, keyId } = apiKeyPrincipalOf(request);
    const { url, types, headers = {} } = this.read(body);
    assertMayRead(request, eventsOf(types!));
    const secretsKey = this.secretsKey();
    return inTransaction(this.context.writes, async (trx) => {
      await lockSubscriptions(trx, tenant.id);
      const present = await listSubscriptions(trx, tenant.id);
      if (present.length >= SUBSCRIPTIONS_MAX)
        throw unprocessable(`A tenant has at most ${SUBSCRIPTIONS_MAX} subscriptions. Delete one first.`);
      assertNewUrl(present, url!);
      const wanted = { tenantId: tenant.id, keyId, url: url!, events: eventsOf(types!), headers };
      const { id, secret } = await addSubscription(trx, secretsKey, wanted);
      await beginCatalogReads(trx, tenant.id, present);
      return toOctoSubscription(await getSubscription(trx, tenant.id, id), secret);
    });
  }

  /**
   * Changes the address, the types or the headers of a subscription. Its secret stays. A subscription that has or gets BOOKING_UPDATE needs
   * the scope `booking:read`.
   * @summary Change a subscription
   * @param id The id of the subscription.
   */
  @Patch('subscriptions/{id}')
  @Middlewares(quota('booking'), octoBody, readsBody(readSubscription))
  async octoChangeSubscription(
    @Request() request: HttpRequest,
    @Path() id: string,
    @Body() body: OctoSubscriptionChangeBody,
  ): Promise<OctoSubscription> {
    setCaching(request, NO_STORE);
    const { tenant, keyId } = apiKeyPrincipalOf(request);
    const { url, types, headers } = this.read(body);
    return inTransaction(this.context.writes, async (trx) => {
      await lockSubscriptions(trx, tenant.id);
      const before = await getSubscription(trx, tenant.id, id);
      const events = types ? eventsOf(types) : before.events;
      assertMayRead(request, [...before.events, ...events]);
      const present = await listSubscriptions(trx, tenant.id);
      const after = { id: before.id, tenantId: tenant.id, keyId, url: url ?? before.url, events };
      if (after.url !== before.url) assertNewUrl(present, after.url);
      await beginCatalogReads(trx, tenant.id, present);
      await changeSubscription(trx, after);
      if (headers)
        await changeSubscriptionHeaders(trx, after, { values: headers, secretsKey: this.secretsKey() });
      // Only the reseller's own server may learn the stored values.
      else if (originOf(after.url) !== originOf(before.url))
        await changeSubscriptionHeaders(trx, after, null);
      return toOctoSubscription(await getSubscription(trx, tenant.id, id));
    });
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
    const { tenant, keyId } = apiKeyPrincipalOf(request);
    return inTransaction(this.context.writes, async (trx) => {
      await lockSubscriptions(trx, tenant.id);
      const removed = await getSubscription(trx, tenant.id, id);
      assertMayRead(request, removed.events);
      await removeSubscription(trx, { id: removed.id, tenantId: tenant.id, keyId });
      return toOctoSubscription(removed);
    });
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
    return toOctoSubscription(await getSubscription(this.context.db, tenant.id, id));
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
    const all = await listSubscriptions(this.context.db, tenant.id);
    return all.map((one) => toOctoSubscription(one));
  }

  private read(body: OctoSubscriptionChangeBody) {
    const sent = readSubscription(body);
    if (sent.url === undefined) return sent;
    const checked = checkSubscriptionUrl(sent.url, this.context.config.webhooks.allowPrivateTargets);
    if ('refused' in checked) throw new InvalidInputError('body', 'url', `is refused: ${checked.refused}`);
    return { ...sent, url: checked.url };
  }

  private secretsKey(): string {
    const { secretsKey } = this.context.secrets;
    if (secretsKey === undefined)
      throw unprocessable(
        'This installation sends no notifications: its operator has not given SECRETS_KEY to the API.',
      );
    return secretsKey;
  }
}

const BOOKING_EVENTS: readonly string[] = EVENTS_OF.BOOKING_UPDATE;

/** @throws InsufficientScopeError if one of the events is about bookings, and the key may not read bookings */
function assertMayRead(request: HttpRequest, events: Subscription['events']): void {
  if (events.some((event) => BOOKING_EVENTS.includes(event)))
    assertScope(apiKeyPrincipalOf(request), 'booking:read');
}

/** @throws OctoRefusalError if the tenant has a subscription with this address */
function assertNewUrl(present: Subscription[], url: string): void {
  const same = present.find((one) => one.url === url);
  if (same) throw unprocessable(`The subscription ${same.id} has this url already. Change or delete it.`);
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Two requests at the same moment must not exceed the limit, and a change must not meet a removal. */
async function lockSubscriptions(trx: Trx, tenantId: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`octo subscriptions ${tenantId}`]);
}

/** @throws OctoRefusalError INVALID_SUBSCRIPTION_ID */
async function getSubscription(
  db: ApiContext['db'] | Trx,
  tenantId: string,
  id: string,
): Promise<Subscription> {
  const [found] = isUuid(id) ? await listSubscriptions(db, tenantId, id) : [];
  if (!found) throw invalidId('subscriptionId', id);
  return found;
}
