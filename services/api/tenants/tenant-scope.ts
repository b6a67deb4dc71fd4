/** Every tenant's rows: for the operator's terminal alone. */
export const ANY_TENANT = Symbol('any tenant');

/** Whose rows are looked at: those of the tenant with this id, or all. It is never optional: forgotten, it does not compile. */
export type TenantScope = string | typeof ANY_TENANT;

/** As the binding of `:tenantId::uuid is null or tenant_id = :tenantId::uuid`. */
export function tenantIdOf(scope: TenantScope): string | null {
  return scope === ANY_TENANT ? null : scope;
}
