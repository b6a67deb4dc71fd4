import type { Db } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import { isVisibleTo, visibilityJoins } from './visibility';
import type { TranslatedTexts, Translations, PreferredLanguages } from './tour-text';

/**
 * Returns the different values of `languages` in tour_names. Steps through the index, because `distinct` would read all names (ADR 40).
 */
export async function findLanguageCombinations(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { languages: string }[] }>(
    `with recursive combination (languages) as (
       select min(languages) from tour_names
       union all
       select (select min(n.languages) from tour_names n where n.languages > c.languages)
       from combination c where c.languages is not null
     )
     select languages from combination where languages is not null`,
  );
  return rows.map(({ languages }) => languages);
}

/**
 * Returns the languages in which the tenant's visible tours have texts: first the tours' own languages, the most frequent first, then those
 * of translations. Reads all tours that the tenant sees in one pass.
 */
export async function findTenantLanguages(db: Db, tenant: Tenant): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { language: string }[] }>(
    `select l.language
     from tours t ${visibilityJoins(':tenantId')} cross join lateral (
       select t.language, 1 as own union all select jsonb_object_keys(t.translation_names), 0) l
     where ${isVisibleTo(tenant)} group by l.language order by sum(l.own) desc, l.language collate "C"`,
    { tenantId: tenant.id, sellIn: tenant.sellIn },
  );
  return rows.map(({ language }) => language);
}

/** Returns the language of the translation with this name of the tour. Undefined: no translation has it. */
export async function findLanguageOfName(db: Db, tourId: string, name: string): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { language: string }[] }>(
    `select x.key as language from tours t, jsonb_each(t.translations) x
     where t.id = :tourId and x.value ->> 'name' = :name order by x.key limit 1`,
    { tourId, name },
  );
  return rows[0]?.language;
}

/**
 * Returns the translations of these tours into the preferred languages, by the tour's id. Leaves out tours without one.
 * @param texts only these texts; undefined: all
 */
export async function findTranslations(
  db: Db,
  tourIds: string[],
  preferred: PreferredLanguages,
  texts?: (keyof TranslatedTexts)[],
): Promise<Map<string, Translations>> {
  const languages = preferred.flat();
  if (tourIds.length === 0 || languages.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { id: string; translations: Translations }[] }>(
    `select t.id, jsonb_object_agg(l.language, (
         select coalesce(jsonb_object_agg(x.key, x.value), '{}') from jsonb_each(t.translations -> l.language) x
         where x.key = any(:texts::text[]) or :texts::text[] is null)) as translations
     from tours t cross join unnest(:languages::text[]) as l (language)
     where t.id = any(:tourIds::uuid[]) and jsonb_exists(t.translation_names, l.language)
     group by t.id`,
    { tourIds, languages: [...new Set(languages)], texts: texts ?? null },
  );
  return new Map(rows.map(({ id, translations }) => [id, translations]));
}
