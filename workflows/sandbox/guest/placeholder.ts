/**
 * Placeholders: in a plan, a script gets one as the response of a change. Its members are placeholders, too. In a call and
 * in a text it becomes a mark that the host knows. The run ends where the script needs the real value.
 */
import { SvcError } from "../../../lib/errors.ts";
import { describeFailure, exitWith } from "./channel.ts";

/** Maximum length of a path of members: a loop that follows them would not end. */
const MAX_DEPTH = 50;

const encoder = new TextEncoder();

/** Creates a placeholder. Its mark starts with the prefix. */
export function createPlaceholder(prefix: string, members: readonly string[] = []): object {
  const mark = buildMark(prefix, members);
  const endPlan = (): never => failFor(mark);
  if (members.length > MAX_DEPTH) endPlan();
  const toText = () => mark;
  // A function, so that calls such as `answer.id.split(" ")` are noticed. A log shows the mark.
  const target = Object.assign(() => {}, { [Symbol.for("Deno.customInspect")]: toText });
  const children = new Map<string, object>();
  return new Proxy(target, {
    get(_, name) {
      if (name === Symbol.toPrimitive) return (hint: string) => hint === "string" ? mark : endPlan();
      if (name === Symbol.iterator || name === Symbol.asyncIterator) return endPlan();
      if (name === "toJSON" || name === "toString") return toText;
      // `await` returns the placeholder itself.
      if (typeof name === "symbol" || name === "then") return undefined;
      const member = children.get(name) ?? createPlaceholder(prefix, [...members, name]);
      children.set(name, member);
      return member;
    },
    getPrototypeOf: () => null,
    apply: () => failFor(buildMark(prefix, members.slice(0, -1))), // The last member is the name of the method.
    construct: endPlan,
    set: endPlan,
    defineProperty: endPlan,
    deleteProperty: endPlan,
    has: endPlan,
    ownKeys: endPlan,
    getOwnPropertyDescriptor: endPlan,
  });
}

function buildMark(prefix: string, members: readonly string[]): string {
  return `${prefix}${encoder.encode(JSON.stringify(members)).toHex()}-`;
}

function failFor(mark: string): never {
  const details = [{ placeholder: mark }];
  exitWith(describeFailure(new SvcError("WORKFLOW_FAILED", "The real value is needed.", { details })));
}
