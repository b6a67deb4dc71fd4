import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { adults, reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const terminal = useTerminalOf(api);
const { reseller, tours } = useConformance(api);

const PRICING = { 'octo-capabilities': 'octo/pricing' };

describe('an adjustment of the desk in OCTO', () => {
  it('retail is the total with it, original, net and units are without it, and a change whose total would be below 0 is UNPROCESSABLE_ENTITY', async () => {
    const two = reservationOf(tours.openingHours, { unitItems: adults(2) });
    const { uuid } = expectOcto(await reseller.post('/octo/bookings', two), 'booking');
    const path = `/octo/bookings/${uuid}`;
    const { body: before } = await reseller.post(`${path}/confirm`, {}, PRICING);
    const { original, net, currencyPrecision } = before.pricing;
    const gift = (original - 1) / 10 ** currencyPrecision;
    await terminal.json(`booking change ${before.supplierReference} --adjust -${gift} --reason Gift`);
    const read = async () => (await reseller.get(path).set(PRICING)).body;
    const adjusted = await read();
    expect(adjusted.pricing).toMatchObject({ original, net, retail: 1 });
    expect(adjusted.unitItems).toEqual(before.unitItems);
    const refused = await reseller.patch(path, { unitItems: adults(1) });
    expectOctoError(refused, 400, 'UNPROCESSABLE_ENTITY');
    expect(refused.body.errorMessage).toContain(`an adjustment of -${gift.toFixed(currencyPrecision)}`);
    expect((await read()).pricing).toEqual(adjusted.pricing);
  });
});
