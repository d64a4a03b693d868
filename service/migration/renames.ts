/** Renames of parts of an application definition, as `svc service migrate` reads them. */
import { SvcError } from "../../lib/errors.ts";
import type { Rename } from "../store/uses.ts";

/** The forms of a rename, for messages. */
const FORMS = [
  "caseTypes.<type>=<new>",
  "caseTypes.<type>.fields.<field>=<new>",
  "caseTypes.<type>.stages.<stage>=<new>",
  "caseTypes.<type>.processes.<process>=<new>",
  "caseTypes.<type>.processes.<process>.steps.<step>=<new>",
  "dataTypes.<class>=<new>",
  "dataTypes.<class>.fields.<field>=<new>",
  "queues.<queue>=<new>",
  "operators.<operator>=<new>",
];

/**
 * Parses a rename such as `caseTypes.City-Permit.stages.Review=Assessment`. Paths are those of the definition. Renames
 * apply in order: after one of a case type, others use its new name. Throws `INVALID_ARGS`.
 */
export function parseRename(text: string): Rename {
  const at = text.lastIndexOf("=");
  const [path, to] = [text.slice(0, at), text.slice(at + 1)];
  const operator = path.match(/^operators\.(.+)$/)?.[1];
  if (at > 0 && to !== "" && operator !== undefined) return { kind: "operator", from: operator, to };
  const [section, owner = "", part, from = "", inner, step = "", ...more] = path.split(".");
  const size = path.split(".").length;
  if (at > 0 && to !== "" && more.length === 0 && owner !== "") {
    if (section === "queues" && size === 2) return { kind: "queue", from: owner, to };
    if (section === "dataTypes" && size === 2) return { kind: "dataType", from: owner, to };
    if (section === "caseTypes" && size === 2) return { kind: "caseType", from: owner, to };
    if (section === "dataTypes" && size === 4 && part === "fields") return { kind: "recordField", owner, from, to };
    if (section === "caseTypes" && size === 4 && part === "fields") return { kind: "field", owner, from, to };
    if (section === "caseTypes" && size === 4 && part === "stages") return { kind: "stage", owner, from, to };
    if (section === "caseTypes" && size === 4 && part === "processes") return { kind: "process", owner, from, to };
    if (section === "caseTypes" && size === 6 && part === "processes" && inner === "steps") {
      return { kind: "step", owner, process: from, from: step, to };
    }
  }
  throw new SvcError("INVALID_ARGS", `'${text}' is not a rename.`, { hint: `Use ${FORMS.join(", ")}.` });
}
