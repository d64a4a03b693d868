/** Places in a definition, where the compilation reports issues. */
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import { type FieldType, VALUE_KINDS } from "../model/field.ts";
import type { DefinitionIssue } from "../schema/issues.ts";

/** Names that a definition can refer to: a map or a set. */
export type Names = { has(name: string): boolean; keys(): Iterable<string> };

/** A place in a definition. */
export class DefinitionPlace {
  readonly #issues: DefinitionIssue[];
  readonly #path: DefinitionIssue["path"];

  /** Creates a place. All issues go to the same list. */
  constructor(issues: DefinitionIssue[], path: DefinitionIssue["path"] = []) {
    this.#issues = issues;
    this.#path = path;
  }

  /** Returns a place below this one. */
  at(...keys: PropertyKey[]): DefinitionPlace {
    return new DefinitionPlace(this.#issues, [...this.#path, ...keys]);
  }

  /** Reports an issue at this place. A property, so that it can be passed as a callback. */
  readonly report = (message: string): void => {
    this.#issues.push({ path: this.#path, message });
  };

  /** Reports a value that a field of a type does not take. */
  reportValue(message: string, type: FieldType, value: unknown): void {
    const needsText = VALUE_KINDS[type] === "text" && typeof value !== "string";
    this.#issues.push({ path: this.#path, message, needsText });
  }

  /** Reports a name that does not exist, and suggests others. `where` completes the sentence, e.g. ` in this process`. */
  checkExists(kind: string, name: string, names: Names, where = ""): void {
    if (names.has(name)) return;
    this.report(`there is no ${kind} '${name}'${where}${suggestAlternatives(name, names.keys())}`);
  }

  /**
   * Returns the part with an ID, or reports that it does not exist. A part that is only in `definitions` has an issue of
   * its own, so that the reference to it is not reported.
   */
  resolve<T>(kind: string, id: string, parts: ReadonlyMap<string, T>, definitions: object = {}): T | undefined {
    if (!Object.hasOwn(definitions, id)) this.checkExists(kind, id, parts);
    return parts.get(id);
  }

  /** Returns the parts with some IDs, and reports each ID that does not exist. */
  resolveAll<T>(kind: string, ids: readonly string[], parts: ReadonlyMap<string, T>, definitions?: object): T[] {
    return ids.flatMap((id, index) => this.at(index).resolve(kind, id, parts, definitions) ?? []);
  }

  /** Compiles each definition at its place. Leaves out those that compile to undefined. */
  compileAll<D, T>(
    definitions: Readonly<Record<string, D>> | undefined,
    compile: (id: string, definition: D, place: DefinitionPlace) => T | undefined,
  ): Map<string, T> {
    const compiled = new Map<string, T>();
    for (const [id, definition] of Object.entries(definitions ?? {})) {
      const part = compile(id, definition, this.at(id));
      if (part !== undefined) compiled.set(id, part);
    }
    return compiled;
  }
}
