/** Creates the functions of a client, such as `svc.cases.create({...})`, from the descriptions of the operations. */
import { captureCallSite, locateError } from "../locate_errors.ts";
import { mapValues } from "../../utils/map_values.ts";
import {
  type Group,
  type Operation,
  type OperationRef,
  permissionName,
  REQUEST_OPTIONS,
  type RequestOptions,
  toCamel,
} from "../operation/operation.ts";
import { planPages } from "../operation/pages.ts";
import { truncate } from "../../utils/text/wording.ts";
import { type ReportingCall, type ResponseInfo, startCall } from "./api_promise.ts";
import type { Client } from "./client_type.ts";
import { misplaced, type Values } from "./request/values.ts";

/** Maximum length of a handle in a message. */
const MAX_HANDLE = 100;

/** Makes one call and checks its answer. */
export type Invoke = (
  ref: OperationRef,
  values: Values,
  options: RequestOptions,
  onResponse?: (response: ResponseInfo) => void,
) => Promise<unknown>;

/** Creates the functions of all operations. Each makes its call by `invoke`. */
export function bindOperations(resources: Readonly<Record<string, Group>>, invoke: Invoke): Client {
  const client = mapValues(resources, (group, groupName) =>
    mapValues(group, (operation, name) => {
      const ref = { name: permissionName(groupName, name), operation };
      const plan = planPages(operation);
      return function perform(...args: unknown[]) {
        const site = captureCallSite(perform);
        const call: ReportingCall = async (args, onResponse) => {
          const [values, options] = splitArguments(operation, args);
          try {
            return await invoke(ref, values, options, onResponse);
          } catch (error) {
            throw locateError(error, site, describeCall(ref, values));
          }
        };
        return startCall(call, args, plan);
      };
    }));
  // The functions are made from the same descriptions as their types; TypeScript cannot follow that through a loop.
  return client as unknown as Client;
}

/** Describes a call as a program writes it: its function and its first positional argument. */
function describeCall({ name, operation }: OperationRef, values: Values): string {
  const [first] = operation.args ?? [];
  const handle = first && values[first.name];
  return `${toCamel(name)}(${typeof handle === "string" ? truncate(JSON.stringify(handle), MAX_HANDLE) : ""})`;
}

/** Splits the arguments of an operation's function into the values of the call, by parameter name, and its options. */
export function splitArguments(operation: Operation, args: readonly unknown[]): [Values, RequestOptions] {
  const names: readonly string[] = (operation.args ?? []).map((arg) => arg.name);
  const positional = Object.fromEntries(names.map((name, i) => [name, args[i]]));
  const { flags } = operation;
  const [params, options] = flags === undefined ? [undefined, args[names.length]] : args.slice(names.length);
  const { signal, timeoutSeconds, idempotencyKey, ifMatch, ...unknown }: Record<string, unknown> & RequestOptions =
    Object(options ?? {});
  const values = {
    ...positional,
    ...renameKeys(Object(params ?? {}), (name) => isRequestOption(name) ? misplaced("params", name) : named(name)),
    ...renameKeys(unknown, (name) => flags === undefined ? named(name) : misplaced("options", name)),
    ...(ifMatch !== undefined && { ifMatch }),
  };
  return [values, { signal, timeoutSeconds, idempotencyKey }];

  // A member named like a positional argument must not take its place.
  function named(name: string): string {
    return names.includes(name) ? misplaced("options", name) : name;
  }
}

function isRequestOption(name: string): boolean {
  return REQUEST_OPTIONS.some((option) => option === name);
}

function renameKeys(object: Record<string, unknown>, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}
