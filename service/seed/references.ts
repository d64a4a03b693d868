import type { Field } from "../application/model/field.ts";

/** Names of records and numbers of cases, to which text fields can refer. */
export class References {
  readonly #values = new Map<string, string[]>();

  /** Adds a name or a number of a data type or a case type. */
  add(type: string, value: string): void {
    const key = type.toLowerCase();
    this.#values.set(key, [...this.#values.get(key) ?? [], value]);
  }

  /** Finds the values for a field whose name or label is the name of a type. */
  find({ name, label }: Field): readonly string[] {
    return this.#values.get(label.toLowerCase()) ?? this.#values.get(name.toLowerCase()) ?? [];
  }
}
