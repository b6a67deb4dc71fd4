import createOpenapiClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchOptions,
  type FetchResponse,
} from 'openapi-fetch';
import type { paths } from './openapi.ts';
import { fetchWithRetries, type RetryLimits } from './retries.ts';

/** The paths for the server of a tenant. Leaves out the paths of OCTO and the widget, which other clients call. */
type TenantPath = Extract<keyof paths, `/api/tenant/${string}` | `/api/gateway/${string}`>;
type TenantPaths = Pick<paths, TenantPath>;

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathOf<M extends Method> = ClientPathsWithMethod<Client<TenantPaths>, M>;
type Operation<M extends Method, P> = P extends TenantPath ? TenantPaths[P][M] : never;

type Init<M extends Method, P> = Pick<
  FetchOptions<Operation<M, P>>,
  'params' | 'body' | 'headers' | 'signal'
>;

/**
 * A call of openapi-fetch that always has `data`, because the client throws an error otherwise. The type parameter I tells the compiler
 * whether `init` may be left out.
 */
type Call<M extends Method> = <P extends PathOf<M>, I extends Init<M, P> = Init<M, P>>(
  path: P,
  ...init: object extends I ? [init?: Init<M, P>] : [init: Init<M, P>]
) => Promise<Extract<FetchResponse<Operation<M, P> & object, object, 'application/json'>, { data: unknown }>>;

/**
 * The calls of the platform, by path: `GET('/api/tenant/catalog', { params: { query: { tag: 'family' } } })`. Each call returns the body of
 * the response as `data`, and the response itself with its headers as `response`. A response with status 304 has no `data`.
 * @throws TourPlatformError
 */
export interface TourPlatform {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

export interface ClientOptions extends Partial<RetryLimits> {
  /** Address of the platform, without a path. */
  baseUrl: string;
  /** `svc_live_…` */
  apiKey: string;
}

/** Creates a client for all calls of a process. With the default limits the six tries wait for 8 to 16 seconds in all. */
export function createClient({
  baseUrl,
  apiKey,
  maxTries = 6,
  timeoutMs = 10_000,
  totalTimeoutMs = 30_000,
}: ClientOptions): TourPlatform {
  const limits = { maxTries, timeoutMs, totalTimeoutMs };
  const client = createOpenapiClient<TenantPaths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: (request) => fetchWithRetries(request, limits),
  });
  return client as unknown as TourPlatform;
}
