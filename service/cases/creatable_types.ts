/** The case types that callers can create. */
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { Application, CaseType } from "../application/model/application.ts";
import { NotFound } from "../errors.ts";

/** The process that starts a case of any type. */
export const START_PROCESS = "pyStartCase";

/** Lists the case types that callers can create. */
export function listCreatableTypes({ caseTypes }: Application): CaseType[] {
  return [...caseTypes.values()].filter(({ creatable }) => creatable);
}

/** Finds a case type. Throws `NotFound`, and suggests only listed case types. */
export function findCaseType(app: Application, id: string): CaseType {
  const type = app.caseTypes.get(id);
  if (type !== undefined) return type;
  const listed = listCreatableTypes(app).map((one) => one.id);
  throw new NotFound(`Case type '${id}' not found${suggestAlternatives(id, listed)}`);
}
