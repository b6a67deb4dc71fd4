import type { Scope } from '../../../../services/api/credentials/scope';
import type { Format } from '../../../../services/webhook-queue/operations';
import type { RuleOptions } from '../../pricing/add';
import type { TargetOptions } from '../../visibility/visibility-targets';
import type { TenantOptions } from '../tenant-options';

type Basics = 'status' | 'currency' | 'country' | 'bookingPrefix' | 'visibility' | 'depositPercent';

/** The flags of `tenant onboard`, as their parsers leave them; the guided path fills in the same. */
export interface OnboardOptions
  extends Pick<TenantOptions, Basics>, TargetOptions, Pick<RuleOptions, 'percent' | 'amount' | 'roundTo'> {
  name: string;
  slug?: string;
  origin?: string[];
  dev?: boolean;
  /** False with --no-key. */
  key: boolean;
  scope?: Scope[];
  website?: string;
  /** Seconds. */
  keyExpiresIn?: number | null;
  /** False with --no-widget. */
  widget: boolean;
  /** Seconds. */
  widgetExpiresIn?: number | null;
  webhook?: string;
  event?: string[];
  format?: Format;
  out?: string;
  yes?: boolean;
}
