-- Folding of text for the search for a booking (ADR 37).

-- Returns the words of a text in the form that the search for a booking compares: lower case, without accents, special letters as ASCII,
-- and a space in place of punctuation. The API folds the letters of names in the same way. The function is PL/pgSQL, because PostgreSQL
-- then does not inline it: plans show its name, and its cost makes the planner prefer an index to a scan that folds each row.
create function fold_words(value text) returns text
  language plpgsql immutable strict parallel safe cost 1000 as $$
begin
  return regexp_replace(
    translate(replace(replace(replace(replace(
      regexp_replace(lower(normalize(value, nfkd)), '[\u0300-\u036f]+', '', 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ðđøłħŧŋıĸς', 'ddolhtniκσ'),
    '[\s!-/:-@\[-`{-~\u00a0-\u00bf\u02bb-\u02bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g');
end $$;
