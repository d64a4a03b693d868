/**
 * What a script is given in a plan for an answer that only a change would give. Its members are stand-ins, too. In a call
 * and in a text it becomes a mark that the parent knows; where its real value is needed, the run ends.
 */
import { SvcError } from "../../../lib/errors.ts";
import { fail } from "./fail.ts";

/** Members of members: a loop that follows them would find no end. */
const MAX_MEMBERS = 50;

const encoder = new TextEncoder();

/** A stand-in; with this its marks begin. */
export function standIn(prefix: string, members: readonly string[] = []): object {
  const mark = markOf(prefix, members);
  const need = (): never => failFor(mark);
  if (members.length > MAX_MEMBERS) need();
  const asText = () => mark;
  // A function, so that a call of it, such as `answer.id.split(" ")`, is noticed. What it shows in a log is the mark.
  const target = Object.assign(() => {}, { [Symbol.for("Deno.customInspect")]: asText });
  const made = new Map<string, object>();
  return new Proxy(target, {
    get(_, name) {
      if (name === Symbol.toPrimitive) return (hint: string) => hint === "string" ? mark : need();
      if (name === Symbol.iterator || name === Symbol.asyncIterator) return need();
      if (name === "toJSON" || name === "toString") return asText;
      // Awaiting it gives the stand-in itself.
      if (typeof name === "symbol" || name === "then") return undefined;
      const member = made.get(name) ?? standIn(prefix, [...members, name]);
      made.set(name, member);
      return member;
    },
    getPrototypeOf: () => null,
    apply: () => failFor(markOf(prefix, members.slice(0, -1))), // The last is the name of the method.
    construct: need,
    set: need,
    defineProperty: need,
    deleteProperty: need,
    has: need,
    ownKeys: need,
    getOwnPropertyDescriptor: need,
  });
}

function markOf(prefix: string, members: readonly string[]): string {
  return `${prefix}${encoder.encode(JSON.stringify(members)).toHex()}-`;
}

function failFor(mark: string): never {
  fail(new SvcError("WORKFLOW_FAILED", "The real value is needed.", { details: [{ placeholder: mark }] }));
}
