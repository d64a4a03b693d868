/** Operations by name, and values for their parameters. */
import {
  type Group,
  listParams,
  type Operation,
  type OperationRef,
  type Param,
  permissionName,
} from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";

/** An operation by the names of its group and its function. */
export async function operationByName(group: string, name: string): Promise<OperationRef> {
  const resources: Readonly<Record<string, Group>> = await loadResources();
  const operation = resources[group]?.[name];
  if (operation === undefined) throw new TypeError(`No operation ${group}.${name}`);
  return { name: permissionName(group, name), operation };
}

/** Returns a value for each required parameter of an operation. */
export function createValues(operation: Operation): Record<string, unknown> {
  const { atLeastOne: [one] = [] } = operation;
  const required = listParams<Param>(operation).filter(([name, { required }]) => required || name === one);
  return Object.fromEntries(required.map(([name, { type }]) => [name, VALUES[type]]));
}

const VALUES: Readonly<Record<Param["type"], unknown>> = {
  string: "X",
  integer: 1,
  boolean: true,
  object: { ID: "1" },
  array: [],
  list: ["X"],
  calculation: { calculations: { fields: [] } },
  file: { name: "a.txt", size: 0, stream: () => new Blob([]).stream() },
};
