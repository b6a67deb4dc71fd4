-- The family of the API key that a stored answer was sent to. A key of another family that may not read bookings gets the answer without its
-- people (ADR 62). Null: the answer was stored by an earlier release, or was erased.
alter table idempotency_keys add column key_family char(12);
