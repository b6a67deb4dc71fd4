import type { IocContainer } from '@tsoa/runtime';
import type { Request } from 'express';
import { contextOf } from './http/api-context';

/** Creates the controller of a request for tsoa. */
export function iocContainer(request: Request): IocContainer {
  const get = (controller: unknown): unknown =>
    new (controller as new (context: unknown) => unknown)(contextOf(request));
  return { get } as IocContainer;
}
