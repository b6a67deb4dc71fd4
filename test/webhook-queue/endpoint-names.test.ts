import { nameAmong } from '../../services/webhook-queue/monitor/pages/endpoint-names';

/** Names the first endpoint of the list. */
function nameOfFirst(...urls: string[]): string {
  const endpoints = urls.map((url, index) => ({ id: `${index}aaaaaaa-0000-4000-8000-000000000000`, url }));
  return nameAmong(endpoints[0]!, endpoints);
}

describe('the name of an endpoint on the monitoring page', () => {
  it('the only endpoint of a host has the name of its host', () => {
    expect(nameOfFirst('https://a.example/hooks/in', 'https://b.example/hooks/out')).toBe('a.example');
  });

  it.each([
    ['https://a.example/hooks/prod', 'https://a.example/hooks/staging', 'a.example/…/prod'],
    ['https://a.example/prod', 'https://a.example/staging', 'a.example/prod'],
    ['https://a.example/prod/in', 'https://a.example/staging/in', 'a.example/prod/in'],
    ['https://a.example/x/prod/in', 'https://a.example/x/staging/in', 'a.example/…/prod/in'],
    ['https://a.example/', 'https://a.example/in', 'a.example/'],
    ['https://a.example:8443/in', 'https://a.example:8443/out', 'a.example:8443/in'],
  ])('%s beside %s is %s', (url, other, name) => {
    expect(nameOfFirst(url, other)).toBe(name);
  });

  it('a name shows only the last characters of a part that may be a secret', () => {
    expect(nameOfFirst('https://a.example/services/T0123/B9xK2mZqWv8s', 'https://a.example/in')).toBe(
      'a.example/…/…Wv8s',
    );
  });

  it('endpoints that differ only in the query have the beginning of their id, and never the query', () => {
    expect(nameOfFirst('https://a.example/in?key=one', 'https://a.example/in?key=two')).toBe(
      'a.example (0aaaaaaa)',
    );
  });
});
