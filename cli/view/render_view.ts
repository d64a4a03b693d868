import { findRows, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { FieldChoice, Selection } from "../../lib/output/fields.ts";
import { findTableRows } from "../../lib/output/table.ts";
import type { Rendered, Surface } from "../../lib/output/format.ts";
import { addShortNames } from "../handles/short_names.ts";
import { buildCasePage, isCaseBody } from "./case_page.ts";
import { type Conversation, findNextPage, readConversation, renderConversation } from "./conversation.ts";
import { listRecordFields } from "./content_rows.ts";
import { buildListPage, buildObjectPage, omitTechnical } from "./object_page.ts";
import { formatValue } from "./format_value.ts";
import { layOutPage, type Section } from "./page.ts";

/** Renders a result for people. Control characters are escaped. */
export async function renderView(
  result: JsonValue,
  fields: FieldChoice | undefined,
  surface: Surface,
): Promise<Rendered> {
  if (fields === undefined) return renderPage(addShortNames(result), undefined, surface);
  const { selectFields } = await import("../../lib/output/fields.ts");
  const selection = selectFields(result, fields);
  const rendered = renderPage(selection.value, selection, surface);
  return { text: rendered.text, notes: [...selection.notes, ...rendered.notes] };
}

function renderPage(value: JsonValue, selection: Selection | undefined, surface: Surface): Rendered {
  if (isCaseBody(value)) return { text: layOutPage(buildCasePage(value), surface), notes: [] };
  const conversation = selection === undefined ? readConversation(value) : undefined;
  if (conversation !== undefined && conversation.entries.length > 0) {
    return { text: renderConversation(conversation, surface), notes: listNotes(conversation) };
  }
  const list = selection === undefined ? findTableRows(value) : selection.list ?? findRows(value);
  if (list !== undefined) return buildListPage(list, value, surface, selection);
  if (isJsonObject(value)) {
    const sections = selection === undefined ? buildRecordPage(omitTechnical(value)) : buildObjectPage(value);
    return { text: layOutPage(sections, surface), notes: [] };
  }
  const lines = Array.isArray(value) ? value.map((element) => formatValue(element)) : [formatValue(value)];
  return { text: layOutPage([{ text: lines.join("\n") }], surface), notes: [] };
}

function listNotes(conversation: Conversation): string[] {
  const next = findNextPage(conversation);
  return next === undefined ? [] : [`Older entries follow: --older-than ${next}`];
}

/** Builds the page of an object. What its view shows replaces its data. */
function buildRecordPage(body: JsonObject): Section[] {
  const { uiResources, data, ...others } = body;
  if (!isJsonObject(uiResources)) return buildObjectPage(body);
  const fields = listRecordFields(body);
  return [...buildObjectPage(fields.length > 0 || data === undefined ? others : { ...others, data }), ...fields];
}
