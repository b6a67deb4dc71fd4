import {
  Body,
  Delete,
  Get,
  Middlewares,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import { refuseWithAlternatives } from '../departures/reserve-seats';
import type { SeatsContext } from '../departures/seats-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { NO_STORE, setCaching } from '../http/caching';
import { dateInput, emailInput, optional, phoneInput, readAll, textInput } from '../http/input';
import { emptyBody, jsonBody } from '../http/json-body';
import type { ProblemDocument } from '../http/problem-document';
import { quota } from '../http/quota';
import { strictQuery } from '../http/query-parameters';
import { answerWrite, type WriteOperation, writeOnce } from '../http/write-request';
import { toMajor } from '../money/currency';
import { byKey } from '../tenants/actor';
import { extendHold } from './extend-hold';
import { getHold } from './find-hold';
import type { ExtendBody, HoldAnswer, HoldBody } from './hold.dto';
import { type HoldRequest, placeHold } from './place-hold';
import { releaseHold } from './release-hold';
import type { SeatHold } from './seat-hold';

const PLACE: WriteOperation = { name: 'hold.place', status: 201, keepHours: 24 };
const EXTEND: WriteOperation = { name: 'hold.extend', status: 200, keepHours: 24 };

@Route('api/gateway')
@Tags('Seats')
@Security('apiKey', ['booking:create'])
export class HoldsController {
  constructor(private readonly context: SeatsContext) {}

  /**
   * Takes seats for a while, at a price that is locked meanwhile.
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
  async placeHold(
    @Request() request: HttpRequest,
    @Path() id_or_slug: string,
    @Body() body: HoldBody,
  ): Promise<HoldAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const { tenant } = principal;
    const wanted = { ...holdRequest(id_or_slug, body, tenant.country), by: byKey(principal) };
    const answer = await answerWrite(
      request,
      PLACE,
      (trx, once) => placeHold(trx, tenant, wanted, once),
      holdAnswer,
      (refused, refusal) => refuseWithAlternatives(this.context.db, { ...wanted, ...refused }, refusal),
    );
    await this.context.availability.drop(answer.tour.id, answer.departure_date);
    return answer;
  }

  /**
   * The hold as it is now; one that is over says how it ended.
   * @summary Read a hold
   */
  @Get('holds/{hold_id}')
  @Response<ProblemDocument>(404, 'hold_not_found')
  @Middlewares(quota('catalog'), strictQuery)
  async readHold(@Request() request: HttpRequest, @Path() hold_id: string): Promise<HoldAnswer> {
    setCaching(request, NO_STORE);
    return holdAnswer(await getHold(this.context.db, apiKeyPrincipalOf(request).tenant.id, hold_id));
  }

  /**
   * Counts the minutes anew from now; never shortens the hold, and never past two hours of life.
   * @summary Extend a hold
   */
  @Post('holds/{hold_id}/extend')
  @Response<ProblemDocument>(404, 'hold_not_found')
  @Response<ProblemDocument>(409, 'hold_expired, hold_state_conflict, departure_busy')
  @Middlewares(quota('hold'), jsonBody, strictQuery)
  async extendHold(
    @Request() request: HttpRequest,
    @Path() hold_id: string,
    @Body() body: ExtendBody,
  ): Promise<HoldAnswer> {
    const principal = apiKeyPrincipalOf(request);
    const extension = { holdId: hold_id, holdMinutes: body.hold_minutes, by: byKey(principal) };
    const answer = await answerWrite(
      request,
      EXTEND,
      (trx, once) => extendHold(trx, principal.tenant, extension, once),
      holdAnswer,
      (refused, refusal) => refuseWithAlternatives(this.context.db, { holdId: hold_id, ...refused }, refusal),
    );
    await this.context.availability.drop(answer.tour.id, answer.departure_date);
    return answer;
  }

  /**
   * Gives the seats back. Releasing twice is no error.
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
    const hold = await writeOnce(request, (trx) =>
      releaseHold(trx, principal.tenant.id, { holdId: hold_id, by: byKey(principal) }),
    );
    await this.context.availability.drop(hold.tour.id, hold.departureDate);
  }
}

function holdRequest(tour: string, body: HoldBody, country: string): Omit<HoldRequest, 'by'> {
  const { customer = {} } = body;
  const read = readAll({
    departureDate: () => dateInput('body', 'departure_date', body.departure_date),
    externalRef: () => optional(body.external_ref, (ref) => textInput('external_ref', ref, 128)),
    name: () => optional(customer.name, (name) => textInput('customer.name', name, 200)),
    phone: () => optional(customer.phone, (phone) => phoneInput('customer.phone', phone, country)),
    email: () => optional(customer.email, (email) => emailInput('customer.email', email)),
  });
  const { departureDate, externalRef, name, phone, email } = read;
  const { quantity, hold_minutes: holdMinutes } = body;
  return { tour, departureDate, quantity, holdMinutes, externalRef, customer: { name, phone, email } };
}

function holdAnswer(hold: SeatHold): HoldAnswer {
  const digits = hold.currencyDigits;
  return {
    ok: true,
    hold_id: hold.id,
    status: hold.status,
    tour: hold.tour,
    departure_date: hold.departureDate,
    quantity: hold.quantity,
    hold_minutes: hold.holdMinutes,
    expires_at: hold.expiresAt.toISOString(),
    seats_available: hold.seatsAvailable,
    currency: hold.currency,
    unit_price: toMajor(hold.unitPriceMinor, digits),
    total_price: toMajor(hold.unitPriceMinor * hold.quantity, digits),
    external_ref: hold.externalRef,
    created_at: hold.createdAt.toISOString(),
  };
}
