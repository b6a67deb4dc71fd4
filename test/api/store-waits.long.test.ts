import { register } from 'prom-client';
import { startTestApi, type TestApi } from '../support/api';
import { readSamples } from '../support/metric-samples';
import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { type RestStore, startRestStore } from '../support/rest-store';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';

describeWithRedis('a request that meets a shared store without an answer', () => {
  let rest: RestStore;
  let api: TestApi;
  let website: Website;
  let seats: Seats;
  beforeAll(async () => {
    rest = await startRestStore((await startRedis()).url);
    api = await startTestApi({
      sharedStore: { kind: 'rest', url: rest.url, token: rest.token },
      // Probes rarely, so that no probe is among the requests that a case counts.
      timing: { probeEveryMs: 3000 },
    });
    website = await givenWebsite(api);
    seats = await givenSeats(api.db, { seats: 10 });
  });
  afterAll(async () => {
    await api.stop();
    await rest.stop();
    await stopRedisServers();
  });

  const isUp = async () => {
    const samples = readSamples(await register.metrics());
    // Other test files of this worker add samples to the same metrics, so the sample must have the driver of this test.
    const sample = samples.find(({ name, labels }) => name === 'shared_store_up' && labels.driver === 'rest');
    return sample?.value === 1;
  };

  it.each(['availability', 'hold', 'booking'])(
    'a request waits only once for a shared store that does not answer: %s',
    async (kind) => {
      rest.setFault('none');
      while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
      const before = rest.requests.length;
      rest.setFault('hang');
      expect((await send(kind)).status).toBeLessThan(300);
      expect(rest.requests.slice(before)).toEqual(['/']);
      expect(await isUp()).toBe(false);
    },
  );

  function send(kind: string) {
    const { tour, date } = seats;
    const path = `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`;
    if (kind === 'availability') return website.get(path);
    if (kind === 'hold') return website.hold(tour, { departure_date: date, quantity: 1 });
    return website.book({ tour_id: tour.id, departure_date: date, adults: 1 });
  }
});
