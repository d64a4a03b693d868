/** Explains why a rename changes nothing. */
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { Transaction } from "../store/store.ts";
import type { Rename, Use, UseKind } from "../store/uses.ts";

/** Explains that the stored data does not contain a name in a rename, and suggests a similar name. */
export async function describeUnusedName(tx: Transaction, rename: Rename): Promise<string> {
  const uses = await tx.countUses();
  if ("owner" in rename) {
    const owners = listNames(uses, rename.kind === "recordField" ? "dataType" : "caseType");
    if (!owners.includes(rename.owner)) return describe(rename.owner, owners);
  }
  return describe(rename.from, await listOldNames(tx, uses, rename));
}

function describe(name: string, known: readonly string[]): string {
  return `The stored data does not contain the name '${name}'${suggestAlternatives(name, known)}`;
}

/** Lists the names in the data that a rename can replace. */
async function listOldNames(tx: Transaction, uses: readonly Use[], rename: Rename): Promise<string[]> {
  switch (rename.kind) {
    case "field":
      return await listFields(tx, "cases", rename.owner);
    case "recordField":
      return await listFields(tx, "records", rename.owner);
    case "stage":
      return listNames(uses, "stage", rename.owner);
    case "process":
      return listSteps(uses, rename.owner).map(([process]) => process);
    case "step":
      return listSteps(uses, rename.owner).filter(([process]) => process === rename.process).map(([, step]) => step);
    default:
      return listNames(uses, rename.kind);
  }
}

async function listFields(tx: Transaction, kind: "cases" | "records", id: string): Promise<string[]> {
  return (await tx.countValues({ kind, id })).map(({ field }) => field);
}

function listNames(uses: readonly Use[], kind: UseKind, owner = ""): string[] {
  return uses.filter((use) => use.kind === kind && use.owner === owner).map(({ name }) => name);
}

function listSteps(uses: readonly Use[], owner: string): [process: string, step: string][] {
  return listNames(uses, "step", owner).map((name) => {
    const [process = "", step = ""] = name.split("/");
    return [process, step];
  });
}
