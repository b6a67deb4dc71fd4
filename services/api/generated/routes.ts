/* eslint-disable */
// Written by `npm run generate` from controller-route.hbs. Do not change this file.
import type { Express } from 'express';
import { registerRoute } from '../http/controller-route';
import { CatalogController } from './../rest/catalog.controller';
import { DeparturesController } from './../rest/departures.controller';
import { AvailabilityController } from './../rest/availability.controller';
import { HoldsController } from './../rest/holds.controller';
import { BookingsController } from './../rest/bookings.controller';
import { BookingChangesController } from './../rest/booking-changes.controller';
import { WidgetToursController } from './../widget/widget-tours.controller';
import { OctoCatalogController } from './../octo/octo-catalog.controller';
import { OctoAvailabilityController } from './../octo/octo-availability.controller';
import { OctoReservationsController } from './../octo/octo-reservations.controller';
import { OctoBookingChangesController } from './../octo/octo-booking-changes.controller';
import { OctoBookingsController } from './../octo/octo-bookings.controller';
import { OctoNotificationsController } from './../octo/octo-notifications.controller';

export function RegisterRoutes(app: Express): void {
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/catalog',
    controller: CatalogController,
    action: 'listTours',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['query', 'limit'], ['query', 'continent'], ['query', 'country'], ['query', 'tag'], ['query', 'q'], ['query', 'departs_from'], ['query', 'departs_to'], ['query', 'duration_min'], ['query', 'duration_max'], ['query', 'updated_since'], ['query', 'sort'], ['query', 'cursor'], ['query', 'lang'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/catalog/filters',
    controller: CatalogController,
    action: 'listFilters',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/tours/:id_or_slug',
    controller: CatalogController,
    action: 'readTour',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id_or_slug'], ['query', 'lang'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/tours/:id_or_slug/departures',
    controller: DeparturesController,
    action: 'listDepartures',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id_or_slug'], ['query', 'from'], ['query', 'to'], ['query', 'status'], ['query', 'limit'], ['query', 'cursor'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/gateway/tours/:id_or_slug/availability',
    controller: AvailabilityController,
    action: 'checkAvailability',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id_or_slug'], ['query', 'departure_date'], ['query', 'departure_time'], ['query', 'quantity'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/api/gateway/tours/:id_or_slug/hold',
    controller: HoldsController,
    action: 'placeHold',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'id_or_slug'], ['body', 'body'], ],
    status: 201,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/gateway/holds',
    controller: HoldsController,
    action: 'listHolds',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['query', 'external_ref'], ['query', 'status'], ['query', 'limit'], ['query', 'cursor'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/gateway/holds/:hold_id',
    controller: HoldsController,
    action: 'readHold',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'hold_id'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/api/gateway/holds/:hold_id/extend',
    controller: HoldsController,
    action: 'extendHold',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'hold_id'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'patch',
    path: '/api/gateway/holds/:hold_id',
    controller: HoldsController,
    action: 'changeHold',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'hold_id'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'delete',
    path: '/api/gateway/holds/:hold_id',
    controller: HoldsController,
    action: 'releaseHold',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'hold_id'], ],
    status: 204,
  });
  registerRoute(app, {
    method: 'post',
    path: '/api/tenant/bookings',
    controller: BookingsController,
    action: 'createBooking',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['body', 'body'], ],
    status: 201,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/bookings',
    controller: BookingsController,
    action: 'listBookings',
    security: [{"apiKey":["booking:read"]}],
    parameters: [['request', 'request'], ['query', 'external_ref'], ['query', 'status'], ['query', 'from'], ['query', 'to'], ['query', 'departure_from'], ['query', 'departure_to'], ['query', 'updated_since'], ['query', 'limit'], ['query', 'cursor'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/bookings/:booking_ref',
    controller: BookingsController,
    action: 'readBooking',
    security: [{"apiKey":["booking:read"]}],
    parameters: [['request', 'request'], ['path', 'booking_ref'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/tenant/bookings/:booking_ref/cancellation',
    controller: BookingsController,
    action: 'quoteCancellation',
    security: [{"apiKey":["booking:read"]}],
    parameters: [['request', 'request'], ['path', 'booking_ref'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/api/tenant/bookings/:booking_ref/confirm',
    controller: BookingChangesController,
    action: 'confirmBooking',
    security: [{"apiKey":["booking:manage"]}],
    parameters: [['request', 'request'], ['path', 'booking_ref'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/api/tenant/bookings/:booking_ref/cancel',
    controller: BookingChangesController,
    action: 'cancelBooking',
    security: [{"apiKey":["booking:manage"]}],
    parameters: [['request', 'request'], ['path', 'booking_ref'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'patch',
    path: '/api/tenant/bookings/:booking_ref',
    controller: BookingChangesController,
    action: 'changeBooking',
    security: [{"apiKey":["booking:manage"]}],
    parameters: [['request', 'request'], ['path', 'booking_ref'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/api/widget/tours',
    controller: WidgetToursController,
    action: 'listTours',
    security: [{"widgetToken":[]}],
    parameters: [['request', 'request'], ['query', 'limit'], ['query', 'continent'], ['query', 'q'], ['query', 'cursor'], ['query', 'lang'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/supplier',
    controller: OctoCatalogController,
    action: 'octoReadSupplier',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/capabilities',
    controller: OctoCatalogController,
    action: 'octoListCapabilities',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/products',
    controller: OctoCatalogController,
    action: 'octoListProducts',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['query', 'lang'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/products/:id',
    controller: OctoCatalogController,
    action: 'octoReadProduct',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id'], ['query', 'lang'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/availability/calendar',
    controller: OctoAvailabilityController,
    action: 'octoReadCalendar',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/availability',
    controller: OctoAvailabilityController,
    action: 'octoCheckAvailability',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/bookings',
    controller: OctoReservationsController,
    action: 'octoReserveBooking',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/bookings/:uuid/extend',
    controller: OctoBookingChangesController,
    action: 'octoExtendBooking',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/bookings/:uuid/confirm',
    controller: OctoBookingChangesController,
    action: 'octoConfirmBooking',
    security: [{"apiKey":["booking:create"]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'patch',
    path: '/octo/bookings/:uuid',
    controller: OctoBookingChangesController,
    action: 'octoUpdateBooking',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/bookings/:uuid/cancel',
    controller: OctoBookingChangesController,
    action: 'octoCancelBooking',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'delete',
    path: '/octo/bookings/:uuid',
    controller: OctoBookingChangesController,
    action: 'octoDeleteBooking',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/bookings/:uuid',
    controller: OctoBookingsController,
    action: 'octoReadBooking',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ['path', 'uuid'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/bookings',
    controller: OctoBookingsController,
    action: 'octoListBookings',
    security: [{"apiKey":[]}],
    parameters: [['request', 'request'], ['query', 'resellerReference'], ['query', 'supplierReference'], ['query', 'localDate'], ['query', 'localDateStart'], ['query', 'localDateEnd'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'post',
    path: '/octo/notifications/subscriptions',
    controller: OctoNotificationsController,
    action: 'octoCreateSubscription',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'patch',
    path: '/octo/notifications/subscriptions/:id',
    controller: OctoNotificationsController,
    action: 'octoChangeSubscription',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id'], ['body', 'body'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'delete',
    path: '/octo/notifications/subscriptions/:id',
    controller: OctoNotificationsController,
    action: 'octoDeleteSubscription',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/notifications/subscriptions/:id',
    controller: OctoNotificationsController,
    action: 'octoReadSubscription',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ['path', 'id'], ],
    status: undefined,
  });
  registerRoute(app, {
    method: 'get',
    path: '/octo/notifications/subscriptions',
    controller: OctoNotificationsController,
    action: 'octoListSubscriptions',
    security: [{"apiKey":["catalog:read"]}],
    parameters: [['request', 'request'], ],
    status: undefined,
  });
}
