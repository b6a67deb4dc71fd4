import { acceptedTags } from '../../services/api/http/preferred-languages';
import { chooseLanguage, formatsOf } from '../../services/api/widget/languages';
import { useTestApi } from '../support/api';
import { givenTenant, givenTour } from '../support/given';
import { givenWidgetToken } from './given-widget';

/** Returns a valid tag with as many extensions as fit: `de-u-aaaa-aaab-…`. */
function longTag(length: number): string {
  let tag = 'de-u';
  for (let n = 0; tag.length + 5 <= length; n++) tag += `-a${n.toString(36).padStart(3, '0')}`;
  return tag;
}

describe('the language of the embed page', () => {
  it.each([
    ['de', 'de'],
    ['DE-at', 'de-AT'],
    ['de-AT-1996', 'de-AT'],
    ['de-LI', 'de'],
    ['de-u-nu-arab', 'de'],
    ['en-GB-x-private', 'en-GB'],
    ['ar-EG', 'ar-EG'],
    ['pt', 'pt-PT'],
    ['pt-AO', 'pt-PT'],
    ['pt-PT', 'pt-PT'],
    ['pt-br', 'pt-BR'],
    ['tlh', 'en'],
    ['__proto__', 'en'],
    ['constructor', 'en'],
    ['', 'en'],
    ['-', 'en'],
    [undefined, 'en'],
    [['de'], 'en'],
    [longTag(35), 'de'],
  ])('the tag %j chooses the language %s', (tag, locale) => {
    expect(chooseLanguage([tag]).locale).toBe(locale);
  });

  it.each([
    ['pt', 'desde', '26/12/2026'],
    ['pt-BR', 'a partir de', '26 de dez. de 2026'],
  ])('the words and the dates of %s are of one country', (tag, from, date) => {
    const { locale, words } = chooseLanguage([tag]);
    expect([words.from, formatsOf(locale).date('2026-12-26')]).toEqual([from, date]);
  });

  it.each([
    ['en', 'Free cancellation until', 'before', 'the start'],
    ['de', 'Kostenlos stornierbar bis', 'vorher', 'zum Beginn'],
    ['fr', 'Annulation gratuite', 'avant', 'au départ'],
    ['es', 'Cancelación gratuita hasta', 'antes', 'el inicio'],
    ['pt', 'Cancelamento gratuito até', 'antes', 'ao início'],
    ['pt-BR', 'Cancelamento grátis até', 'antes', 'o início'],
    ['vi', 'Hủy miễn phí đến', 'trước khi khởi hành', 'lúc khởi hành'],
    ['ja', '', '前までキャンセル無料', '開始まで'],
    ['ar', 'الإلغاء مجاني إذا بقي على الانطلاق', 'أو أكثر', 'حتى الانطلاق'],
  ])('the words of a full refund in %s have the time between them', (tag, before, after, start) => {
    const { words } = chooseLanguage([tag]);
    const [first, last, ...none] = words.freeUntil.split('{time}');
    expect([first, last, none]).toEqual([
      expect.stringMatching(`^${before}`),
      expect.stringContaining(after),
      [],
    ]);
    expect(words.freeUntilStart).toContain(start);
  });

  it.each([
    ['en', '1 day', '2 days', '3 hours', '1 minute', '90 minutes'],
    ['de', '1 Tag', '2 Tage', '3 Stunden', '1 Minute', '90 Minuten'],
    ['fr', '1 jour', '2 jours', '3 heures', '1 minute', '90 minutes'],
    ['es', '1 día', '2 días', '3 horas', '1 minuto', '90 minutos'],
    ['pt', '1 dia', '2 dias', '3 horas', '1 minuto', '90 minutos'],
    ['pt-BR', '1 dia', '2 dias', '3 horas', '1 minuto', '90 minutos'],
    ['vi', '1 ngày', '2 ngày', '3 giờ', '1 phút', '90 phút'],
    ['ja', '1 日', '2 日', '3 時間', '1 分', '90 分'],
    ['ar', 'يوم', 'يومان', '3 ساعات', 'دقيقة', '90 دقيقة'],
  ])('a length of time in %s has its plural form', (tag, ...expected) => {
    const { duration } = formatsOf(chooseLanguage([tag]).locale);
    const lengths = [duration(1, 'day'), duration(2, 'day'), duration(3, 'hour'), duration(1, 'minute')];
    expect([...lengths, duration(90, 'minute')]).toEqual(expected.map((text) => text.replace(' ', '\u00a0')));
  });

  it('a number of days stays on one line with its unit', () => {
    expect(formatsOf(chooseLanguage(['de']).locale).duration(3, 'day')).toBe('3\u00a0Tage');
  });

  it('the parser of Accept-Language chooses en for a tag of 13.6 KB', () => {
    expect(chooseLanguage([longTag(13_600)]).locale).toBe('en');
  });
});

describe('Accept-Language', () => {
  it('the parser of Accept-Language orders the tags by weight and leaves out weight 0', () => {
    expect(acceptedTags('fr;q=0.5, de-AT, en ; q=0.8, ja;q=0, vi;q=x')).toEqual(['de-AT', 'en', 'fr']);
    expect(acceptedTags(undefined)).toEqual([]);
  });

  it('the parser of Accept-Language reads at most 500 characters and 20 tags', () => {
    expect(acceptedTags('xx,'.repeat(4000))).toHaveLength(20);
    expect(acceptedTags(`${' '.repeat(500)}de`)).toEqual(['']);
    expect(acceptedTags('x'.repeat(14_000))[0]).toHaveLength(500);
  });
});

describe('a hostile Accept-Language', () => {
  const api = useTestApi();
  let token: string;
  beforeAll(async () => {
    const { db } = api;
    ({ token } = await givenWidgetToken(db, await givenTenant(db)));
    for (let n = 0; n < 30; n++) await givenTour(db);
  });

  it('a header of 1,000 characters costs less than 300 ms of CPU, in the page and in a refusal', async () => {
    const ask = (query: Record<string, string>) =>
      api.http
        .get('/embed/tours')
        .query(query)
        .set({ accept: 'text/html', 'accept-language': longTag(1000) });
    await ask({ token });
    for (const query of [{ token, limit: '30' }, { token: 'x' }] as Record<string, string>[]) {
      const before = process.cpuUsage();
      const { text } = await ask(query);
      const { user, system } = process.cpuUsage(before);
      expect(text).toContain('<html lang="en" dir="ltr"');
      expect((user + system) / 1000).toBeLessThan(300);
    }
  });

  it('the embed page reads the first languages of an Accept-Language header of 13.6 KB', async () => {
    const { status, text } = await api.http
      .get('/embed/tours')
      .query({ token })
      .set({ 'accept-language': `fr, ${longTag(13_600)}` });
    expect(status).toBe(200);
    expect(text).toContain('<html lang="fr"');
  });

  it('the embed page skips a language tag of 400 characters and uses the next one', async () => {
    const { text } = await api.http
      .get('/embed/tours')
      .query({ token })
      .set({ 'accept-language': `${longTag(400)}, fr` });
    expect(text).toContain('<html lang="fr"');
  });
});
