-- The CHECKs of holds and bookings (0144) call this function for each written row. PostgreSQL runs a query in an SQL function 4 times slower
-- than these expressions: 30 instead of 7 microseconds a row.

-- Returns the total of a party in minor units. Null: the party is empty, a category has no valid price, or a number of units is not from 1 to 99.
-- @param party the number of units by category: {"adult": 2, "child": 1}
create or replace function party_total(party jsonb, prices jsonb) returns bigint language plpgsql immutable strict as $$
declare
  codes jsonb := jsonb_path_query_array(party, '$.keyvalue().key');
  total bigint := case when codes <> '[]' then 0 end;
  code text;
  units integer;
  price bigint;
begin
  for i in 0 .. jsonb_array_length(codes) - 1 loop
    code := codes ->> i;
    units := party ->> code;
    price := prices ->> code;
    if units not between 1 and 99 or price < 0 then
      return null;
    end if;
    total := total + units * price;
  end loop;
  return total;
end $$;
