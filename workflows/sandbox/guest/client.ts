/** `svc` in the sandbox. It knows no operation: whatever a script calls, the parent is asked for it by name. */
import { permissionName } from "../../../lib/operation/names.ts";
import { SvcError } from "../../../lib/errors.ts";
import { iteratePages, type PagePlan } from "../../../lib/operation/pages.ts";
import type { Client } from "../../mod.ts";

/** Calls an operation, given its permission name, with the arguments of its function. */
export type Call = (
  operation: string,
  args: readonly unknown[],
  onPages?: (pages: PagePlan) => void,
) => Promise<unknown>;

/** What a group or an operation may be called. All else is left to JavaScript, which asks objects for many a name. */
const NAME = /^[a-z][A-Za-z]*$/;

/** Names that JavaScript itself looks up: with `then`, `await svc.cases` would call something. */
const NOT_OURS: readonly string[] = ["then", "toJSON", ...Object.getOwnPropertyNames(Object.prototype)];

/** The functions of all operations that there may be. */
export function clientOf(call: Call): Client {
  const client = membersOf((group) =>
    membersOf((operation) => (...args: unknown[]) => startCall(call, permissionName(group, operation), args))
  );
  // The parent has the descriptions of which the type is made; it refuses what they do not have.
  return client as unknown as Client;
}

/** Makes a call whose promise also iterates over the items of all pages: the first reply says how. */
function startCall(call: Call, operation: string, args: readonly unknown[]): Promise<unknown> {
  let pages: PagePlan | undefined;
  const answer = call(operation, args, (plan) => pages = plan);
  const iterate = async function* () {
    const first = await answer;
    if (pages === undefined) throw hasNoPages(operation, first);
    yield* iteratePages(pages, args, first, (args) => call(operation, args));
  };
  return Object.defineProperty(answer, Symbol.asyncIterator, { value: iterate });
}

function hasNoPages(operation: string, answer: unknown): SvcError {
  if (typeof answer === "function") Reflect.get(answer, Symbol.asyncIterator); // A placeholder: the plan ends here.
  return new SvcError("INVALID_ARGS", `${operation} returns no pages.`, { hint: "Await its answer." });
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
