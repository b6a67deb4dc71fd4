-- Refunds of bookings that their operator moves, and of confirmed bookings whose total falls (ADR 64).

-- The lowest share of the price that a cancellation refunds until the departure is past: the operator has moved the booking. Null: none.
alter table booking_leads
  add column refund_floor smallint constraint booking_leads_refund_floor_range check (refund_floor between 0 and 100);

-- The refund of the amount by which the change lowered the total of a confirmed booking. Null: it did not, or nothing was stated.
alter table booking_changes
  add column refund_percent smallint constraint booking_changes_refund_percent_range check (refund_percent between 0 and 100),
  add column refund_minor bigint constraint booking_changes_refund_range check (refund_minor >= 0),
  add constraint booking_changes_refund_complete check ((refund_percent is null) = (refund_minor is null));
-- For the report of refunds, like booking_leads_refunded (0143). Built within the lock of the new columns, because few bookings change.
create index booking_changes_refunded on booking_changes (at) where refund_minor > 0;
