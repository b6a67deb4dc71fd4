import { describeInChromium } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { holdSeats } from '../visit';

describeInChromium(
  'the element on a site whose setup loses its visitors',
  (browser) => {
    const site = useElementSite(browser, { proxy: { onError: () => undefined } });
    let tour: GivenTour;
    beforeAll(async () => {
      tour = await givenTour(site.api.db);
      await givenDeparture(site.api.db, tour, { seats: 50 });
    });
    const holds = () => site.api.db('seat_holds').where({ status: 'active' });

    /** Opens the tag under another name than that of this machine, and asks for seats. */
    const askForSeats = async () => {
      await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
      await site.page.goto(site.address.replace('127.0.0.1', 'shop.example'));
      await site.page.locator('.day.open').first().click();
      await site.page.getByRole('button', { name: 'Hold the seats' }).click();
      await site.page.getByText('Something went wrong').waitFor();
    };

    it('a page with http, whose cookie the browser drops, takes no seats, and the console says to use https', async () => {
      await askForSeats();
      expect(site.complaints).toContainEqual(
        expect.stringMatching(/<tour-booking>: .*Serve the site by https/),
      );
      expect(await holds()).toEqual([]);
    });

    it('a reverse proxy that does not keep Host takes no seats, and the console has the line for nginx', async () => {
      site.intercept = (request, _response, next) => {
        request.headers.host = '127.0.0.1:4000';
        next();
      };
      await askForSeats();
      expect(site.complaints).toContainEqual(
        expect.stringMatching(/<tour-booking>: .*proxy_set_header Host \$http_host/),
      );
      expect(await holds()).toEqual([]);
    });

    it.each([
      ['a tag with another address than the proxy', '/elsewhere'],
      ['a proxy without its path, which answers that it has nothing there', '/tours/tours'],
    ])('%s: the console names the attribute and the option', async (_setup, path) => {
      await site.open(`<tour-booking tour="${tour.slug}" api="${path}"></tour-booking>`);
      await site.page.getByText('Something went wrong').waitFor();
      expect(site.complaints).toContainEqual(
        expect.stringMatching(/<tour-booking>: .*Check the attribute api and the option path/),
      );
    });

    it('a visitor whose cookie the site does not know any more gets a new one with the first hold', async () => {
      const url = site.address;
      const unknown = `${Buffer.from('{}').toString('base64url')}.${'A'.repeat(43)}`;
      await site.context.addCookies([
        { name: 'tour_visitor', value: unknown, url, httpOnly: true },
        { name: 'tour_state', value: 'held', url },
      ]);
      await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
      await holdSeats(site.page);
      const cookies = await site.context.cookies();
      expect(cookies.find(({ name }) => name === 'tour_visitor')!.value).not.toBe(unknown);
      expect(await holds()).toHaveLength(1);
    });
  },
  ['--host-resolver-rules=MAP shop.example 127.0.0.1'],
);
