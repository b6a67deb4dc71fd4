import {
  Body,
  Delete,
  Get,
  Middlewares,
  Patch,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { traceparentOf } from '../../platform/traces';
import { cachedTourId, cachedVisibleTour } from '../catalog/cached-catalog';
import type { SalesContext } from '../sales-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { referenceForm } from '../../platform/forms/texts';
import { queryInput } from '../http/input';
import { ReadsBody } from '../http/body-schema';
import { emptyBody, jsonBody } from '../http/json-body';
import { pageAnswer, pageStart } from '../http/paging';
import type { ProblemDocument } from '../http/problems';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { strictQuery } from '../http/query-parameters';
import { isPresentReading, type RequestReading } from '../idempotency/fingerprint';
import { performRequest } from '../http/perform-request';
import type { Write, WriteOperation } from '../http/write-request';
import { toMajor } from '../pricing/currency';
import { namedNumbers } from '../parties/party';
import { requestedNumber } from '../parties/requested-party';
import { firstPrice, pricesAnswer, totalOf } from '../pricing/price-categories';
import { changeHold } from '../seats/changes/change-hold';
import { extendHold } from '../seats/changes/extend-hold';
import { placeHold } from '../seats/changes/place-hold';
import { releaseHold } from '../seats/changes/release-hold';
import { perform } from '../seats/perform';
import { byKey } from '../tenants/actor';
import { assertHoldMinutes } from '../holds/hold-length';
import { comparedHold, comparedHoldChange, holdAmendment, holdRequest } from './hold.request';
import { getHold, pageOfHolds } from '../holds/find-hold';
import type { ExtendBody, HoldAnswer, HoldBody, HoldDetail, HoldItem, HoldPage, HoldPatch } from './hold.dto';
import type { SeatHold, ChangedHold } from '../holds/seat-hold';
import { customerAnswer } from '../customers/customer';

const PLACE: WriteOperation = { name: 'hold.place', status: 201, keepHours: 24 };
const EXTEND: WriteOperation = { name: 'hold.extend', status: 200, keepHours: 24 };
const CHANGE: WriteOperation = { name: 'hold.change', status: 200, keepHours: 24 };

@Route('api/gateway')
@Tags('Seats')
@Security('apiKey', ['booking:create'])
export class HoldsController {
  constructor(private readonly context: SalesContext) {}

  /**
   * Holds seats for some minutes at a locked price.
   * @summary Hold seats
   * @param id_or_slug UUID or slug of the tour.
   */
  @Post('tours/{id_or_slug}/hold')
  @SuccessResponse(201, 'Created')
  @Response<ProblemDocument>(404, 'tour_not_found')
  @Response<ProblemDocument>(
    409,
    'departure_gone, departure_cancelled, insufficient_seats, hold_limit_reached, departure_busy',
  )
  @Middlewares(quota('hold'), jsonBody, strictQuery)
  @ReadsBody(holdRequest)
  async placeHold(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Body() body: HoldBody,
  ): Promise<HoldAnswer> {
    const { context } = this;
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const read = holdRequest(body, tenant);
    const wanted = { ...read, by: byKey(principal) };
    return performRequest<SeatHold, HoldAnswer>(context, request, {
      operation: {
        ...PLACE,
        subject: async () => ({ tour: await cachedTourId(context, tenant, id_or_slug) }),
        validated: (reading) =>
          comparedHold(isPresentReading(reading, tenant) ? read : holdRequest(body, reading)),
      },
      prepare: async (seller) => {
        assertHoldMinutes(tenant, wanted.holdMinutes);
        const tour = await cachedVisibleTour(context, tenant, id_or_slug);
        const { departureDate, departureTime } = wanted;
        const departure = await context.departureIds.find(tour, departureDate, departureTime);
        return placeHold(seller, tour, departure, wanted);
      },
      toAnswer: holdAnswer,
      withoutPeople: sameAnswer,
      named: () => ({ ...wanted, people: [wanted.customer], quantity: requestedNumber(wanted.party) }),
    });
  }

  /**
   * Lists the tenant's holds with their current status, newest first.
   * @summary List holds
   * @param external_ref The website's own reference.
   * @param status Only holds in this state. A hold is expired from its `expires_at` on.
   * @param limit Holds per page.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @param cursor `next_cursor` of the previous page.
   */
  @Get('holds')
  @Middlewares(quota('catalog'), strictQuery)
  async listHolds(
    @Request() request: HttpRequest,
    @Query() external_ref?: string,
    @Query() status?: 'active' | 'released' | 'expired' | 'converted',
    @Query() limit: number = 24,
    @Query() cursor?: string,
  ): Promise<HoldPage> {
    setCaching(request, NO_STORE);
    const filters = { externalRef: queryInput('external_ref', external_ref, referenceForm), status };
    const after = pageStart<string>(request, cursor, filters);
    const tenantId = apiKeyPrincipalOf(request).tenant.id;
    const page = { ...filters, after, limit };
    const { items, lastId } = await shareOf(request).run(({ db }) => pageOfHolds(db, tenantId, page));
    return pageAnswer(request, items.map(holdItem), lastId, filters);
  }

  /**
   * Returns the hold with its current status, also after it ended.
   * @summary Read a hold
   */
  @Get('holds/{hold_id}')
  @Response<ProblemDocument>(404, 'hold_not_found')
  @Middlewares(quota('catalog'), strictQuery)
  async readHold(@Request() request: HttpRequest, @Path() hold_id: string): Promise<HoldDetail> {
    setCaching(request, NO_STORE);
    const { tenant } = apiKeyPrincipalOf(request);
    return holdDetail(await shareOf(request).run(({ db }) => getHold(db, tenant.id, hold_id)));
  }

  /**
   * Extends the hold to `hold_minutes` from now. Never shortens it. A hold ends when its departure closes, and two hours after it
   * was placed, at the latest: an extension that can gain nothing answers the hold as it is. Refuses a hold that could not be booked now, because its departure is cancelled, closed or past, or you do not see the tour any more.
   * @summary Extend a hold
   */
  @Post('holds/{hold_id}/extend')
  @Response<ProblemDocument>(404, 'hold_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'hold_expired, hold_state_conflict, departure_gone, departure_cancelled, departure_busy',
  )
  @Middlewares(quota('hold'), jsonBody, strictQuery)
  async extendHold(
    @Request() request: HttpRequest,
    @Path() hold_id: string,
    @Body() body: ExtendBody,
  ): Promise<HoldAnswer> {
    const extension = {
      holdId: hold_id,
      holdMinutes: body.hold_minutes,
      by: byKey(apiKeyPrincipalOf(request)),
    };
    return performRequest(this.context, request, {
      operation: { ...EXTEND, ...subjectOf(hold_id), validated: () => body },
      prepare: (seller) => extendHold(this.context.db, seller, extension),
      toAnswer: changedHoldAnswer,
      withoutPeople: sameAnswer,
      named: () => ({ holdId: hold_id }),
    });
  }

  /**
   * Changes an active hold: its date or time, its party, its reference or its customer. On the same departure its prices stay locked. On
   * another departure the present prices are locked, in the same currency. The end of the hold stays the same, but a hold that moves or takes
   * more units ends no later than its departure closes.
   * @summary Change a hold
   */
  @Patch('holds/{hold_id}')
  @Response<ProblemDocument>(404, 'hold_not_found, tour_not_found')
  @Response<ProblemDocument>(
    409,
    'hold_expired, hold_state_conflict, booking_state_conflict, departure_gone, departure_cancelled, insufficient_seats, hold_limit_reached, departure_busy',
  )
  @Middlewares(quota('hold'), jsonBody, strictQuery)
  @ReadsBody(holdAmendment)
  async changeHold(
    @Request() request: HttpRequest,
    @Path() hold_id: string,
    @Body() body: HoldPatch,
  ): Promise<HoldAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const amendment = { holdId: hold_id, by: byKey(principal), ...holdAmendment(body, principal.tenant) };
    const validated = (reading: RequestReading) => comparedHoldChange(body, reading);
    return performRequest(this.context, request, {
      operation: { ...CHANGE, ...subjectOf(hold_id), validated },
      prepare: (seller) => changeHold(this.context.db, seller, amendment),
      toAnswer: changedHoldAnswer,
      withoutPeople: sameAnswer,
      named: () => ({ holdId: hold_id }),
    });
  }

  /**
   * Releases the hold; its seats become free. A hold that is released or expired already is not an error; one that became a booking
   * is.
   * @summary Release a hold
   */
  @Delete('holds/{hold_id}')
  @SuccessResponse(204, 'No content')
  @Response<ProblemDocument>(404, 'hold_not_found')
  @Response<ProblemDocument>(409, 'hold_state_conflict, departure_busy')
  @Middlewares(quota('hold'), emptyBody, strictQuery)
  async releaseHold(@Request() request: HttpRequest, @Path() hold_id: string): Promise<void> {
    setCaching(request, NO_STORE);
    const principal = apiKeyPrincipalOf(request);
    const seller = { tenant: principal.tenant, principal, claim: null, traceparent: traceparentOf(request) };
    await perform(this.context, () =>
      releaseHold(this.context.db, seller, { holdId: hold_id, by: byKey(principal) }),
    );
  }
}

