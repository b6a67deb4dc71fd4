-- Adds booking.updated to the events that an endpoint can ask for. Not in 0020, which would wait for endpoints while it locks the sales.
alter table webhook_endpoints drop constraint webhook_endpoints_events_known;
alter table webhook_endpoints add constraint webhook_endpoints_events_known
  check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.updated', 'booking.cancelled',
    'booking.expired', 'hold.expired', 'departure.cancelled', 'departure.updated', 'endpoint.disabled']);
