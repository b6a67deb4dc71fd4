-- The keyed digest of the row of an import from which the booking was made. An import of the same row again compares it, whatever happened to
-- the booking since. Null: the booking is not of an import.
alter table booking_leads add column import_digest text;

-- A digest that differs if the key of the digests (CURSOR_KEY) differs: with another key, no row of this import would be known again.
alter table booking_imports add column key_check text;

insert into rolling_migrations values ('0165_imported_rows');
