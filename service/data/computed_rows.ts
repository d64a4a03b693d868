/** Computes the rows of data views that no table contains. */
import type { JsonObject } from "../../utils/json.ts";
import type { ComputedSource, Operator } from "../application/model/application.ts";
import { type Attachment, buildAttachmentId, findAttachment, listAttachments } from "../attachments/items.ts";
import { joinName } from "../attachments/file_names.ts";
import { getRights } from "../attachments/rights.ts";
import { listCreatableTypes } from "../cases/creatable_types.ts";
import { type CaseWork, findCase, getOperatorName } from "../cases/case_work.ts";
import type { HandlerContext } from "../http/handler.ts";
import { describeBootstrap } from "./bootstrap.ts";

/** Parameters of a data view by name. */
type Parameters = ReadonlyMap<string, unknown>;

/** Computes the rows of a data view. Data views that are a single page have at most one row. */
type ComputeRows = (parameters: Parameters, context: HandlerContext) => JsonObject[] | Promise<JsonObject[]>;

/** The country codes of ITU-T E.164, as ranges where they are consecutive. */
const CALLING_CODES =
  "1 7 20 27 30-34 36 39-41 43-49 51-58 60-66 81-82 84 86 90-95 98 211-213 216 218 220-258 260-269 290-291 297-299 " +
  "350-359 370-378 380-383 385-387 389 420-421 423 500-509 590-599 670 672-683 685-692 850 852-853 855-856 880 886 " +
  "960-968 970-977 992-996 998";

/** The rows by source. */
export const COMPUTED_ROWS: { readonly [S in ComputedSource]: ComputeRows } = {
  async attachments(parameters, context) {
    const work = await findCase(context, String(parameters.get("LinkRefFrom")));
    if (work === undefined) return [];
    return (await listAttachments(context.tx, work.stored.id)).flatMap((one) => describeAttachment(work, one));
  },

  async attachment(parameters, context) {
    const attachment = await findAttachment(context.tx, String(parameters.get("AttachmentKey")));
    const work = attachment && await findCase(context, attachment.caseId);
    return attachment === undefined || work === undefined ? [] : describeAttachment(work, attachment);
  },

  operators(_, { app }) {
    return [...app.operators.values()].map(({ id, name, email = "" }) => {
      return { pyUserIdentifier: id, pyUserName: name, pyEmailAddress: email };
    });
  },

  operator(parameters, context) {
    return findOperators(parameters, context).map(({ id, name, email = "" }) => ({
      pyUserIdentifier: id,
      pyUserName: name,
      pyLabel: name,
      pyOrganization: context.app.organisation,
      pyAddresses: { Email: { pyEmailAddress: email } },
    }));
  },

  operatorProfile(parameters, context) {
    return findOperators(parameters, context).map(({ id, name, email = "" }) => ({
      pyOperatorInfo: {
        pyUserIdentifier: id,
        pyUserName: name,
        pyLabel: name,
        pyEmailAddress: email,
        pyOrganization: context.app.organisation,
        pyPosition: "",
        pyTelephone: "",
        pyReportToUserName: "",
      },
    }));
  },

  creatableTypes(_, { app }) {
    const types = listCreatableTypes(app).map(({ id, name }) => {
      return { pyClassName: id, pyLabel: name, pyFlowType: "pyStartCase" };
    });
    return [{ pyCaseTypesAvailableToCreate: types }];
  },

  callingCodes() {
    const codes = CALLING_CODES.split(" ").flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
    });
    return codes.map((code) => ({ pyCallingCode: `+${code}` }));
  },

  bootstrap(_, context) {
    return [{ pyConfigJSON: JSON.stringify(describeBootstrap(context)) }];
  },
};

/** Finds the operator that parameters name, or the caller. */
function findOperators(parameters: Parameters, { app, caller }: HandlerContext): Operator[] {
  const id = parameters.get("OperatorId") ?? parameters.get("OperatorID") ?? caller.id;
  const operator = app.operators.get(String(id));
  return operator === undefined ? [] : [operator];
}

/** Describes an attachment that the caller may see. */
function describeAttachment(work: CaseWork, attachment: Attachment): JsonObject[] {
  if (!getRights(work, attachment).view) return [];
  const { type, category, name, mimeType, createdBy, at, caseId } = attachment;
  return [{
    pzInsKey: buildAttachmentId(attachment),
    pyMemo: name,
    pyFileName: type === "URL" ? "" : joinName(attachment),
    pyFileCategory: type.toUpperCase(),
    pyCategory: category,
    pyLabel: work.type.attachmentCategories.get(category)?.name ?? category,
    pyTopic: mimeType ?? "",
    pxLinkedRefFrom: caseId,
    pxCreateOperator: createdBy,
    pxCreateOpName: getOperatorName(work.context.app, createdBy),
    pxCreateDateTime: at,
  }];
}