/** The answer of a hold has no people. */
function sameAnswer(answer: HoldAnswer): HoldAnswer {
  return answer;
}

function subjectOf(holdId: string): Pick<Write, 'subject'> {
  return { subject: () => ({ hold: holdId.toLowerCase() }) };
}

function changedHoldAnswer({ after }: ChangedHold): HoldAnswer {
  return holdAnswer(after);
}

function holdAnswer(hold: SeatHold): HoldAnswer {
  return { ok: true, ...holdItem(hold) };
}

function holdDetail(hold: SeatHold): HoldDetail {
  const { customer } = hold;
  return { ...holdAnswer(hold), customer: customer.phoneAsSent ? customerAnswer(customer) : undefined };
}

function holdItem(hold: SeatHold): HoldItem {
  const digits = hold.currencyDigits;
  const { party, prices, categories } = hold;
  const { adults, children } = namedNumbers(party);
  return {
    hold_id: hold.id,
    status: hold.status,
    tour: hold.tour,
    departure_date: hold.departureDate,
    departure_time: hold.departureTime,
    quantity: hold.seats,
    adults,
    children,
    party,
    hold_minutes: hold.holdMinutes,
    expires_at: hold.expiresAt.toISOString(),
    seats_available: hold.seatsAvailable,
    currency: hold.currency,
    unit_price: toMajor(firstPrice(prices, categories), digits),
    total_price: toMajor(totalOf(party, prices), digits),
    prices: pricesAnswer(prices, categories, digits),
    external_ref: hold.externalRef,
    created_at: hold.createdAt.toISOString(),
  };
}
