-- For the search for the customers of bookings and holds, and for the periodic erasure of ended holds (ADR 23).

-- The words of a booking, with the text of its phone number and the digits in it. The search has the same expression.
drop index concurrently if exists booking_leads_search_texts;
create index concurrently booking_leads_search_texts on booking_leads using gin (
  fold_words(' ' || booking_ref || ' | ' || coalesce(customer_name, '') || ' | ' || coalesce(customer_phone, '') || ' | '
    || coalesce(customer_email, '') || ' | ' || coalesce(external_ref, '') || ' | ' || coalesce(customer_phone_as_sent, '') || ' | '
    || coalesce(regexp_replace(customer_phone_as_sent, '\D', '', 'g'), '') || ' ') gin_trgm_ops);
drop index concurrently if exists booking_leads_search;

-- The words of a hold. Most holds have no customer and are not in the index.
drop index concurrently if exists seat_holds_search;
create index concurrently seat_holds_search on seat_holds using gin (
  fold_words(' ' || coalesce(customer_name, '') || ' | ' || coalesce(customer_phone, '') || ' | '
    || coalesce(customer_email, '') || ' | ' || coalesce(external_ref, '') || ' | ' || coalesce(customer_phone_as_sent, '') || ' | '
    || coalesce(regexp_replace(customer_phone_as_sent, '\D', '', 'g'), '') || ' ') gin_trgm_ops)
  where num_nonnulls(customer_name, customer_phone, customer_email) > 0;

-- The ended holds by their end: those that still have a customer, and all.
drop index concurrently if exists seat_holds_to_anonymize;
create index concurrently seat_holds_to_anonymize on seat_holds (expires_at)
  where status in ('released', 'expired') and anonymized_at is null;
drop index concurrently if exists seat_holds_to_delete;
create index concurrently seat_holds_to_delete on seat_holds (expires_at) where status in ('released', 'expired');
