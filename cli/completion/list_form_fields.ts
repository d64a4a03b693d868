import { type FormQuestion, listQuestions, readForm } from "../../lib/forms/mod.ts";
import type { JsonObject } from "../../utils/json.ts";

/** Lists the questions of a form with their labels, named as `--set` takes them: `Home.City`, `Depot.ID`, `Stops[+].City`. */
export function listFormFields(body: JsonObject): [name: string, label: string][] {
  return readForm(body).questions.flatMap(nameFields).map(([name, label]) => [name, label === name ? "" : label]);
}

function nameFields(question: FormQuestion): [string, string][] {
  const { path, label } = question;
  switch (question.type) {
    case "field":
    case "attachment":
      return [[path, label]];
    case "reference":
      return question.mode === "single" ? question.keys.map((key) => [`${path}.${key}`, label]) : [];
    case "list": {
      const prefix = `${path}[${question.rows.length}].`;
      return listQuestions(question.newRow).filter(({ isReadOnly }) => !isReadOnly).flatMap(nameFields)
        .map(([name, column]) => [name.replace(prefix, `${path}[+].`), `${label}: ${column}`]);
    }
  }
}
