/** Renames of parts of an application definition, as `svc service migrate` reads them. */
import { SvcError } from "../../lib/errors.ts";
import type { Rename } from "../store/uses.ts";

/** A form of a rename, and its conversion to a rename. */
interface Form {
  readonly form: string;
  readonly toRename: (names: readonly string[], to: string) => Rename;
}

const FORMS: readonly Form[] = [
  { form: "caseTypes.<type>", toRename: ([from = ""], to) => ({ kind: "caseType", from, to }) },
  {
    form: "caseTypes.<type>.fields.<field>",
    toRename: ([owner = "", from = ""], to) => ({ kind: "field", owner, from, to }),
  },
  {
    form: "caseTypes.<type>.stages.<stage>",
    toRename: ([owner = "", from = ""], to) => ({ kind: "stage", owner, from, to }),
  },
  {
    form: "caseTypes.<type>.processes.<process>",
    toRename: ([owner = "", from = ""], to) => ({ kind: "process", owner, from, to }),
  },
  {
    form: "caseTypes.<type>.processes.<process>.steps.<step>",
    toRename: ([owner = "", process = "", from = ""], to) => ({ kind: "step", owner, process, from, to }),
  },
  { form: "dataTypes.<class>", toRename: ([from = ""], to) => ({ kind: "dataType", from, to }) },
  {
    form: "dataTypes.<class>.fields.<field>",
    toRename: ([owner = "", from = ""], to) => ({ kind: "recordField", owner, from, to }),
  },
  { form: "queues.<queue>", toRename: ([from = ""], to) => ({ kind: "queue", from, to }) },
  { form: "operators.<operator>", toRename: ([from = ""], to) => ({ kind: "operator", from, to }) },
];

/**
 * Parses a rename such as `caseTypes.City-Permit.stages.Review=Assessment`. Paths are those of the definition. Renames
 * apply in order: after one of a case type, others use its new name. Throws `INVALID_ARGS`.
 */
export function parseRename(text: string): Rename {
  const at = text.lastIndexOf("=");
  const [path, to] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  for (const { form, toRename } of FORMS) {
    const names = toPattern(form).exec(path)?.slice(1);
    if (names !== undefined && to !== "") return toRename(names, to);
  }
  const forms = FORMS.map(({ form }) => `${form}=<new>`).join(", ");
  throw new SvcError("INVALID_ARGS", `'${text}' is not a rename.`, { hint: `Use ${forms}.` });
}

/** Converts a form to a pattern. Only IDs of operators contain dots. */
function toPattern(form: string): RegExp {
  const pattern = form.replaceAll(".", "\\.").replace("<operator>", "(.+)").replace(/<\w+>/g, "([^.]+)");
  return new RegExp(`^${pattern}$`);
}
