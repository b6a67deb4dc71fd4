-- Validates the constraints of 0015 while sales go on.
alter table seat_holds
  validate constraint seat_holds_children_range,
  validate constraint seat_holds_children_priced,
  validate constraint seat_holds_prices_range;

alter table booking_leads
  validate constraint booking_leads_party_range,
  validate constraint booking_leads_party_priced,
  validate constraint booking_leads_prices_range,
  validate constraint booking_leads_total_is_sum,
  validate constraint booking_leads_travellers_are_list,
  validate constraint booking_leads_cancel_reason_length,
  validate constraint booking_leads_customer_known;
