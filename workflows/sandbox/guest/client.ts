/** `svc` in the sandbox. It knows no operation: whatever a script calls, the parent is asked for it by name. */
import { permissionName } from "../../../lib/operation/names.ts";
import type { Client } from "../../mod.ts";

/** Calls an operation, given its permission name, with the arguments of its function. */
export type Call = (operation: string, args: readonly unknown[]) => Promise<unknown>;

/** What a group or an operation may be called. All else is left to JavaScript, which asks objects for many a name. */
const NAME = /^[a-z][A-Za-z]*$/;

/** Names that JavaScript itself looks up: with `then`, `await svc.cases` would call something. */
const NOT_OURS: readonly string[] = ["then", "toJSON", ...Object.getOwnPropertyNames(Object.prototype)];

/** The functions of all operations that there may be. */
export function clientOf(call: Call): Client {
  const client = membersOf((group) =>
    membersOf((operation) => (...args: unknown[]) => call(permissionName(group, operation), args))
  );
  // The parent has the descriptions of which the type is made; it refuses what they do not have.
  return client as unknown as Client;
}

/** An object that makes its members when they are first asked for, and that nobody changes. */
function membersOf<T>(make: (name: string) => T): object {
  const made = new Map<string, T>();
  return new Proxy(Object.freeze({}), {
    get(target, name, receiver) {
      if (typeof name !== "string" || NOT_OURS.includes(name) || !NAME.test(name)) {
        return Reflect.get(target, name, receiver);
      }
      const member = made.get(name) ?? make(name);
      made.set(name, member);
      return member;
    },
  });
}
