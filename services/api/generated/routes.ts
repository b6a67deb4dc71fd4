/* tslint:disable */
/* eslint-disable */
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import type { TsoaRoute } from '@tsoa/runtime';
import {  fetchMiddlewares, ExpressTemplateService } from '@tsoa/runtime';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { CatalogController } from './../rest/catalog.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { DeparturesController } from './../rest/departures.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { AvailabilityController } from './../rest/availability.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { HoldsController } from './../rest/holds.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { BookingsController } from './../rest/bookings.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { BookingChangesController } from './../rest/booking-changes.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { WidgetToursController } from './../widget/widget-tours.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoCatalogController } from './../octo/octo-catalog.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoAvailabilityController } from './../octo/octo-availability.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoReservationsController } from './../octo/octo-reservations.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoBookingChangesController } from './../octo/octo-booking-changes.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoBookingsController } from './../octo/octo-bookings.controller';
// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
import { OctoNotificationsController } from './../octo/octo-notifications.controller';
import { expressAuthentication } from './../http/authentication';
// @ts-ignore - no great way to install types from subpackage
import { iocContainer } from './../http/api-context';
import type { IocContainer, IocContainerFactory } from '@tsoa/runtime';
import type { Request as ExRequest, Response as ExResponse, RequestHandler, Router } from 'express';

const expressAuthenticationRecasted = expressAuthentication as (req: ExRequest, securityName: string, scopes?: string[], res?: ExResponse) => Promise<any>;


// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

