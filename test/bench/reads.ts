import type { Instance } from '../stack/service';
import { type BareServer, type Framework, FRAMEWORKS, withBareServers } from './bare-servers';
import { cpuMs } from './cpu-time';
import { load, type LoadResult } from './load';
import { inTurns, type Row, rounded } from './row';
import type { BenchStack } from './stack';
import { median } from './table';

const SECONDS = 2;
const CONNECTIONS = 16;

/** A read of the API, and the body that a bare server answers for the comparison. */
interface Read {
  name: string;
  path: string;
  headers: Record<string, string>;
  /** True: each request comes from another visitor. */
  visitors?: boolean;
  /** The name of the body, which is also its path on a bare server. */
  body: string;
  aim: number;
}

interface Cost extends LoadResult {
  /** CPU microseconds of the server for a request. */
  cpu: number;
}

/** Measures the CPU time per read of the API with everything on, and of bare servers that answer the same body. */
export async function measureReads(stack: BenchStack, api: Instance): Promise<Row[]> {
  const { reads, bodies } = await prepare(stack, api);
  const ours = { url: api.baseUrl, pid: api.child().pid };
  return withBareServers(stack.directory, bodies, async (servers) => {
    const measure =
      (read: Read, seconds = SECONDS) =>
      async () => {
        const product = await cost(ours, read.path, seconds, read);
        const others = {} as Record<Framework, Cost>;
        for (const bare of servers) others[bare.framework] = await cost(bare, `/${read.body}`, seconds);
        return { product, ...others };
      };
    // Compiles the hot functions of all servers.
    for (const read of reads) await measure(read, 1)();
    const rounds = await inTurns(reads.map((read) => [read.name, measure(read)]));
    return reads.map((read) => {
      const list = rounds.get(read.name)!;
      const cpu = (server: Framework | 'product') => rounded(median(list.map((one) => one[server].cpu)));
      return {
        what: `read: ${read.name}`,
        beside: 'bare Express, CPU',
        ratios: list.map(({ product, express }) => express.cpu / product.cpu),
        aim: { atLeast: read.aim },
        figures:
          `${cpu('product')} µs, ${rounded(median(list.map(({ product }) => product.perSecond)))}/s; ` +
          FRAMEWORKS.map((framework) => `${framework} ${cpu(framework)} µs`).join(', '),
      };
    });
  });
}

async function prepare(
  { targets, apiKey, widgetToken }: BenchStack,
  api: Instance,
): Promise<{ reads: Read[]; bodies: Record<string, unknown> }> {
  const { slug, date } = targets[0]!;
  const key = { Authorization: `Bearer ${apiKey}` };
  const reads: Read[] = [
    {
      name: 'availability (cached)',
      body: 'availability',
      headers: key,
      aim: 2,
      path: `/api/gateway/tours/${slug}/availability?departure_date=${date}`,
    },
    { name: 'tour', path: `/api/tenant/tours/${slug}`, headers: key, body: 'tour', aim: 2 },
    {
      name: 'departures',
      body: 'departures',
      headers: key,
      aim: 2,
      path: `/api/tenant/tours/${slug}/departures`,
    },
    {
      name: 'widget list',
      body: 'widget',
      headers: {},
      visitors: true,
      aim: 2,
      path: `/api/widget/tours?token=${widgetToken}`,
    },
    {
      name: 'catalog page of 24',
      body: 'catalog',
      headers: key,
      aim: 1.5,
      path: '/api/tenant/catalog?limit=24',
    },
  ];
  const bodies: Record<string, unknown> = {};
  let etag = '';
  for (const { path: where, headers, body } of reads) {
    const answer = await fetch(api.baseUrl + where, { headers });
    if (!answer.ok) throw new Error(`${where} answered ${answer.status}`);
    etag = answer.headers.get('etag') ?? '';
    bodies[body] = await answer.json();
  }
  const page = reads.at(-1)!;
  const notModified = { ...page.headers, 'If-None-Match': etag };
  reads.push({ ...page, name: '304 of the catalog page', headers: notModified, aim: 2 });
  return { reads, bodies };
}

async function cost(
  { url, pid }: Pick<BareServer, 'url' | 'pid'>,
  where: string,
  seconds: number,
  { headers, visitors }: Partial<Read> = {},
): Promise<Cost> {
  const before = cpuMs(pid);
  const result = await load(url + where, {
    connections: CONNECTIONS,
    seconds,
    headers,
    environment: visitors ? { VISITORS: '1' } : {},
  });
  return { ...result, cpu: (1000 * (cpuMs(pid) - before)) / result.requests };
}
