import { Get, Middlewares, Path, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { Request as HttpRequest } from 'express';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { ALREADY_SENT, NO_STORE, PRIVATE, setCaching } from '../http/caching';
import { quota } from '../http/quota';
import { shareOf } from '../http/read-share';
import { tolerantQuery } from '../http/query-parameters';
import { cachedQuoter } from '../pricing/quote-tenant-price';
import { showTour } from '../catalog/cached-catalog';
import { OCTO_CAPABILITIES, type OctoCapabilityAnswer } from './capabilities';
import { findProductTour, productTexts } from './find-product';
import {
  capabilitiesOf,
  contentWishOf,
  octoEnvironment,
  sendTexts,
  setContentLanguages,
  setLanguageOfTour,
} from './octo.router';
import { type OctoProduct, type ProductView, toProduct } from './product.dto';

/** @example {"website": "https://tours.example", "email": "resellers@tours.example", "telephone": "+49 30 901820", "address": null} */
export interface OctoSupplierContact {
  website: string | null;
  email: string | null;
  telephone: string | null;
  address: string | null;
}

export interface OctoSupplier {
  /** @example "tour-platform" */
  id: string;
  /** @example "Tour Platform" */
  name: string;
  /**
   * The base address of OCTO.
   * @example "https://api.example.com/octo"
   */
  endpoint: string;
  contact: OctoSupplierContact;
}

@Route('octo')
@Tags('OCTO')
@Middlewares(quota('catalog'), octoEnvironment, tolerantQuery)
export class OctoCatalogController {
  constructor(private readonly context: ApiContext) {}

  /**
   * Returns the name and contact of the supplier, as the operator set them.
   * @summary Read the supplier
   */
  @Get('supplier')
  @Security('apiKey', [])
  async octoReadSupplier(@Request() request: HttpRequest): Promise<OctoSupplier> {
    setCaching(request, NO_STORE);
    const { publicBaseUrl, supplier } = this.context.config;
    return {
      id: 'tour-platform',
      name: supplier.name,
      endpoint: `${publicBaseUrl}/octo`,
      contact: {
        website: supplier.website ?? null,
        email: supplier.email ?? null,
        telephone: supplier.phone ?? null,
        address: supplier.address ?? null,
      },
    };
  }

  /**
   * Lists the capabilities that a request may name in `Octo-Capabilities`.
   * @summary List the capabilities
   */
  @Get('capabilities')
  @Security('apiKey', [])
  async octoListCapabilities(@Request() request: HttpRequest): Promise<OctoCapabilityAnswer[]> {
    setCaching(request, NO_STORE);
    return OCTO_CAPABILITIES;
  }

  /**
   * Returns all tours that the tenant sees, in the order of the catalog. OCTO has no pages, so the answer is streamed. Each API key gets
   * only one such list at a time.
   * @summary List the products
   * @param lang Language tag, for `octo/content`. Without it, `Accept-Language` chooses.
   * @maxLength lang 35
   * @pattern lang ^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$
   */
  @Get('products')
  @Security('apiKey', ['catalog:read'])
  async octoListProducts(@Request() request: HttpRequest, @Query() lang?: string): Promise<OctoProduct[]> {
    const { answers } = this.context;
    const share = shareOf(request);
    const preferred = await contentWishOf(request, share.cached(), lang);
    await setContentLanguages(request, preferred);
    await share.runList('products', (reads) =>
      sendTexts(request, productTexts({ ...reads, answers }, this.view(request), preferred), PRIVATE),
    );
    return ALREADY_SENT;
  }

  /**
   * Returns one tour.
   * @summary Read a product
   * @param id UUID of the tour.
   * @param lang Language tag, for `octo/content`. Without it, `Accept-Language` chooses.
   * @maxLength lang 35
   * @pattern lang ^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$
   */
  @Get('products/{id}')
  @Security('apiKey', ['catalog:read'])
  async octoReadProduct(
    @Request() request: HttpRequest,
    @Path() id: string,
    @Query() lang?: string,
  ): Promise<OctoProduct> {
    setCaching(request, PRIVATE);
    const view = this.view(request);
    const reads = shareOf(request).cached();
    const found = await findProductTour(reads, view.tenant, id);
    const quote = await cachedQuoter(reads, view.tenant, found);
    const preferred = await contentWishOf(request, reads, lang);
    const { tour, shown } = await showTour(reads, found, preferred);
    setLanguageOfTour(request, preferred, shown?.name ?? found.language);
    return toProduct(found, { ...view, quote }, tour);
  }

  private view(request: HttpRequest): Omit<ProductView, 'quote'> {
    const { tenant } = apiKeyPrincipalOf(request);
    return { tenant, capabilities: capabilitiesOf(request), baseUrl: this.context.config.publicBaseUrl };
  }
}