const models: TsoaRoute.Models = {
    "ProblemFault": {
        "dataType": "refObject",
        "properties": {
            "in": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["body"]},{"dataType":"enum","enums":["query"]},{"dataType":"enum","enums":["path"]},{"dataType":"enum","enums":["header"]}],"required":true},
            "field": {"dataType":"string","required":true},
            "message": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ProblemAlternative": {
        "dataType": "refObject",
        "properties": {
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "seats_available": {"dataType":"integer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ProblemDocument": {
        "dataType": "refObject",
        "properties": {
            "type": {"dataType":"string","required":true},
            "title": {"dataType":"string","required":true},
            "status": {"dataType":"integer","required":true},
            "detail": {"dataType":"string","required":true},
            "instance": {"dataType":"string","required":true},
            "ok": {"dataType":"enum","enums":[false],"required":true},
            "code": {"dataType":"string","required":true},
            "request_id": {"dataType":"string","required":true},
            "retryable": {"dataType":"boolean","required":true},
            "errors": {"dataType":"array","array":{"dataType":"refObject","ref":"ProblemFault"}},
            "alternatives": {"dataType":"array","array":{"dataType":"refObject","ref":"ProblemAlternative"}},
            "seats_available": {"dataType":"integer"},
            "total_price": {"dataType":"double"},
            "refund_percent": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}]},
            "refund_amount": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}]},
            "currency": {"dataType":"string"},
            "hold_status": {"dataType":"string"},
            "booking_status": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CatalogItem": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
            "lang": {"dataType":"string"},
            "name": {"dataType":"string","required":true},
            "summary": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "continent": {"dataType":"string","required":true},
            "country": {"dataType":"string","required":true},
            "duration_days": {"dataType":"integer","required":true},
            "image_url": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "tags": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "currency": {"dataType":"string","required":true},
            "price_from": {"dataType":"double","required":true},
            "next_departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "updated_at": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "RemovedItem": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
            "removed": {"dataType":"enum","enums":[true],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CatalogPage": {
        "dataType": "refObject",
        "properties": {
            "items": {"dataType":"array","array":{"dataType":"union","subSchemas":[{"ref":"CatalogItem"},{"ref":"RemovedItem"}]},"required":true},
            "next_cursor": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "as_of": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CountedValueAnswer": {
        "dataType": "refObject",
        "properties": {
            "value": {"dataType":"string","required":true},
            "tours": {"dataType":"integer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "DurationRangeAnswer": {
        "dataType": "refObject",
        "properties": {
            "min": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
            "max": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "DateRangeAnswer": {
        "dataType": "refObject",
        "properties": {
            "from": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "to": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CatalogFiltersAnswer": {
        "dataType": "refObject",
        "properties": {
            "continents": {"dataType":"array","array":{"dataType":"refObject","ref":"CountedValueAnswer"},"required":true},
            "countries": {"dataType":"array","array":{"dataType":"refObject","ref":"CountedValueAnswer"},"required":true},
            "tags": {"dataType":"array","array":{"dataType":"refObject","ref":"CountedValueAnswer"},"required":true},
            "duration_days": {"ref":"DurationRangeAnswer","required":true},
            "departures": {"ref":"DateRangeAnswer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ItineraryDayAnswer": {
        "dataType": "refObject",
        "properties": {
            "day": {"dataType":"integer","required":true},
            "title": {"dataType":"string","required":true},
            "description": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TourImageAnswer": {
        "dataType": "refObject",
        "properties": {
            "url": {"dataType":"string","required":true},
            "alt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TourLocationAnswer": {
        "dataType": "refObject",
        "properties": {
            "name": {"dataType":"string","required":true},
            "lat": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "lng": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancellationTier": {
        "dataType": "refObject",
        "properties": {
            "until": {"dataType":"string","required":true},
            "refund_percent": {"dataType":"integer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancellationPolicy": {
        "dataType": "refObject",
        "properties": {
            "tiers": {"dataType":"array","array":{"dataType":"refObject","ref":"CancellationTier"},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CategoryKind": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["adult"]},{"dataType":"enum","enums":["youth"]},{"dataType":"enum","enums":["child"]},{"dataType":"enum","enums":["infant"]},{"dataType":"enum","enums":["senior"]},{"dataType":"enum","enums":["student"]},{"dataType":"enum","enums":["family"]},{"dataType":"enum","enums":["military"]},{"dataType":"enum","enums":["group"]},{"dataType":"enum","enums":["supplement"]},{"dataType":"enum","enums":["other"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "Category": {
        "dataType": "refObject",
        "properties": {
            "code": {"dataType":"string","required":true},
            "kind": {"ref":"CategoryKind","required":true},
            "name": {"dataType":"string"},
            "age_from": {"dataType":"integer"},
            "age_to": {"dataType":"integer"},
            "seats": {"dataType":"integer","required":true},
            "people": {"dataType":"integer","required":true},
            "min": {"dataType":"integer"},
            "max": {"dataType":"integer"},
            "with": {"dataType":"array","array":{"dataType":"string"}},
            "at_most": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TenantPricesAnswer": {
        "dataType": "refObject",
        "properties": {
        },
        "additionalProperties": {"dataType":"double"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TourDetail": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
            "lang": {"dataType":"string"},
            "name": {"dataType":"string","required":true},
            "summary": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "continent": {"dataType":"string","required":true},
            "country": {"dataType":"string","required":true},
            "duration_days": {"dataType":"integer","required":true},
            "image_url": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "tags": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "currency": {"dataType":"string","required":true},
            "price_from": {"dataType":"double","required":true},
            "next_departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "updated_at": {"dataType":"string","required":true},
            "description": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "itinerary": {"dataType":"array","array":{"dataType":"refObject","ref":"ItineraryDayAnswer"},"required":true},
            "inclusions": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "exclusions": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "images": {"dataType":"array","array":{"dataType":"refObject","ref":"TourImageAnswer"},"required":true},
            "languages": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "start_location": {"dataType":"union","subSchemas":[{"ref":"TourLocationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "end_location": {"dataType":"union","subSchemas":[{"ref":"TourLocationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "time_zone": {"dataType":"string","required":true},
            "group_size_max": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation_policy": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"CancellationPolicy"},{"dataType":"enum","enums":[null]}],"required":true},
            "booking_cutoff": {"dataType":"string","required":true},
            "start_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "categories": {"dataType":"array","array":{"dataType":"refObject","ref":"Category"},"required":true},
            "tenant_prices": {"ref":"TenantPricesAnswer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "DepartureStatusAnswer": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["available"]},{"dataType":"enum","enums":["sold_out"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["gone"]},{"dataType":"enum","enums":["closed"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "PricesAnswer": {
        "dataType": "refObject",
        "properties": {
        },
        "additionalProperties": {"dataType":"double"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "DepartureItem": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "departure_date": {"dataType":"string","required":true},
            "start_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "return_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "status": {"ref":"DepartureStatusAnswer","required":true},
            "closes_at": {"dataType":"string","required":true},
            "seats_total": {"dataType":"integer","required":true},
            "seats_available": {"dataType":"integer","required":true},
            "currency": {"dataType":"string","required":true},
            "platform_currency": {"dataType":"string"},
            "prices": {"ref":"PricesAnswer","required":true},
            "tenant_prices": {"ref":"TenantPricesAnswer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "DeparturePage": {
        "dataType": "refObject",
        "properties": {
            "items": {"dataType":"array","array":{"dataType":"refObject","ref":"DepartureItem"},"required":true},
            "next_cursor": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TourRef": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "AvailabilityAnswer": {
        "dataType": "refObject",
        "properties": {
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "available": {"dataType":"boolean","required":true},
            "status": {"ref":"DepartureStatusAnswer","required":true},
            "seats_available": {"dataType":"integer","required":true},
            "requested": {"dataType":"integer","required":true},
            "currency": {"dataType":"string","required":true},
            "platform_currency": {"dataType":"string"},
            "prices": {"dataType":"union","subSchemas":[{"ref":"PricesAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "tenant_prices": {"dataType":"union","subSchemas":[{"ref":"TenantPricesAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "as_of": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldAnswer": {
        "dataType": "refObject",
        "properties": {
            "hold_id": {"dataType":"string","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["active"]},{"dataType":"enum","enums":["released"]},{"dataType":"enum","enums":["expired"]},{"dataType":"enum","enums":["converted"]}],"required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "quantity": {"dataType":"integer","required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "hold_minutes": {"dataType":"integer","required":true},
            "expires_at": {"dataType":"string","required":true},
            "seats_available": {"dataType":"integer","required":true},
            "currency": {"dataType":"string","required":true},
            "unit_price": {"dataType":"double","required":true},
            "total_price": {"dataType":"double","required":true},
            "prices": {"ref":"PricesAnswer","required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "created_at": {"dataType":"string","required":true},
            "ok": {"dataType":"enum","enums":[true],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldCustomer": {
        "dataType": "refObject",
        "properties": {
            "name": {"dataType":"string"},
            "phone": {"dataType":"string"},
            "email": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldBody": {
        "dataType": "refObject",
        "properties": {
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"string"},
            "quantity": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"}},
            "adults": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "children": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "hold_minutes": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 60","value":60}}},
            "external_ref": {"dataType":"string"},
            "customer": {"ref":"HoldCustomer"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldItem": {
        "dataType": "refObject",
        "properties": {
            "hold_id": {"dataType":"string","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["active"]},{"dataType":"enum","enums":["released"]},{"dataType":"enum","enums":["expired"]},{"dataType":"enum","enums":["converted"]}],"required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "quantity": {"dataType":"integer","required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "hold_minutes": {"dataType":"integer","required":true},
            "expires_at": {"dataType":"string","required":true},
            "seats_available": {"dataType":"integer","required":true},
            "currency": {"dataType":"string","required":true},
            "unit_price": {"dataType":"double","required":true},
            "total_price": {"dataType":"double","required":true},
            "prices": {"ref":"PricesAnswer","required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "created_at": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldPage": {
        "dataType": "refObject",
        "properties": {
            "items": {"dataType":"array","array":{"dataType":"refObject","ref":"HoldItem"},"required":true},
            "next_cursor": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CustomerAnswer": {
        "dataType": "refObject",
        "properties": {
            "name": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "phone": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "phone_as_sent": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "email": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldDetail": {
        "dataType": "refObject",
        "properties": {
            "hold_id": {"dataType":"string","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["active"]},{"dataType":"enum","enums":["released"]},{"dataType":"enum","enums":["expired"]},{"dataType":"enum","enums":["converted"]}],"required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"string","required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "quantity": {"dataType":"integer","required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "hold_minutes": {"dataType":"integer","required":true},
            "expires_at": {"dataType":"string","required":true},
            "seats_available": {"dataType":"integer","required":true},
            "currency": {"dataType":"string","required":true},
            "unit_price": {"dataType":"double","required":true},
            "total_price": {"dataType":"double","required":true},
            "prices": {"ref":"PricesAnswer","required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "created_at": {"dataType":"string","required":true},
            "ok": {"dataType":"enum","enums":[true],"required":true},
            "customer": {"ref":"CustomerAnswer"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ExtendBody": {
        "dataType": "refObject",
        "properties": {
            "hold_minutes": {"dataType":"integer","required":true,"validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 60","value":60}}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "HoldPatch": {
        "dataType": "refObject",
        "properties": {
            "quantity": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "adults": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "children": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"}},
            "departure_date": {"dataType":"string"},
            "departure_time": {"dataType":"string"},
            "external_ref": {"dataType":"string"},
            "customer": {"ref":"HoldCustomer"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TenantRef": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancellationAnswer": {
        "dataType": "refObject",
        "properties": {
            "refund_percent": {"dataType":"integer","required":true},
            "refund_amount": {"dataType":"double","required":true},
            "next_change_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "RefundAnswer": {
        "dataType": "refObject",
        "properties": {
            "percent": {"dataType":"integer","required":true},
            "amount": {"dataType":"double","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "PriceBreakdownRule": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"integer","required":true},
            "applies_to": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["tour"]},{"dataType":"enum","enums":["continent"]},{"dataType":"enum","enums":["all"]}],"required":true},
            "kind": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["percent"]},{"dataType":"enum","enums":["amount"]},{"dataType":"enum","enums":["price"]}],"required":true},
            "value": {"dataType":"double","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CategoryBreakdown": {
        "dataType": "refObject",
        "properties": {
            "category": {"dataType":"string","required":true},
            "number": {"dataType":"integer","required":true},
            "unit_price": {"dataType":"double","required":true},
            "total": {"dataType":"double","required":true},
            "rule": {"dataType":"union","subSchemas":[{"ref":"PriceBreakdownRule"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "PriceBreakdown": {
        "dataType": "refObject",
        "properties": {
            "platform_unit_price": {"dataType":"double"},
            "converted_from": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "rate": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}]},
            "rate_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "unit_price": {"dataType":"double","required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "single_supplements": {"dataType":"integer","required":true},
            "categories": {"dataType":"array","array":{"dataType":"refObject","ref":"CategoryBreakdown"},"required":true},
            "deposit_percent": {"dataType":"double","required":true},
            "rule": {"dataType":"union","subSchemas":[{"ref":"PriceBreakdownRule"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingAnswer": {
        "dataType": "refObject",
        "properties": {
            "booking_ref": {"dataType":"string","required":true},
            "lead_id": {"dataType":"integer","required":true},
            "tenant": {"ref":"TenantRef","required":true},
            "total_price": {"dataType":"double","required":true},
            "deposit_total": {"dataType":"double","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["pending_payment"]},{"dataType":"enum","enums":["confirmed"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["expired"]}],"required":true},
            "currency": {"dataType":"string","required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "single_supplements": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_method": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["bank"]},{"dataType":"enum","enums":["reserve"]},{"dataType":"enum","enums":["card"]}],"required":true},
            "source": {"dataType":"string","required":true},
            "created_at": {"dataType":"string","required":true},
            "updated_at": {"dataType":"string","required":true},
            "confirmed_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancelled_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancel_reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"CancellationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund": {"dataType":"union","subSchemas":[{"ref":"RefundAnswer"},{"dataType":"enum","enums":[null]}]},
            "payment_due_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["scheduled"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":[null]}],"required":true},
            "price_breakdown": {"ref":"PriceBreakdown","required":true},
            "ok": {"dataType":"enum","enums":[true],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TravellerBody": {
        "dataType": "refObject",
        "properties": {
            "category": {"dataType":"string","required":true},
            "first_name": {"dataType":"string","required":true},
            "last_name": {"dataType":"string","required":true},
            "birth_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingBody": {
        "dataType": "refObject",
        "properties": {
            "tour_id": {"dataType":"string","required":true},
            "departure_date": {"dataType":"string"},
            "departure_time": {"dataType":"string"},
            "name": {"dataType":"string","required":true},
            "phone": {"dataType":"string","required":true},
            "phone_country": {"dataType":"string"},
            "email": {"dataType":"string","required":true},
            "adults": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "children": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "single_supplements": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"}},
            "travellers": {"dataType":"array","array":{"dataType":"refObject","ref":"TravellerBody"},"validators":{"maxItems":{"errorMsg":"must have at most 200 items","value":200}}},
            "payment_method": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["bank"]},{"dataType":"enum","enums":["reserve"]},{"dataType":"enum","enums":["card"]}]},
            "external_ref": {"dataType":"string"},
            "hold_id": {"dataType":"string"},
            "expected_total": {"dataType":"double"},
            "notes": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "TravellerAnswer": {
        "dataType": "refObject",
        "properties": {
            "category": {"dataType":"string","required":true},
            "first_name": {"dataType":"string","required":true},
            "last_name": {"dataType":"string","required":true},
            "birth_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingItem": {
        "dataType": "refObject",
        "properties": {
            "booking_ref": {"dataType":"string","required":true},
            "lead_id": {"dataType":"integer","required":true},
            "tenant": {"ref":"TenantRef","required":true},
            "total_price": {"dataType":"double","required":true},
            "deposit_total": {"dataType":"double","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["pending_payment"]},{"dataType":"enum","enums":["confirmed"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["expired"]}],"required":true},
            "currency": {"dataType":"string","required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "single_supplements": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_method": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["bank"]},{"dataType":"enum","enums":["reserve"]},{"dataType":"enum","enums":["card"]}],"required":true},
            "source": {"dataType":"string","required":true},
            "created_at": {"dataType":"string","required":true},
            "updated_at": {"dataType":"string","required":true},
            "confirmed_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancelled_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancel_reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"CancellationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund": {"dataType":"union","subSchemas":[{"ref":"RefundAnswer"},{"dataType":"enum","enums":[null]}]},
            "payment_due_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["scheduled"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":[null]}],"required":true},
            "price_breakdown": {"ref":"PriceBreakdown","required":true},
            "customer": {"ref":"CustomerAnswer","required":true},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "travellers": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"TravellerAnswer"}},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingPage": {
        "dataType": "refObject",
        "properties": {
            "items": {"dataType":"array","array":{"dataType":"refObject","ref":"BookingItem"},"required":true},
            "next_cursor": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingDetail": {
        "dataType": "refObject",
        "properties": {
            "booking_ref": {"dataType":"string","required":true},
            "lead_id": {"dataType":"integer","required":true},
            "tenant": {"ref":"TenantRef","required":true},
            "total_price": {"dataType":"double","required":true},
            "deposit_total": {"dataType":"double","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["pending_payment"]},{"dataType":"enum","enums":["confirmed"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["expired"]}],"required":true},
            "currency": {"dataType":"string","required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "single_supplements": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_method": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["bank"]},{"dataType":"enum","enums":["reserve"]},{"dataType":"enum","enums":["card"]}],"required":true},
            "source": {"dataType":"string","required":true},
            "created_at": {"dataType":"string","required":true},
            "updated_at": {"dataType":"string","required":true},
            "confirmed_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancelled_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancel_reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"CancellationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund": {"dataType":"union","subSchemas":[{"ref":"RefundAnswer"},{"dataType":"enum","enums":[null]}]},
            "payment_due_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["scheduled"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":[null]}],"required":true},
            "price_breakdown": {"ref":"PriceBreakdown","required":true},
            "customer": {"ref":"CustomerAnswer","required":true},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "travellers": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"TravellerAnswer"}},{"dataType":"enum","enums":[null]}],"required":true},
            "ok": {"dataType":"enum","enums":[true],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancellationTierQuote": {
        "dataType": "refObject",
        "properties": {
            "until": {"dataType":"string","required":true},
            "at": {"dataType":"string","required":true},
            "refund_percent": {"dataType":"integer","required":true},
            "refund_amount": {"dataType":"double","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancellationQuote": {
        "dataType": "refObject",
        "properties": {
            "ok": {"dataType":"enum","enums":[true],"required":true},
            "currency": {"dataType":"string","required":true},
            "refund_percent": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund_amount": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "floor_percent": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
            "tiers": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"CancellationTierQuote"}},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "CancelBody": {
        "dataType": "refObject",
        "properties": {
            "reason": {"dataType":"string"},
            "expected_refund": {"dataType":"double","validators":{"minimum":{"errorMsg":"must be at least 0","value":0}}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ReductionAnswer": {
        "dataType": "refObject",
        "properties": {
            "amount": {"dataType":"double","required":true},
            "refund_percent": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund_amount": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "ChangedBookingDetail": {
        "dataType": "refObject",
        "properties": {
            "booking_ref": {"dataType":"string","required":true},
            "lead_id": {"dataType":"integer","required":true},
            "tenant": {"ref":"TenantRef","required":true},
            "total_price": {"dataType":"double","required":true},
            "deposit_total": {"dataType":"double","required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["pending_payment"]},{"dataType":"enum","enums":["confirmed"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["expired"]}],"required":true},
            "currency": {"dataType":"string","required":true},
            "tour": {"ref":"TourRef","required":true},
            "departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_time": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "adults": {"dataType":"integer","required":true},
            "children": {"dataType":"integer","required":true},
            "single_supplements": {"dataType":"integer","required":true},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"},"required":true},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_method": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["bank"]},{"dataType":"enum","enums":["reserve"]},{"dataType":"enum","enums":["card"]}],"required":true},
            "source": {"dataType":"string","required":true},
            "created_at": {"dataType":"string","required":true},
            "updated_at": {"dataType":"string","required":true},
            "confirmed_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancelled_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancel_reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"CancellationAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
            "refund": {"dataType":"union","subSchemas":[{"ref":"RefundAnswer"},{"dataType":"enum","enums":[null]}]},
            "payment_due_at": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "payment_note": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "departure_status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["scheduled"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":[null]}],"required":true},
            "price_breakdown": {"ref":"PriceBreakdown","required":true},
            "customer": {"ref":"CustomerAnswer","required":true},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "travellers": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"TravellerAnswer"}},{"dataType":"enum","enums":[null]}],"required":true},
            "ok": {"dataType":"enum","enums":[true],"required":true},
            "reduction": {"dataType":"union","subSchemas":[{"ref":"ReductionAnswer"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "BookingPatch": {
        "dataType": "refObject",
        "properties": {
            "departure_date": {"dataType":"string"},
            "departure_time": {"dataType":"string"},
            "adults": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "children": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "single_supplements": {"dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 50","value":50}}},
            "party": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"double"}},
            "name": {"dataType":"string"},
            "phone": {"dataType":"string"},
            "phone_country": {"dataType":"string"},
            "email": {"dataType":"string"},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "external_ref": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "travellers": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"TravellerBody"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 200 items","value":200}}},
            "expected_total": {"dataType":"double"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "WidgetTour": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "slug": {"dataType":"string","required":true},
            "lang": {"dataType":"string"},
            "name": {"dataType":"string","required":true},
            "summary": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "continent": {"dataType":"string","required":true},
            "country": {"dataType":"string","required":true},
            "duration_days": {"dataType":"integer","required":true},
            "image_url": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "tags": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "currency": {"dataType":"string","required":true},
            "price_from": {"dataType":"double","required":true},
            "next_departure_date": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "cancellation": {"ref":"CancellationPolicy"},
            "url": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "WidgetTourPage": {
        "dataType": "refObject",
        "properties": {
            "items": {"dataType":"array","array":{"dataType":"refObject","ref":"WidgetTour"},"required":true},
            "next_cursor": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoSupplierContact": {
        "dataType": "refObject",
        "properties": {
            "website": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "email": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "telephone": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "address": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoSupplier": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "name": {"dataType":"string","required":true},
            "endpoint": {"dataType":"string","required":true},
            "contact": {"ref":"OctoSupplierContact","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCapabilityAnswer": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["octo/pricing"]},{"dataType":"enum","enums":["octo/content"]}],"required":true},
            "revision": {"dataType":"integer","required":true},
            "required": {"dataType":"boolean","required":true},
            "dependencies": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "docs": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoOptionRestrictions": {
        "dataType": "refObject",
        "properties": {
            "minUnits": {"dataType":"integer","required":true},
            "maxUnits": {"dataType":"integer","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitType": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["ADULT"]},{"dataType":"enum","enums":["YOUTH"]},{"dataType":"enum","enums":["CHILD"]},{"dataType":"enum","enums":["INFANT"]},{"dataType":"enum","enums":["FAMILY"]},{"dataType":"enum","enums":["SENIOR"]},{"dataType":"enum","enums":["STUDENT"]},{"dataType":"enum","enums":["MILITARY"]},{"dataType":"enum","enums":["OTHER"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitRestrictions": {
        "dataType": "refObject",
        "properties": {
            "minAge": {"dataType":"double","required":true},
            "maxAge": {"dataType":"double","required":true},
            "idRequired": {"dataType":"boolean","required":true},
            "minQuantity": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "maxQuantity": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "paxCount": {"dataType":"double","required":true},
            "accompaniedBy": {"dataType":"array","array":{"dataType":"string"},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoFeature": {
        "dataType": "refObject",
        "properties": {
            "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["INCLUSION"]},{"dataType":"enum","enums":["EXCLUSION"]},{"dataType":"enum","enums":["ADDITIONAL_INFORMATION"]},{"dataType":"enum","enums":["CANCELLATION_TERM"]}],"required":true},
            "shortDescription": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoPricing": {
        "dataType": "refObject",
        "properties": {
            "original": {"dataType":"long","required":true},
            "retail": {"dataType":"long","required":true},
            "net": {"dataType":"long","required":true},
            "currency": {"dataType":"string","required":true},
            "currencyPrecision": {"dataType":"integer","required":true},
            "includedTaxes": {"dataType":"array","array":{"dataType":"string"},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnit": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "internalName": {"dataType":"string","required":true},
            "reference": {"dataType":"string","required":true},
            "type": {"ref":"OctoUnitType","required":true},
            "requiredContactFields": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "restrictions": {"ref":"OctoUnitRestrictions","required":true},
            "title": {"dataType":"string"},
            "shortDescription": {"dataType":"string"},
            "features": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoFeature"}},
            "pricingFrom": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoPricing"}},
            "pricing": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoPricing"}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoOption": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"enum","enums":["DEFAULT"],"required":true},
            "default": {"dataType":"boolean","required":true},
            "internalName": {"dataType":"string","required":true},
            "reference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "availabilityLocalStartTimes": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "cancellationCutoff": {"dataType":"string","required":true},
            "cancellationCutoffAmount": {"dataType":"integer","required":true},
            "cancellationCutoffUnit": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["minute"]},{"dataType":"enum","enums":["hour"]},{"dataType":"enum","enums":["day"]}],"required":true},
            "requiredContactFields": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "restrictions": {"ref":"OctoOptionRestrictions","required":true},
            "units": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnit"},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoMedia": {
        "dataType": "refObject",
        "properties": {
            "src": {"dataType":"string","required":true},
            "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["image/jpeg"]},{"dataType":"enum","enums":["image/png"]}],"required":true},
            "rel": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["COVER"]},{"dataType":"enum","enums":["GALLERY"]}],"required":true},
            "title": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "caption": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "copyright": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoPostalAddress": {
        "dataType": "refObject",
        "properties": {
            "streetAddress": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "addressLocality": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "addressRegion": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "postalCode": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "addressCountry": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "postOfficeBoxNumber": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoPlaceIdentifiers": {
        "dataType": "refObject",
        "properties": {
            "googlePlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "applePlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "tripadvisorLocationId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "yelpPlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "facebookPlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "foursquarePlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "baiduPlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "amapPlaceId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoPlace": {
        "dataType": "refObject",
        "properties": {
            "latitude": {"dataType":"double","required":true},
            "longitude": {"dataType":"double","required":true},
            "postalAddress": {"ref":"OctoPostalAddress","required":true},
            "identifiers": {"ref":"OctoPlaceIdentifiers","required":true},
            "sameAs": {"dataType":"array","array":{"dataType":"string"},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoLocation": {
        "dataType": "refObject",
        "properties": {
            "title": {"dataType":"string","required":true},
            "shortDescription": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "types": {"dataType":"array","array":{"dataType":"union","subSchemas":[{"dataType":"enum","enums":["START"]},{"dataType":"enum","enums":["END"]}]},"required":true},
            "minutesTo": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "minutesAt": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}],"required":true},
            "place": {"ref":"OctoPlace","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCommentary": {
        "dataType": "refObject",
        "properties": {
            "format": {"dataType":"enum","enums":["IN_PERSON"],"required":true},
            "language": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoProduct": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "internalName": {"dataType":"string","required":true},
            "reference": {"dataType":"string","required":true},
            "locale": {"dataType":"string","required":true},
            "timeZone": {"dataType":"string","required":true},
            "allowFreesale": {"dataType":"boolean","required":true},
            "instantConfirmation": {"dataType":"boolean","required":true},
            "instantDelivery": {"dataType":"boolean","required":true},
            "availabilityRequired": {"dataType":"boolean","required":true},
            "availabilityType": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["START_TIME"]},{"dataType":"enum","enums":["OPENING_HOURS"]}],"required":true},
            "deliveryFormats": {"dataType":"array","array":{"dataType":"enum","enums":["QRCODE"]},"required":true},
            "deliveryMethods": {"dataType":"array","array":{"dataType":"enum","enums":["VOUCHER"]},"required":true},
            "redemptionMethod": {"dataType":"enum","enums":["MANIFEST"],"required":true},
            "options": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoOption"},"required":true},
            "defaultCurrency": {"dataType":"string"},
            "availableCurrencies": {"dataType":"array","array":{"dataType":"string"}},
            "pricingPer": {"dataType":"enum","enums":["UNIT"]},
            "title": {"dataType":"string"},
            "shortDescription": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "description": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "features": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoFeature"}},
            "faqs": {"dataType":"array","array":{"dataType":"string"}},
            "media": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoMedia"}},
            "locations": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoLocation"}},
            "categoryLabels": {"dataType":"array","array":{"dataType":"string"}},
            "durationMinutesFrom": {"dataType":"integer"},
            "durationMinutesTo": {"dataType":"union","subSchemas":[{"dataType":"double"},{"dataType":"enum","enums":[null]}]},
            "commentary": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoCommentary"}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoAvailabilityStatus": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["AVAILABLE"]},{"dataType":"enum","enums":["LIMITED"]},{"dataType":"enum","enums":["SOLD_OUT"]},{"dataType":"enum","enums":["CLOSED"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoOpeningHours": {
        "dataType": "refObject",
        "properties": {
            "from": {"dataType":"string","required":true},
            "to": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitPricing": {
        "dataType": "refObject",
        "properties": {
            "original": {"dataType":"long","required":true},
            "retail": {"dataType":"long","required":true},
            "net": {"dataType":"long","required":true},
            "currency": {"dataType":"string","required":true},
            "currencyPrecision": {"dataType":"integer","required":true},
            "includedTaxes": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "unitId": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCalendarDay": {
        "dataType": "refObject",
        "properties": {
            "localDate": {"dataType":"string","required":true},
            "available": {"dataType":"boolean","required":true},
            "status": {"ref":"OctoAvailabilityStatus","required":true},
            "vacancies": {"dataType":"integer","required":true},
            "capacity": {"dataType":"integer","required":true},
            "openingHours": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoOpeningHours"},"required":true},
            "unitPricingFrom": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitPricing"}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitQuantity": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "quantity": {"dataType":"integer","required":true,"validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 0","value":0},"maximum":{"errorMsg":"must be at most 1000","value":1000}}},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCalendarBody": {
        "dataType": "refObject",
        "properties": {
            "productId": {"dataType":"string","required":true},
            "optionId": {"dataType":"string","required":true},
            "localDateStart": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "localDateEnd": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "units": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitQuantity"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 50 items","value":50}}},
            "currency": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoAvailability": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "localDateTimeStart": {"dataType":"string","required":true},
            "localDateTimeEnd": {"dataType":"string","required":true},
            "allDay": {"dataType":"boolean","required":true},
            "available": {"dataType":"boolean","required":true},
            "status": {"ref":"OctoAvailabilityStatus","required":true},
            "vacancies": {"dataType":"integer","required":true},
            "capacity": {"dataType":"integer","required":true},
            "maxUnits": {"dataType":"integer","required":true},
            "utcCutoffAt": {"dataType":"string","required":true},
            "openingHours": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoOpeningHours"},"required":true},
            "unitPricing": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitPricing"}},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoAvailabilityBody": {
        "dataType": "refObject",
        "properties": {
            "productId": {"dataType":"string","required":true},
            "optionId": {"dataType":"string","required":true},
            "localDateStart": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "localDateEnd": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "availabilityIds": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"string"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 366 items","value":366}}},
            "units": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitQuantity"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 50 items","value":50}}},
            "currency": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoBookingStatus": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["CONFIRMED"]},{"dataType":"enum","enums":["ON_HOLD"]},{"dataType":"enum","enums":["PENDING"]},{"dataType":"enum","enums":["EXPIRED"]},{"dataType":"enum","enums":["CANCELLED"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoRefund": {
        "dataType": "refAlias",
        "type": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["FULL"]},{"dataType":"enum","enums":["PARTIAL"]},{"dataType":"enum","enums":["NONE"]}],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCancellation": {
        "dataType": "refObject",
        "properties": {
            "refund": {"ref":"OctoRefund","required":true},
            "reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "utcCancelledAt": {"dataType":"string","required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoContactAnswer": {
        "dataType": "refObject",
        "properties": {
            "fullName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "firstName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "lastName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "emailAddress": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "phoneNumber": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "locales": {"dataType":"array","array":{"dataType":"string"},"required":true},
            "postalCode": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "country": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoVoucher": {
        "dataType": "refObject",
        "properties": {
            "redemptionMethod": {"dataType":"enum","enums":["MANIFEST"],"required":true},
            "utcRedeemedAt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "deliveryOptions": {"dataType":"array","array":{"dataType":"nestedObjectLiteral","nestedProperties":{"deliveryValue":{"dataType":"string","required":true},"deliveryFormat":{"dataType":"enum","enums":["QRCODE"],"required":true}}},"required":true},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitItem": {
        "dataType": "refObject",
        "properties": {
            "uuid": {"dataType":"string","required":true},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "supplierReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "unitId": {"dataType":"string","required":true},
            "unit": {"ref":"OctoUnit","required":true},
            "status": {"ref":"OctoBookingStatus","required":true},
            "utcRedeemedAt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "contact": {"ref":"OctoContactAnswer","required":true},
            "ticket": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "pricing": {"ref":"OctoPricing"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoBooking": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "uuid": {"dataType":"string","required":true},
            "testMode": {"dataType":"boolean","required":true},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "supplierReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "status": {"ref":"OctoBookingStatus","required":true},
            "utcCreatedAt": {"dataType":"string","required":true},
            "utcUpdatedAt": {"dataType":"string","required":true},
            "utcExpiresAt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "utcRedeemedAt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "utcConfirmedAt": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "productId": {"dataType":"string","required":true},
            "product": {"ref":"OctoProduct","required":true},
            "optionId": {"dataType":"string","required":true},
            "option": {"ref":"OctoOption","required":true},
            "cancellable": {"dataType":"boolean","required":true},
            "cancellation": {"dataType":"union","subSchemas":[{"ref":"OctoCancellation"},{"dataType":"enum","enums":[null]}],"required":true},
            "freesale": {"dataType":"boolean","required":true},
            "availabilityId": {"dataType":"string","required":true},
            "availability": {"ref":"OctoAvailability","required":true},
            "contact": {"ref":"OctoContactAnswer","required":true},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}],"required":true},
            "deliveryMethods": {"dataType":"array","array":{"dataType":"enum","enums":["VOUCHER"]},"required":true},
            "voucher": {"ref":"OctoVoucher","required":true},
            "unitItems": {"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitItem"},"required":true},
            "pricing": {"ref":"OctoPricing"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoContactBody": {
        "dataType": "refObject",
        "properties": {
            "fullName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "firstName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "lastName": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "emailAddress": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "phoneNumber": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "locales": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"string"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 50 items","value":50}}},
            "postalCode": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "country": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoUnitItemBody": {
        "dataType": "refObject",
        "properties": {
            "uuid": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "unitId": {"dataType":"string","required":true},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "contact": {"dataType":"union","subSchemas":[{"ref":"OctoContactBody"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoReservationBody": {
        "dataType": "refObject",
        "properties": {
            "uuid": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "productId": {"dataType":"string","required":true},
            "optionId": {"dataType":"string","required":true},
            "availabilityId": {"dataType":"string","required":true},
            "expirationMinutes": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1}}},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "unitItems": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitItemBody"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 100 items","value":100}}},
            "contact": {"dataType":"union","subSchemas":[{"ref":"OctoContactBody"},{"dataType":"enum","enums":[null]}]},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "currency": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoExtensionBody": {
        "dataType": "refObject",
        "properties": {
            "expirationMinutes": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1}}},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoConfirmationBody": {
        "dataType": "refObject",
        "properties": {
            "contact": {"dataType":"union","subSchemas":[{"ref":"OctoContactBody"},{"dataType":"enum","enums":[null]}]},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "unitItems": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitItemBody"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 100 items","value":100}}},
            "currency": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoChangeBody": {
        "dataType": "refObject",
        "properties": {
            "productId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "optionId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "availabilityId": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "expirationMinutes": {"dataType":"union","subSchemas":[{"dataType":"integer"},{"dataType":"enum","enums":[null]}],"validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1}}},
            "notes": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "unitItems": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"refObject","ref":"OctoUnitItemBody"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 100 items","value":100}}},
            "contact": {"dataType":"union","subSchemas":[{"ref":"OctoContactBody"},{"dataType":"enum","enums":[null]}]},
            "resellerReference": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "currency": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoCancellationBody": {
        "dataType": "refObject",
        "properties": {
            "reason": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoNotificationType": {
        "dataType": "refAlias",
        "type": {"dataType":"enum","enums":["PRODUCT_UPDATE","AVAILABILITY_UPDATE","BOOKING_UPDATE"],"validators":{}},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoSubscription": {
        "dataType": "refObject",
        "properties": {
            "id": {"dataType":"string","required":true},
            "url": {"dataType":"string","required":true},
            "notificationTypes": {"dataType":"array","array":{"dataType":"refAlias","ref":"OctoNotificationType"},"required":true},
            "headers": {"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"string"},"required":true},
            "status": {"dataType":"union","subSchemas":[{"dataType":"enum","enums":["active"]},{"dataType":"enum","enums":["paused"]},{"dataType":"enum","enums":["disabled"]}],"required":true},
            "secret": {"dataType":"string"},
        },
        "additionalProperties": false,
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoSubscriptionBody": {
        "dataType": "refObject",
        "properties": {
            "url": {"dataType":"string","required":true},
            "notificationTypes": {"dataType":"array","array":{"dataType":"string"},"required":true,"validators":{"maxItems":{"errorMsg":"must have at most 50 items","value":50}}},
            "headers": {"dataType":"union","subSchemas":[{"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"any"}},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
    "OctoSubscriptionChangeBody": {
        "dataType": "refObject",
        "properties": {
            "url": {"dataType":"union","subSchemas":[{"dataType":"string"},{"dataType":"enum","enums":[null]}]},
            "notificationTypes": {"dataType":"union","subSchemas":[{"dataType":"array","array":{"dataType":"string"}},{"dataType":"enum","enums":[null]}],"validators":{"maxItems":{"errorMsg":"must have at most 50 items","value":50}}},
            "headers": {"dataType":"union","subSchemas":[{"dataType":"nestedObjectLiteral","nestedProperties":{},"additionalProperties":{"dataType":"any"}},{"dataType":"enum","enums":[null]}]},
        },
        "additionalProperties": {"dataType":"any"},
    },
    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
};
const templateService = new ExpressTemplateService(models, {"noImplicitAdditionalProperties":"throw-on-extras","bodyCoercion":false});

// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa




export function RegisterRoutes(app: Router) {

    // ###########################################################################################################
    //  NOTE: If you do not see routes for all of your controllers in this file, then you might not have informed tsoa of where to look
    //      Please look into the "controllerPathGlobs" config option described in the readme: https://github.com/lukeautry/tsoa
    // ###########################################################################################################


    
        const argsCatalogController_listTours: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                limit: {"default":24,"in":"query","name":"limit","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 100","value":100}}},
                continent: {"in":"query","name":"continent","dataType":"string"},
                country: {"in":"query","name":"country","dataType":"string"},
                tag: {"in":"query","name":"tag","dataType":"string"},
                q: {"in":"query","name":"q","dataType":"string"},
                departs_from: {"in":"query","name":"departs_from","dataType":"string"},
                departs_to: {"in":"query","name":"departs_to","dataType":"string"},
                duration_min: {"in":"query","name":"duration_min","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 366","value":366}}},
                duration_max: {"in":"query","name":"duration_max","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 366","value":366}}},
                updated_since: {"in":"query","name":"updated_since","dataType":"string"},
                sort: {"default":"name","in":"query","name":"sort","dataType":"union","subSchemas":[{"dataType":"enum","enums":["name"]},{"dataType":"enum","enums":["next_departure_date"]}]},
                cursor: {"in":"query","name":"cursor","dataType":"string"},
                lang: {"in":"query","name":"lang","dataType":"string","validators":{"maxLength":{"errorMsg":"must have at most 35 characters","value":35},"pattern":{"errorMsg":"must be a language tag such as de or pt-BR","value":"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}}},
        };
        app.get('/api/tenant/catalog',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(CatalogController)),
            ...(fetchMiddlewares<RequestHandler>(CatalogController.prototype.listTours)),

            async function CatalogController_listTours(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsCatalogController_listTours, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<CatalogController>(CatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listTours',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsCatalogController_listFilters: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
        };
        app.get('/api/tenant/catalog/filters',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(CatalogController)),
            ...(fetchMiddlewares<RequestHandler>(CatalogController.prototype.listFilters)),

            async function CatalogController_listFilters(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsCatalogController_listFilters, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<CatalogController>(CatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listFilters',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsCatalogController_readTour: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id_or_slug: {"in":"path","name":"id_or_slug","required":true,"dataType":"string"},
                lang: {"in":"query","name":"lang","dataType":"string","validators":{"maxLength":{"errorMsg":"must have at most 35 characters","value":35},"pattern":{"errorMsg":"must be a language tag such as de or pt-BR","value":"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}}},
        };
        app.get('/api/tenant/tours/:id_or_slug',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(CatalogController)),
            ...(fetchMiddlewares<RequestHandler>(CatalogController.prototype.readTour)),

            async function CatalogController_readTour(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsCatalogController_readTour, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<CatalogController>(CatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'readTour',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsDeparturesController_listDepartures: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id_or_slug: {"in":"path","name":"id_or_slug","required":true,"dataType":"string"},
                from: {"in":"query","name":"from","dataType":"string"},
                to: {"in":"query","name":"to","dataType":"string"},
                status: {"in":"query","name":"status","dataType":"union","subSchemas":[{"dataType":"enum","enums":["available"]},{"dataType":"enum","enums":["sold_out"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["gone"]},{"dataType":"enum","enums":["closed"]}]},
                limit: {"default":100,"in":"query","name":"limit","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 366","value":366}}},
                cursor: {"in":"query","name":"cursor","dataType":"string"},
        };
        app.get('/api/tenant/tours/:id_or_slug/departures',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(DeparturesController)),
            ...(fetchMiddlewares<RequestHandler>(DeparturesController.prototype.listDepartures)),

            async function DeparturesController_listDepartures(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsDeparturesController_listDepartures, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<DeparturesController>(DeparturesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listDepartures',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsAvailabilityController_checkAvailability: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id_or_slug: {"in":"path","name":"id_or_slug","required":true,"dataType":"string"},
                departure_date: {"in":"query","name":"departure_date","required":true,"dataType":"string"},
                departure_time: {"in":"query","name":"departure_time","dataType":"string"},
                quantity: {"default":1,"in":"query","name":"quantity","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 50","value":50}}},
        };
        app.get('/api/gateway/tours/:id_or_slug/availability',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(AvailabilityController)),
            ...(fetchMiddlewares<RequestHandler>(AvailabilityController.prototype.checkAvailability)),

            async function AvailabilityController_checkAvailability(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsAvailabilityController_checkAvailability, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<AvailabilityController>(AvailabilityController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'checkAvailability',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_placeHold: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id_or_slug: {"in":"path","name":"id_or_slug","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"HoldBody"},
        };
        app.post('/api/gateway/tours/:id_or_slug/hold',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.placeHold)),

            async function HoldsController_placeHold(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_placeHold, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'placeHold',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: 201,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_listHolds: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                external_ref: {"in":"query","name":"external_ref","dataType":"string"},
                status: {"in":"query","name":"status","dataType":"union","subSchemas":[{"dataType":"enum","enums":["active"]},{"dataType":"enum","enums":["released"]},{"dataType":"enum","enums":["expired"]},{"dataType":"enum","enums":["converted"]}]},
                limit: {"default":24,"in":"query","name":"limit","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 100","value":100}}},
                cursor: {"in":"query","name":"cursor","dataType":"string"},
        };
        app.get('/api/gateway/holds',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.listHolds)),

            async function HoldsController_listHolds(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_listHolds, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listHolds',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_readHold: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                hold_id: {"in":"path","name":"hold_id","required":true,"dataType":"string"},
        };
        app.get('/api/gateway/holds/:hold_id',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.readHold)),

            async function HoldsController_readHold(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_readHold, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'readHold',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_extendHold: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                hold_id: {"in":"path","name":"hold_id","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"ExtendBody"},
        };
        app.post('/api/gateway/holds/:hold_id/extend',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.extendHold)),

            async function HoldsController_extendHold(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_extendHold, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'extendHold',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_changeHold: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                hold_id: {"in":"path","name":"hold_id","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"HoldPatch"},
        };
        app.patch('/api/gateway/holds/:hold_id',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.changeHold)),

            async function HoldsController_changeHold(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_changeHold, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'changeHold',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsHoldsController_releaseHold: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                hold_id: {"in":"path","name":"hold_id","required":true,"dataType":"string"},
        };
        app.delete('/api/gateway/holds/:hold_id',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(HoldsController)),
            ...(fetchMiddlewares<RequestHandler>(HoldsController.prototype.releaseHold)),

            async function HoldsController_releaseHold(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsHoldsController_releaseHold, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<HoldsController>(HoldsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'releaseHold',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: 204,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingsController_createBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                body: {"in":"body","name":"body","required":true,"ref":"BookingBody"},
        };
        app.post('/api/tenant/bookings',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingsController)),
            ...(fetchMiddlewares<RequestHandler>(BookingsController.prototype.createBooking)),

            async function BookingsController_createBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingsController_createBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingsController>(BookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'createBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: 201,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingsController_listBookings: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                external_ref: {"in":"query","name":"external_ref","dataType":"string"},
                status: {"in":"query","name":"status","dataType":"union","subSchemas":[{"dataType":"enum","enums":["pending_payment"]},{"dataType":"enum","enums":["confirmed"]},{"dataType":"enum","enums":["cancelled"]},{"dataType":"enum","enums":["expired"]}]},
                from: {"in":"query","name":"from","dataType":"string"},
                to: {"in":"query","name":"to","dataType":"string"},
                departure_from: {"in":"query","name":"departure_from","dataType":"string"},
                departure_to: {"in":"query","name":"departure_to","dataType":"string"},
                updated_since: {"in":"query","name":"updated_since","dataType":"string"},
                limit: {"default":24,"in":"query","name":"limit","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 100","value":100}}},
                cursor: {"in":"query","name":"cursor","dataType":"string"},
        };
        app.get('/api/tenant/bookings',
            authenticateMiddleware([{"apiKey":["booking:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingsController)),
            ...(fetchMiddlewares<RequestHandler>(BookingsController.prototype.listBookings)),

            async function BookingsController_listBookings(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingsController_listBookings, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingsController>(BookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listBookings',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingsController_readBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                booking_ref: {"in":"path","name":"booking_ref","required":true,"dataType":"string"},
        };
        app.get('/api/tenant/bookings/:booking_ref',
            authenticateMiddleware([{"apiKey":["booking:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingsController)),
            ...(fetchMiddlewares<RequestHandler>(BookingsController.prototype.readBooking)),

            async function BookingsController_readBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingsController_readBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingsController>(BookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'readBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingsController_quoteCancellation: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                booking_ref: {"in":"path","name":"booking_ref","required":true,"dataType":"string"},
        };
        app.get('/api/tenant/bookings/:booking_ref/cancellation',
            authenticateMiddleware([{"apiKey":["booking:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingsController)),
            ...(fetchMiddlewares<RequestHandler>(BookingsController.prototype.quoteCancellation)),

            async function BookingsController_quoteCancellation(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingsController_quoteCancellation, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingsController>(BookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'quoteCancellation',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingChangesController_confirmBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                booking_ref: {"in":"path","name":"booking_ref","required":true,"dataType":"string"},
        };
        app.post('/api/tenant/bookings/:booking_ref/confirm',
            authenticateMiddleware([{"apiKey":["booking:manage"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController.prototype.confirmBooking)),

            async function BookingChangesController_confirmBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingChangesController_confirmBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingChangesController>(BookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'confirmBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingChangesController_cancelBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                booking_ref: {"in":"path","name":"booking_ref","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","ref":"CancelBody"},
        };
        app.post('/api/tenant/bookings/:booking_ref/cancel',
            authenticateMiddleware([{"apiKey":["booking:manage"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController.prototype.cancelBooking)),

            async function BookingChangesController_cancelBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingChangesController_cancelBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingChangesController>(BookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'cancelBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsBookingChangesController_changeBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                booking_ref: {"in":"path","name":"booking_ref","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"BookingPatch"},
        };
        app.patch('/api/tenant/bookings/:booking_ref',
            authenticateMiddleware([{"apiKey":["booking:manage"]}]),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(BookingChangesController.prototype.changeBooking)),

            async function BookingChangesController_changeBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsBookingChangesController_changeBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<BookingChangesController>(BookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'changeBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsWidgetToursController_listTours: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                limit: {"default":12,"in":"query","name":"limit","dataType":"integer","validators":{"isInt":{"errorMsg":"must be a whole number"},"minimum":{"errorMsg":"must be at least 1","value":1},"maximum":{"errorMsg":"must be at most 30","value":30}}},
                continent: {"in":"query","name":"continent","dataType":"string"},
                q: {"in":"query","name":"q","dataType":"string"},
                cursor: {"in":"query","name":"cursor","dataType":"string"},
                lang: {"in":"query","name":"lang","dataType":"string","validators":{"maxLength":{"errorMsg":"must have at most 35 characters","value":35},"pattern":{"errorMsg":"must be a language tag such as de or pt-BR","value":"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}}},
        };
        app.get('/api/widget/tours',
            authenticateMiddleware([{"widgetToken":[]}]),
            ...(fetchMiddlewares<RequestHandler>(WidgetToursController)),
            ...(fetchMiddlewares<RequestHandler>(WidgetToursController.prototype.listTours)),

            async function WidgetToursController_listTours(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsWidgetToursController_listTours, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<WidgetToursController>(WidgetToursController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'listTours',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoCatalogController_octoReadSupplier: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
        };
        app.get('/octo/supplier',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController)),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController.prototype.octoReadSupplier)),

            async function OctoCatalogController_octoReadSupplier(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoCatalogController_octoReadSupplier, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoCatalogController>(OctoCatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReadSupplier',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoCatalogController_octoListCapabilities: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
        };
        app.get('/octo/capabilities',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController)),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController.prototype.octoListCapabilities)),

            async function OctoCatalogController_octoListCapabilities(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoCatalogController_octoListCapabilities, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoCatalogController>(OctoCatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoListCapabilities',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoCatalogController_octoListProducts: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                lang: {"in":"query","name":"lang","dataType":"string","validators":{"maxLength":{"errorMsg":"must have at most 35 characters","value":35},"pattern":{"errorMsg":"must be a language tag such as de or pt-BR","value":"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}}},
        };
        app.get('/octo/products',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController)),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController.prototype.octoListProducts)),

            async function OctoCatalogController_octoListProducts(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoCatalogController_octoListProducts, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoCatalogController>(OctoCatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoListProducts',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoCatalogController_octoReadProduct: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id: {"in":"path","name":"id","required":true,"dataType":"string"},
                lang: {"in":"query","name":"lang","dataType":"string","validators":{"maxLength":{"errorMsg":"must have at most 35 characters","value":35},"pattern":{"errorMsg":"must be a language tag such as de or pt-BR","value":"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}}},
        };
        app.get('/octo/products/:id',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController)),
            ...(fetchMiddlewares<RequestHandler>(OctoCatalogController.prototype.octoReadProduct)),

            async function OctoCatalogController_octoReadProduct(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoCatalogController_octoReadProduct, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoCatalogController>(OctoCatalogController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReadProduct',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoAvailabilityController_octoReadCalendar: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoCalendarBody"},
        };
        app.post('/octo/availability/calendar',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoAvailabilityController)),
            ...(fetchMiddlewares<RequestHandler>(OctoAvailabilityController.prototype.octoReadCalendar)),

            async function OctoAvailabilityController_octoReadCalendar(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoAvailabilityController_octoReadCalendar, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoAvailabilityController>(OctoAvailabilityController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReadCalendar',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoAvailabilityController_octoCheckAvailability: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoAvailabilityBody"},
        };
        app.post('/octo/availability',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoAvailabilityController)),
            ...(fetchMiddlewares<RequestHandler>(OctoAvailabilityController.prototype.octoCheckAvailability)),

            async function OctoAvailabilityController_octoCheckAvailability(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoAvailabilityController_octoCheckAvailability, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoAvailabilityController>(OctoAvailabilityController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoCheckAvailability',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoReservationsController_octoReserveBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoReservationBody"},
        };
        app.post('/octo/bookings',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoReservationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoReservationsController.prototype.octoReserveBooking)),

            async function OctoReservationsController_octoReserveBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoReservationsController_octoReserveBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoReservationsController>(OctoReservationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReserveBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingChangesController_octoExtendBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","ref":"OctoExtensionBody"},
        };
        app.post('/octo/bookings/:uuid/extend',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController.prototype.octoExtendBooking)),

            async function OctoBookingChangesController_octoExtendBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingChangesController_octoExtendBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingChangesController>(OctoBookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoExtendBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingChangesController_octoConfirmBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","ref":"OctoConfirmationBody"},
        };
        app.post('/octo/bookings/:uuid/confirm',
            authenticateMiddleware([{"apiKey":["booking:create"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController.prototype.octoConfirmBooking)),

            async function OctoBookingChangesController_octoConfirmBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingChangesController_octoConfirmBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingChangesController>(OctoBookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoConfirmBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingChangesController_octoUpdateBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoChangeBody"},
        };
        app.patch('/octo/bookings/:uuid',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController.prototype.octoUpdateBooking)),

            async function OctoBookingChangesController_octoUpdateBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingChangesController_octoUpdateBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingChangesController>(OctoBookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoUpdateBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingChangesController_octoCancelBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","ref":"OctoCancellationBody"},
        };
        app.post('/octo/bookings/:uuid/cancel',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController.prototype.octoCancelBooking)),

            async function OctoBookingChangesController_octoCancelBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingChangesController_octoCancelBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingChangesController>(OctoBookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoCancelBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingChangesController_octoDeleteBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","ref":"OctoCancellationBody"},
        };
        app.delete('/octo/bookings/:uuid',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingChangesController.prototype.octoDeleteBooking)),

            async function OctoBookingChangesController_octoDeleteBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingChangesController_octoDeleteBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingChangesController>(OctoBookingChangesController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoDeleteBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingsController_octoReadBooking: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                uuid: {"in":"path","name":"uuid","required":true,"dataType":"string"},
        };
        app.get('/octo/bookings/:uuid',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingsController.prototype.octoReadBooking)),

            async function OctoBookingsController_octoReadBooking(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingsController_octoReadBooking, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingsController>(OctoBookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReadBooking',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoBookingsController_octoListBookings: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                resellerReference: {"in":"query","name":"resellerReference","dataType":"string"},
                supplierReference: {"in":"query","name":"supplierReference","dataType":"string"},
                localDate: {"in":"query","name":"localDate","dataType":"string"},
                localDateStart: {"in":"query","name":"localDateStart","dataType":"string"},
                localDateEnd: {"in":"query","name":"localDateEnd","dataType":"string"},
        };
        app.get('/octo/bookings',
            authenticateMiddleware([{"apiKey":[]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoBookingsController.prototype.octoListBookings)),

            async function OctoBookingsController_octoListBookings(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoBookingsController_octoListBookings, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoBookingsController>(OctoBookingsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoListBookings',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoNotificationsController_octoCreateSubscription: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoSubscriptionBody"},
        };
        app.post('/octo/notifications/subscriptions',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController.prototype.octoCreateSubscription)),

            async function OctoNotificationsController_octoCreateSubscription(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoNotificationsController_octoCreateSubscription, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoNotificationsController>(OctoNotificationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoCreateSubscription',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoNotificationsController_octoChangeSubscription: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id: {"in":"path","name":"id","required":true,"dataType":"string"},
                body: {"in":"body","name":"body","required":true,"ref":"OctoSubscriptionChangeBody"},
        };
        app.patch('/octo/notifications/subscriptions/:id',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController.prototype.octoChangeSubscription)),

            async function OctoNotificationsController_octoChangeSubscription(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoNotificationsController_octoChangeSubscription, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoNotificationsController>(OctoNotificationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoChangeSubscription',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoNotificationsController_octoDeleteSubscription: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id: {"in":"path","name":"id","required":true,"dataType":"string"},
        };
        app.delete('/octo/notifications/subscriptions/:id',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController.prototype.octoDeleteSubscription)),

            async function OctoNotificationsController_octoDeleteSubscription(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoNotificationsController_octoDeleteSubscription, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoNotificationsController>(OctoNotificationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoDeleteSubscription',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoNotificationsController_octoReadSubscription: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
                id: {"in":"path","name":"id","required":true,"dataType":"string"},
        };
        app.get('/octo/notifications/subscriptions/:id',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController.prototype.octoReadSubscription)),

            async function OctoNotificationsController_octoReadSubscription(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoNotificationsController_octoReadSubscription, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoNotificationsController>(OctoNotificationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoReadSubscription',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        const argsOctoNotificationsController_octoListSubscriptions: Record<string, TsoaRoute.ParameterSchema> = {
                request: {"in":"request","name":"request","required":true,"dataType":"object"},
        };
        app.get('/octo/notifications/subscriptions',
            authenticateMiddleware([{"apiKey":["catalog:read"]}]),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController)),
            ...(fetchMiddlewares<RequestHandler>(OctoNotificationsController.prototype.octoListSubscriptions)),

            async function OctoNotificationsController_octoListSubscriptions(request: ExRequest, response: ExResponse, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            let validatedArgs: any[] = [];
            try {
                validatedArgs = templateService.getValidatedArgs({ args: argsOctoNotificationsController_octoListSubscriptions, request, response });

                const container: IocContainer = typeof iocContainer === 'function' ? (iocContainer as IocContainerFactory)(request) : iocContainer;

                const controller: any = await container.get<OctoNotificationsController>(OctoNotificationsController);
                if (typeof controller['setStatus'] === 'function') {
                controller.setStatus(undefined);
                }

              await templateService.apiHandler({
                methodName: 'octoListSubscriptions',
                controller,
                response,
                next,
                validatedArgs,
                successStatus: undefined,
              });
            } catch (err) {
                return next(err);
            }
        });
        // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa


    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

    function authenticateMiddleware(security: TsoaRoute.Security[] = []) {
        return async function runAuthenticationMiddleware(request: any, response: any, next: any) {

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            // keep track of failed auth attempts so we can hand back the most
            // recent one.  This behavior was previously existing so preserving it
            // here
            const failedAttempts: any[] = [];
            const pushAndRethrow = (error: any) => {
                failedAttempts.push(error);
                throw error;
            };

            const secMethodOrPromises: Promise<any>[] = [];
            for (const secMethod of security) {
                if (Object.keys(secMethod).length > 1) {
                    const secMethodAndPromises: Promise<any>[] = [];

                    for (const name in secMethod) {
                        secMethodAndPromises.push(
                            expressAuthenticationRecasted(request, name, secMethod[name], response)
                                .catch(pushAndRethrow)
                        );
                    }

                    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

                    secMethodOrPromises.push(Promise.all(secMethodAndPromises)
                        .then(users => { return users[0]; }));
                } else {
                    for (const name in secMethod) {
                        secMethodOrPromises.push(
                            expressAuthenticationRecasted(request, name, secMethod[name], response)
                                .catch(pushAndRethrow)
                        );
                    }
                }
            }

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa

            try {
                request['user'] = await Promise.any(secMethodOrPromises);

                // Response was sent in middleware, abort
                if (response.writableEnded) {
                    return;
                }

                next();
            }
            catch(err) {
                // Show most recent error as response
                const error = failedAttempts.pop();
                error.status = error.status || 401;

                // Response was sent in middleware, abort
                if (response.writableEnded) {
                    return;
                }
                next(error);
            }

            // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
        }
    }

    // WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
}

// WARNING: This file was auto-generated with tsoa. Please do not modify it. Re-run tsoa to re-generate this file: https://github.com/lukeautry/tsoa
