import openapi from '../../generated/openapi.json';
import { GENERATED_BASE_URL, type OpenApiDocument } from '../openapi-document';

/** The description of the API as this installation serves it. */
export function servedDocument(publicBaseUrl: string): OpenApiDocument {
  return withBaseUrl(openapi as unknown as OpenApiDocument, publicBaseUrl);
}

/** Replaces the default addresses of generated files by those of this installation. */
export function withBaseUrl<T>(value: T, publicBaseUrl: string): T {
  const text = JSON.stringify(value);
  return JSON.parse(
    text.replaceAll(GENERATED_BASE_URL, () => JSON.stringify(publicBaseUrl).slice(1, -1)),
  ) as T;
}
