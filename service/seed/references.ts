import type { JsonObject } from "../../utils/json.ts";
import type { Field } from "../application/model/field.ts";

/** Records, their names, and the numbers of cases, to which fields can refer. */
export class References {
  readonly #values = new Map<string, string[]>();
  readonly #records = new Map<string, JsonObject[]>();

  /** Adds a name or a number of a data type or a case type. */
  add(type: string, value: string): void {
    const key = type.toLowerCase();
    this.#values.set(key, [...this.#values.get(key) ?? [], value]);
  }

  /** Adds a record of a data type. */
  addRecord(classId: string, record: JsonObject): void {
    this.#records.set(classId, [...this.#records.get(classId) ?? [], record]);
  }

  /** Finds the values for a field whose name or label is the name of a type. */
  find({ name, label }: Field): readonly string[] {
    return this.#values.get(label.toLowerCase()) ?? this.#values.get(name.toLowerCase()) ?? [];
  }

  /**
   * Finds the records that can be chosen in a field of a page. A parameter of their data view filters by the column with
   * the same name.
   */
  findRecords({ reference, choices, embedded }: Field, page: JsonObject): readonly JsonObject[] {
    const parameters = [...reference?.parameters ?? choices?.parameters ?? []];
    return (this.#records.get(choices?.classId ?? embedded?.classId ?? "") ?? []).filter((record) => {
      return parameters.every(([name, argument]) => {
        return name in record &&
          record[name] === ("value" in argument ? argument.value : page[argument.field[0] ?? ""]);
      });
    });
  }
}
