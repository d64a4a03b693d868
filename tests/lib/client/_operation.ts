/** Operations by name. */
import { type Group, type OperationRef, permissionName } from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";

/** An operation by the names of its group and its function. */
export async function operationByName(group: string, name: string): Promise<OperationRef> {
  const resources: Readonly<Record<string, Group>> = await loadResources();
  const operation = resources[group]?.[name];
  if (operation === undefined) throw new TypeError(`No operation ${group}.${name}`);
  return { name: permissionName(group, name), operation };
}
