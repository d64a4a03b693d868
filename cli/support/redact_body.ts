/** Redacts JSON bodies: keeps what describes the application and the API, and replaces what people have entered. */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { Placeholders } from "./placeholders.ts";

/**
 * The part of a body that a value belongs to: what people have entered (`data`) or named (`named`), a person, an error,
 * the description of a form, or the envelope of the API around them.
 */
type Zone = "data" | "named" | "person" | "error" | "form" | "envelope";

/** The zones that begin at members of these names. Everything inside `data` belongs to it. */
const ZONES: Readonly<Record<string, Zone>> = {
  content: "data",
  dataViewParameters: "data",
  pxResults: "data",
  responseData: "data",
  shared: "data",
  context_data: "data",
  referencedUsers: "person",
  assigneeInfo: "person",
  followers: "person",
  users: "person",
  postedByUser: "person",
  attachments: "named",
  tagsList: "named",
  tags: "named",
  messages: "named",
  conversations: "named",
  errorDetails: "error",
  errors: "error",
  uiResources: "form",
};

/** Members with the ID or the name of a person. */
const PERSON = /^(?:owner|UserID|UserName|mentionsID)$|(?:By|ByName|Operator|OperatorID|Performer|[eE]mail\d*)$/;

/** Members whose values are names in the API or in the application. */
const TECHNICAL = new Set([
  ...["ID", "id", "businessID", "caseID", "parentCaseID", "caseTypeID", "caseTypeIcon", "classID", "className", "type"],
  ...["pxObjClass", "processID", "stageID", "transitionType", "visited_status", "context", "rel", "href", "status"],
  ...["actionID", "viewName", "instruction", "target", "field", "comparator", "logic", "summaryFunction", "category"],
  ...["mimeType", "extension", "errorClassification", "errorCode", "erroneousInputOutputIdentifier", "jsAction"],
  ...["erroneousInputOutputFieldInPage", "dataType", "fieldType", "fieldID", "structure", "defaultListDataView"],
  ...["dataObjectID", "sourceType", "attachmentFieldName", "participantRoleID", "agentClass", "WidgetsToRefresh"],
]);

/** Members of entered data whose values are names in the API or in the application. */
const TECHNICAL_DATA =
  /^(?:classID|pxObjClass|pyClassName|pyStatusWork|pyID|pzInsKey|pxRefObjectKey|pxRefObjectInsName)$/;

/** Members of a form whose values are shown to people. */
const SHOWN = new Set([
  ...[
    "label",
    "caption",
    "heading",
    "title",
    "placeholder",
    "helperText",
    "helper",
    "instructions",
    "content",
    "value",
  ],
  ...["tooltip", "text", "message", "description", "additionalInformation", "defaultValue"],
]);

/** Members of the envelope whose values are shown to people. */
const LABEL = /^(?:name|label|title|tooltip|instructions)$|(?:Name|Label)$/;

/** A reference of a form: to a property, to the label of a field, to a condition and so on. */
const REFERENCE = /^@(?!L )[A-Z_]+ /;

/** The mark of a text of a form. */
const LITERAL = /^@L /;

/** A property, such as the value of a calculation's `name`. */
const PROPERTY = /^\.[\w.()]+$/;

/** Options of a redaction. */
export interface RedactionOptions {
  /** Keeps the labels of fields, views, actions and so on. */
  readonly keepLabels: boolean;
}

/** Redacts the body of a request or a response. */
export function redactBody(body: JsonValue, placeholders: Placeholders, options: RedactionOptions): JsonValue {
  // A bare list has the outcome for each operator or tag, or the suggestions for a text.
  return redactValue(body, Array.isArray(body) ? "named" : "envelope", "", { placeholders, ...options });
}

/** Redacts a value that people have entered. */
export function redactData(value: JsonValue, placeholders: Placeholders): JsonValue {
  return redactValue(value, "data", "", { placeholders, keepLabels: false });
}

interface Redaction extends RedactionOptions {
  readonly placeholders: Placeholders;
}

function redactValue(value: JsonValue, zone: Zone, name: string, redaction: Redaction): JsonValue {
  if (Array.isArray(value)) return value.map((element) => redactValue(element, zone, name, redaction));
  if (isJsonObject(value)) return redactObject(value, zone, redaction);
  if (typeof value === "string") return redactText(value, zone, name, redaction);
  return zone === "data" && isNumber(value) ? redaction.placeholders.number(String(value)) : value;
}

function redactObject(object: JsonObject, zone: Zone, redaction: Redaction): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]): [string, JsonValue][] =>
    value === undefined
      ? []
      : [[redactName(name, redaction), redactValue(value, selectZone(zone, name, value), name, redaction)]]
  );
  return Object.fromEntries(entries);
}

function selectZone(zone: Zone, name: string, value: JsonValue): Zone {
  if (zone === "data") return "data";
  if (zone === "form") return name === "context_data" ? "data" : "form";
  // The envelope of a case is called `data`, as are the rows of a data view and the content of a record.
  if (name === "data") return isJsonObject(value) && isJsonObject(value.caseInfo) ? "envelope" : "data";
  if (name.startsWith("D_")) return "data";
  return (Object.hasOwn(ZONES, name) ? ZONES[name] : undefined) ?? zone;
}

/** The names of members belong to the application, but a service may use the ID of a person as a name. */
function redactName(name: string, { placeholders }: Redaction): string {
  return /^[\w.$:@-]*$/.test(name) ? placeholders.maskIds(name) : placeholders.text(name);
}

function redactText(text: string, zone: Zone, name: string, { placeholders, keepLabels }: Redaction): string {
  if (text === "" || text === "true" || text === "false") return text;
  if (PERSON.test(name) || (zone === "person" && name === "ID")) {
    return /\s/.test(text) ? placeholders.text(text, "person") : placeholders.person(text);
  }
  const mask = () => placeholders.text(text);
  const maskLabel = () => keepLabels ? placeholders.maskIds(text) : placeholders.text(text, "label");
  const isTechnical = PROPERTY.test(text) || TECHNICAL.has(name) || (/Time$/.test(name) && /^\d/.test(text));
  switch (zone) {
    case "data":
      return TECHNICAL_DATA.test(name) ? placeholders.maskIds(text) : placeholders.date(text) ?? mask();
    case "person":
      return isTechnical ? placeholders.maskIds(text) : mask();
    case "named":
      // The ID of a tag or of an operator is its name.
      return isTechnical && (name !== "ID" || /-\d/.test(text)) ? placeholders.maskIds(text) : mask();
    case "error":
      return isTechnical || (name === "message" && /^\w+$/.test(text)) ? placeholders.maskIds(text) : mask();
    case "envelope":
      if (isTechnical) return placeholders.maskIds(text);
      return LABEL.test(name) ? maskLabel() : mask();
    case "form":
      if (LITERAL.test(text) && !keepLabels) return "@L " + placeholders.text(text.slice("@L ".length), "label");
      if (REFERENCE.test(text)) return placeholders.maskIds(text);
      return SHOWN.has(name) || /\s/.test(text) ? maskLabel() : placeholders.maskIds(text);
  }
}
